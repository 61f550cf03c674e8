/* json.h -- a composition as JSON, for scripts that hold it against other accountants. docs/reference/accountant.md has the keys. */
#ifndef SP_VERBS_JSON_H
#define SP_VERBS_JSON_H

#include "core/accountant/accountant.h"
#include "core/base/text.h"

/* Appends one object: the entries, the relation, delta, the bounds on epsilon and a floor under all of them. SP_ENOMEM,
 * and what the accountant refuses. */
sp_status sp_json_composition(const sp_ledger *, sp_neighbours, double delta, const sp_bounds *, sp_text *, sp_error *);
/* A string in quotes, in which a byte that is no UTF-8 is U+FFFD; "null" for NULL. */
void sp_json_string(const char *, sp_text *);
/* A number; "inf" in quotes, which float() reads too; null for NAN. */
void sp_json_number(double, sp_text *);

#endif
