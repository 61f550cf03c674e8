/* references.h -- the papers behind methods, losses and data sets: docs/references.bib, whose entries are found by the
 * names and the year that a source (sp_algorithm.source and the like) gives, "Wang, Ye & Xu 2017" or "Abadi et al.
 * 2016". Accents and braces of a name are left out, as sources are written in ASCII. */
#ifndef SP_CLI_MANUAL_REFERENCES_H
#define SP_CLI_MANUAL_REFERENCES_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_reference_entry {
    const char *key;   /* "wang2017differentially" */
    const char *text;  /* the entry as it stands in the file, from @ to its closing brace */
    char *names;       /* "Wang, Ye & Xu 2017" */
    char *first;       /* "Wang et al. 2017"; that of a single author is `names` */
} sp_reference_entry;

typedef struct sp_references {
    char *content;
    sp_reference_entry *entry; /* in the order of the file */
    size_t entries;
} sp_references;

/* SP_EDATA names the line of what is no entry. Free with sp_references_free, also after a failure. */
sp_status sp_references_read(const char *path, sp_references *, sp_error *);
void sp_references_free(sp_references *);

/* Sets cited[i] for every entry that `source` names. Returns how many of the years in `source` (4 digits from 1900 to
 * 2099, by themselves) end no such name: papers without an entry. */
size_t sp_references_cited(const sp_references *, const char *source, bool *cited);

#endif
