/* derived.h -- DERIVED, a file in a folder of tables that records from which tables each derived file was computed.
 * Derived files are summary.tsv, fits.tsv, the tables in figures/ and the figures that were drawn.
 *
 *   stillpoint derived  FORMAT
 *   FILE  HASH  DIGEST      the file, its sp_seal_hash, and the `digest` of the seal (seal.h) of the tables it was made
 *         from
 *
 * with tabs between the words. FILE is a path relative to the folder of tables, and "plots/NAME" for a drawn figure.
 * Files *.timings.* depend on the machine and are not listed. A folder without a SEAL has no DERIVED. */
#ifndef SP_BASE_DERIVED_H
#define SP_BASE_DERIVED_H

#include "core/base/seal.h"

enum { SP_DERIVED_FORMAT = 1 };
extern const char sp_derived_file[]; /* "DERIVED" */

typedef struct sp_derived_line {
    char *file, hash[SP_HASH_HEX], of[SP_HASH_HEX];
    bool now; /* it was put since they were read */
} sp_derived_line;

/* Starts as { 0 }. */
typedef struct sp_derived {
    sp_derived_line *line;
    size_t count;
} sp_derived;

/* No lines where there is no such file. SP_EVERSION, SP_EDATA as sp_seal_read. */
sp_status sp_derived_read(const char *folder, sp_derived *, sp_error *);
/* The file at `path`, made from what has this digest; replaces its line. A file that cannot be read loses its line. */
sp_status sp_derived_put(sp_derived *, const char *file, const char *path, const char *digest, sp_error *);
sp_status sp_derived_write(sp_derived *, const char *folder, sp_error *);
void sp_derived_free(sp_derived *);

/* Checks that all derived tables were made from the tables in the folder. `plots` is the folder of the drawn figures,
 * which are checked too; NULL: they are not. SP_EDATA names a file that was made from other runs or by another script,
 * that was changed since, or that DERIVED does not list, and a listed table that is missing. A figure that was never
 * drawn is no fault. A folder without a SEAL passes. */
sp_status sp_derived_check(const char *folder, const char *plots, sp_error *);

/* Removes the derived tables that were not made from the tables in the folder now, and their lines. Drawn figures stay;
 * only their lines are removed. `digest` is that of the folder's seal. */
sp_status sp_derived_drop(const char *folder, const char *digest, sp_error *);

#endif
