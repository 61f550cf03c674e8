/* manual.h -- what the schemas and tables say about a loss, a domain, data, ..., as text for `list`, and as the pages
 * losses.md, keys.md and methods.md of docs/reference. */
#ifndef SP_CLI_MANUAL_H
#define SP_CLI_MANUAL_H

#include "core/base/text.h"
#include "core/data/read/catalogue.h"
#include "core/data/generate.h"
#include "core/plan/keys.h"
#include "core/problem/problems.h"
#include "losses/loss.h"
#include "measures/measure.h"

#include <stdbool.h>

void sp_manual_params(const sp_param *, sp_text *);
void sp_manual_loss(const sp_loss *, sp_text *);
void sp_manual_regulariser(const sp_regulariser *, sp_text *);
void sp_manual_measure(const sp_measure *, sp_text *);
void sp_manual_data(const sp_catalogue_entry *, sp_text *);
void sp_manual_problem(const sp_named_problem *, sp_text *);
void sp_manual_generator(const sp_generator *, sp_text *);
/* `index` into sp_domain_names */
void sp_manual_domain(size_t index, sp_text *);

/* The losses by family: `start` when one starts, `each` for each loss of it. Families come in the order of the first
 * of their losses. */
void sp_manual_families(void (*start)(void *, const char *family), void (*each)(void *, const sp_loss *),
                        void *context);
/* A row an algorithm: its name, the paper, what it releases and when to use it. */
void sp_manual_algorithms_table(sp_text *);
/* docs/reference/losses.md: losses, regularisers, domains */
void sp_manual_losses_page(sp_text *);
/* One key, a line */
void sp_manual_key(const sp_param *, sp_text *);
/* The keys of one place */
void sp_manual_keys(const sp_key_table *, sp_text *);
/* docs/reference/keys.md: the keys of an experiment */
void sp_manual_keys_page(sp_text *);

#endif
