/* own_file.h -- data = { file = "bank.csv", ... }: a file of the user's own, its keys, and what is guessed where they
 * say nothing (core/data/read/guess.h). Paths are relative to the experiment's file, as those of `include`. */
#ifndef SP_PROBLEM_OWN_FILE_H
#define SP_PROBLEM_OWN_FILE_H

#include "core/data/read/catalogue.h"
#include "core/lua/values.h"

/* The keys; their tail is what a public data set takes too. */
extern const sp_param sp_file_keys[];
extern const sp_param *const sp_shape_keys;
enum { SP_SHAPE_POSITIVE, SP_SHAPE_NEGATIVE, SP_SHAPE_SCALE, SP_SHAPE_STATISTICS, SP_SHAPE_NORMALISE, SP_SHAPE_RADIUS,
       SP_SHAPE_INTERCEPT, SP_SHAPE_TEST, SP_SHAPE_RESAMPLE };

/* `data` as an experiment has it, with one text where a list, a number or a tab stands for what is no sweep:
 * categorical = { "job", 3 } becomes "job,3", scale = { age = { 18, 90 } } "age:18:90", positive = 1 "1", delimiter =
 * "\t" "tab". Generators are left alone. */
sp_status sp_data_spell(sp_arena *, const sp_node **data, sp_error *);

typedef struct sp_own_file {
    const char *key;              /* the keys that say how it is read */
    const char *path;             /* where it lies */
    sp_read_options options;      /* what is said and what is guessed; the storage is left to the caller */
    char fingerprint[SP_HASH_HEX];
    sp_seen seen;
    bool scaled;                  /* `scale` is given */
    bool indexed;                 /* `index` is given */
} sp_own_file;

/* The text that tells ways to read a file apart: equal texts, equal sp_own_file. NULL when out of memory. */
char *sp_own_file_key(sp_arena *, const sp_values *);
/* Reads the file, relative to `folder` ("" or ending in '/'), as far as it takes to decide what `values`, of
 * sp_file_keys, leave open. `place` is for messages. Texts are the arena's. */
sp_status sp_own_file_look(sp_arena *, const char *folder, const char *place, const sp_values *, sp_own_file *,
                           sp_error *);
/* `node`, the table that `values` come from, with what was guessed. NULL when out of memory. */
const sp_node *sp_own_file_resolve(sp_arena *, const sp_own_file *, const sp_node *node);
/* The keys of `resolved` as an experiment has them, without those of `given` (NULL: all of them). */
void sp_own_file_print(const sp_node *resolved, const sp_node *given, sp_text *out);
/* One line each: what is worth a second look. */
void sp_own_file_advise(const sp_own_file *, sp_text *out);

/* From values that hold the shape's keys from `at` on. Bounds of columns are left to the reader; statistics of the
 * records are refused unless public_statistics says that they are public. */
sp_status sp_shape_read(const sp_values *, size_t at, const char *place, sp_shape *, bool *resample, sp_error *);

#endif
