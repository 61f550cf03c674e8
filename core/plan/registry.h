/* registry.h -- the methods, losses, regularisers, measures and generators of this program, with the hash of each
 * source file. CMake writes registry.c into the build folder from the files in algorithms/, losses/,
 * losses/regularisers/, measures/ and core/data/generators/, and from those of folders that are built in
 * (cmake/extra.cmake). The file's name is the symbol's and the name in Lua. */
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

/* Those of the checkout by name, then those of built-in folders; each table ends with NULL. */
extern const struct sp_algorithm *const sp_algorithms[];
extern const size_t sp_algorithm_count;
extern const struct sp_loss *const sp_losses[];
extern const size_t sp_loss_count;
extern const struct sp_regulariser *const sp_regularisers[];
extern const size_t sp_regulariser_count;
extern const struct sp_measure *const sp_measures[];
extern const size_t sp_measure_count;
extern const struct sp_generator *const sp_generators[];
extern const size_t sp_generator_count;

/* NULL when there is none of that name. */
const struct sp_algorithm *sp_algorithm_find(const char *name);
const struct sp_loss *sp_loss_find(const char *name);
const struct sp_regulariser *sp_regulariser_find(const char *name);
const struct sp_measure *sp_measure_find(const char *name);
const struct sp_generator *sp_generator_find(const char *name);

/* Is this algorithm, loss, ... from a folder that is built in, and not from the checkout? */
bool sp_is_extra(const void *entry);
/* The names of those, "algorithms/mine", ...; ends with NULL. */
extern const char *const sp_extra_names[];

/* SHA-256 (hex) of sources: "algorithms/dp_gd", "core/data/generators/logistic", ..., or "core": all that have no hash
 * of their own (cmake/registry.cmake); "accountant": those of core/accountant, once more. NULL when unknown. */
const char *sp_source_hash(const char *name);

#endif
