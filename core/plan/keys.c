/* keys.c -- the tables of keys, one beside the other. */
#include "core/plan/keys.h"

#include "core/plan/plan_internal.h"

const sp_key_table sp_key_tables[] = {
    { "", "the table that an experiment returns", sp_experiment_keys },
    { "problem", "what is minimised; in the place of all of it, or beside keys that replace some: a name of `stillpoint "
                 "list problems`", sp_problem_keys },
    { "problem.data", "of a file of one's own; a public data set, { \"mushroom\", ... }, takes those from `positive` on",
      sp_file_keys },
    { "problem.declared", "constants that the algorithms are told, each at least (`quasar`: at most) the certified one",
      sp_declared_params },
    { "privacy", "\"none\", or the budget of a run", sp_privacy_keys },
    { "algorithms", "beside the name and the parameters (`stillpoint list NAME`) of each of them", sp_entry_keys },
    { "algorithms.external", "of a method that is a program of one's own (docs/how_to/method_as_program.md), beside its parameters, numbers "
                             "and flags", sp_program_keys },
    { "claims", "each a statement about the exponent of a measure; `stillpoint check` judges it", sp_claim_keys },
    { "figures", "each a file in plots/", sp_figure_keys },
};
const size_t sp_key_table_count = sizeof sp_key_tables / sizeof *sp_key_tables;
