/* audits.h -- what audits found of an experiment's methods: kept in its store, exported as audits.tsv.
 *
 * A row of the table is about a method that some cell runs under a budget, with the methods that its values hold. The
 * columns `algorithm`, `algorithm.first`, ... name them as cells.tsv does, and join the two tables; `key` says which
 * sources were audited (core/audit/audit.h, which has the columns behind it, too). */
#ifndef SP_STORE_AUDITS_H
#define SP_STORE_AUDITS_H

#include "core/audit/audit.h"
#include "core/store/store.h"

enum { SP_AUDITED_RUNS = 100, SP_AUDITED_SEED = 1 }; /* a side of a statistical audit; the same for all */
enum { SP_AUDITED_SIZE = sizeof "failed" };

typedef struct sp_audited {
    sp_method method;
    char key[SP_HASH_HEX];
    bool left_out;           /* every cell that runs it is (core/sweep/selection.h) */
} sp_audited;

/* The methods that cells of the plan run under a budget, without those that are skipped, each key once, in plan order;
 * *out is the caller's, also after a failure; NULL: none. SP_ENOMEM. */
sp_status sp_audited_methods(const sp_plan *, sp_audited **out, size_t *count, sp_error *);

/* Fields with tabs between them, as sp_audit_row writes them. */
sp_status sp_store_put_audit(sp_store *, const char *key, const char *row, sp_error *);
/* Adds it to the text. SP_EABSENT without a message, SP_EDATA when it is damaged. */
sp_status sp_store_get_audit(sp_store *, const char *key, sp_text *row, sp_error *);
/* The verdict on the method of a cell of the plan: "yes", "no", "failed"; "-" of a cell without a budget. */
sp_status sp_store_audited(sp_store *, const sp_plan *, const sp_cell *, char out[SP_AUDITED_SIZE], sp_error *);

/* Writes audits.tsv; a method of which the store holds nothing is "no" there, and without any that it holds there is no
 * table. */
sp_status sp_export_audits(const sp_plan *, sp_store *, const char *directory, sp_error *);

#endif
