/* derived.h -- DERIVED, the file of a folder of tables that says of what the others were made: summary.tsv, fits.tsv, the
 * tables in figures/ and the figures that were drawn.
 *
 *   stillpoint derived  FORMAT
 *   FILE  HASH  DIGEST      its sp_seal_hash; the `digest` of the seal (seal.h) of the tables that it was made from
 *
 * with tabs between the words. FILE is its path from the folder of tables on; of a drawn figure "plots/NAME". What a
 * machine measured, *.timings.*, is not in it. Without a SEAL there is none. */
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
/* The file at `path`, made from what has this digest; replaces its line. */
sp_status sp_derived_put(sp_derived *, const char *file, const char *path, const char *digest, sp_error *);
sp_status sp_derived_write(sp_derived *, const char *folder, sp_error *);
void sp_derived_free(sp_derived *);

/* Compares all derived tables with the tables in the folder, and with `plots`, the folder of its figures, what was drawn
 * (NULL: not that). SP_EDATA names one that was made from other runs or by another script, that was changed since, or of
 * which this is not known. A figure that is not drawn is no fault. Without a SEAL nothing is known. */
sp_status sp_derived_check(const char *folder, const char *plots, sp_error *);

/* Removes the derived tables that were not made from what is in the folder now, and their lines; of drawn figures, which
 * stay, the lines. `digest`: of its seal. */
sp_status sp_derived_drop(const char *folder, const char *digest, sp_error *);

#endif
