/* parts.h -- what the files of this folder share. */
#ifndef SP_EXTERNAL_PARTS_H
#define SP_EXTERNAL_PARTS_H

#include "core/base/hash.h"
#include "core/external/external.h"

/* A program that has been found. */
typedef struct sp_program {
    const char *path;         /* of the file to run */
    char *const *words;       /* its arguments from argv[0] on, then NULL */
    char *const *environment; /* then NULL */
    const char *folder;       /* in which it runs */
    double patience;
    const sp_param *params;
    char content[SP_HASH_HEX]; /* of the command, the files that it names, and the further ones */
} sp_program;

sp_status sp_program_find(sp_arena *, const sp_external *, const char *place, sp_program *, sp_error *);

/* sp_foreign.run; its context is an sp_program. */
sp_status sp_program_run(const sp_foreign *, sp_oracle *, const sp_values *, double *w);

#endif
