/* seal.h -- SEAL, the file of a folder of tables that says what belongs there: of which script, how many runs, and the
 * hash of each table that is the same wherever the runs were made.
 *
 *   stillpoint seal  FORMAT
 *   script           PATH  HASH      from the folder that holds results/; SHA-256 of its Lua tokens (core/lua/tokens.h)
 *   include          PATH  HASH      the same of each file that the script includes
 *   asked            RUNS  DIGEST    rows that the plan asks for; SHA-256 of the names of these runs
 *   present          RUNS  DIGEST    the same of the rows of runs.tsv
 *   failed           RUNS            rows whose status is not "ok"
 *   table            NAME  HASH      a line for each sealed table that is there: sp_seal_hash
 *
 * with a tab before each word but the first of a line. Who made the runs, when, and in how many parts, is not in it; nor is
 * traces.tsv, which git does not keep and whose rows have checksums of their own. */
#ifndef SP_BASE_SEAL_H
#define SP_BASE_SEAL_H

#include "core/base/digest.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { SP_SEAL_FORMAT = 1 };
extern const char sp_seal_file[]; /* "SEAL" */

/* What a SEAL says of a name: a file and its hash, or runs and their digest. */
typedef struct sp_seal_line {
    const char *name, *hash;
} sp_seal_line;

typedef struct sp_seal {
    unsigned format;          /* 0: there is no SEAL, as beside tables of programs before it */
    size_t asked, present, failed;
    const char *asked_digest, *present_digest;
    sp_seal_line script;
    sp_seal_line *include, *table;
    size_t includes, tables;
    char *text;               /* owns the strings */
    char digest[SP_HASH_HEX]; /* what derived files are made from: the hashes of the scripts and of the tables but keys.tsv */
} sp_seal;

/* SP_EVERSION for a format above SP_SEAL_FORMAT, SP_EDATA for what is not written so. */
sp_status sp_seal_read(const char *folder, sp_seal *, sp_error *);
void sp_seal_free(sp_seal *);

/* Writes SEAL for the tables that are there. `head` has the lines before those of tables. */
sp_status sp_seal_write(const char *folder, const sp_text *head, sp_error *);
/* The first line. */
void sp_seal_begin(sp_text *head);
void sp_seal_add(sp_text *head, const char *kind, const char *name, const char *hash);
void sp_seal_add_count(sp_text *head, const char *kind, size_t count, const char *hash);

/* The folder in which results/ is, for a folder below it; else the folder above: a new string from the root on, NULL where the
 * folder is not there or out of memory. */
char *sp_seal_root(const char *folder);
/* How the file at `path` is called from that root, with "../" where it is not below it; a new string, NULL as above. */
char *sp_seal_path(const char *folder, const char *path);

/* Compares every table with the SEAL; without one nothing is known. SP_EDATA names the first table that was changed,
 * added or removed. */
sp_status sp_seal_check(const char *folder, sp_error *);

/* SHA-256 of a file, unpacked where it lies packed, without the carriage returns that git writes on some systems. The
 * second adds bytes to an sp_hash in this way (packed.h). */
sp_status sp_seal_hash(const char *path, char out[SP_HASH_HEX], sp_error *);
bool sp_seal_take(void *hash, const void *bytes, size_t count);

#endif
