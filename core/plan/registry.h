/* registry.h -- what CMake found in algorithms/, losses/, losses/regularisers/ and measures/ (generated: registry.c in
 * the build folder), with the hash of each source file, and what plugins add. The file's name is the symbol's and the
 * name in Lua. */
#ifndef SP_PLAN_REGISTRY_H
#define SP_PLAN_REGISTRY_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct sp_algorithm;
struct sp_loss;
struct sp_regulariser;
struct sp_measure;
struct sp_generator;

extern const struct sp_algorithm *const *sp_algorithms;
extern size_t sp_algorithm_count;
extern const struct sp_loss *const *sp_losses;
extern size_t sp_loss_count;
extern const struct sp_regulariser *const *sp_regularisers;
extern size_t sp_regulariser_count;
extern const struct sp_measure *const *sp_measures;
extern size_t sp_measure_count;

/* NULL when there is none of that name. */
const struct sp_algorithm *sp_algorithm_find(const char *name);
const struct sp_loss *sp_loss_find(const char *name);
const struct sp_regulariser *sp_regulariser_find(const char *name);
const struct sp_measure *sp_measure_find(const char *name);

/* Adds one to its table, for as long as the program runs; generators are those of core/data/generate.h. Who was read out
 * of a table stays where it is. `hash` is what sp_source_hash says of it ("algorithms/NAME") from then on. SP_EINVAL when
 * the name is taken. To be called before anything is planned. */
sp_status sp_register_algorithm(const struct sp_algorithm *, const char *hash, sp_error *);
sp_status sp_register_loss(const struct sp_loss *, const char *hash, sp_error *);
sp_status sp_register_measure(const struct sp_measure *, const char *hash, sp_error *);
sp_status sp_register_generator(const struct sp_generator *, const char *hash, sp_error *);
/* Was this algorithm, loss, ... added? */
bool sp_is_registered(const void *entry);
/* The hash of what was added under "algorithms/NAME"; NULL: there is none. */
const char *sp_registered_hash(const char *name);

/* SHA-256 (hex) of sources: "algorithms/dp_gd", "core/data/generators/logistic", ..., or "core": all that have no hash
 * of their own (cmake/registry.cmake); "accountant": those of core/accountant, once more. NULL when unknown. */
const char *sp_source_hash(const char *name);

#endif
