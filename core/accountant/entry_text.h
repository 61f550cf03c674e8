/* entry_text.h -- reads ledger entries from text: as users type them on the command line, and as the store keeps them.
 *
 *   entry   kind ":" key "=" value { "," key "=" value }      "gauss_wor:noise_multiplier=1,rate=0.01,count=1000"
 *   ledger  one entry per line, with blanks in place of ":" and ",", as sp_ledger_print writes it
 *
 *   kind                                  its keys
 *   gauss                                 noise_multiplier
 *   gauss_wor, poisson                    noise_multiplier, rate
 *   tree                                  noise_multiplier, steps
 *   select                                noise_multiplier (one run is 1 / (2 noise_multiplier^2)-zCDP), mean, shape
 *                                         (inf: Poisson, for runs of Gaussian releases only); cap, default 0 (none)
 *   em, rnm_laplace, laplace, svt, pure   epsilon; laplace also takes scale in its place (epsilon = 1 / scale)
 *   approx                                epsilon, delta
 *   randomised_response                   epsilon; choices, default 0 (unknown)
 *   all kinds                             count, default 1; pool, default 0; filter (zcdp, gauss or basic: the filter
 *                                         by which an oracle allowed an unannounced release, filter.h), default none */
#ifndef SP_ACCOUNTANT_ENTRY_TEXT_H
#define SP_ACCOUNTANT_ENTRY_TEXT_H

#include "core/accountant/ledger.h"

/* SP_EINVAL, naming the entry as written: an unknown kind or key (with the nearest known one), a key twice or missing,
 * a value that is no number, or one that sp_entry_check refuses. */
sp_status sp_entry_read(const char *text, sp_entry *out, sp_error *);
/* Appends to *out. Messages begin with "line 3: ". SP_ENOMEM. */
sp_status sp_ledger_read(const char *text, sp_ledger *out, sp_error *);

#endif
