/* compare_folders.h -- `compare RESULTS1 RESULTS2`: one experiment in two folders. */
#ifndef SP_VERBS_COMPARE_FOLDERS_H
#define SP_VERBS_COMPARE_FOLDERS_H

#include "core/session/folders.h"

enum { SP_EXIT_WITHIN_ERROR = 3, SP_EXIT_DIFFERENT = 4 };

typedef struct sp_folders_asked {
    double margin;
    bool plain;
    sp_words measure; /* those chosen; none: all */
} sp_folders_asked;

/* Is it a folder with tables? */
bool sp_is_results(const char *path);

/* The first of the two may also be the name of an experiment, both may be archives (unpack.h). Prints what differs and returns the exit code; what could
 * not be read is in the error. */
int sp_compare_folders(const sp_common *, char *const folder[2], const sp_folders_asked *, sp_error *);

#endif
