/* manual_pages.h -- the parts of `stillpoint manual`. */
#ifndef SP_VERBS_MANUAL_PAGES_H
#define SP_VERBS_MANUAL_PAGES_H

/* Beside the verbs: each list ends with { 0 }. */
typedef struct sp_manual_item {
    const char *name, *meaning;
} sp_manual_item;
extern const sp_manual_item sp_manual_exits[], sp_manual_environment[], sp_manual_files[];

/* docs/reference/verbs.md: a section a verb, on the standard output. */
void sp_manual_markdown(void);

#endif
