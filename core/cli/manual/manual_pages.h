/* manual_pages.h -- the pages about verbs that stillpoint_manual prints on the standard output. */
#ifndef SP_CLI_MANUAL_PAGES_H
#define SP_CLI_MANUAL_PAGES_H

/* Beside the verbs: each list ends with { 0 }. */
typedef struct sp_manual_item {
    const char *name, *meaning;
} sp_manual_item;
extern const sp_manual_item sp_manual_exits[], sp_manual_environment[], sp_manual_files[];

/* The man page, in roff. */
void sp_manual_man(void);
/* Completions of the shells. */
void sp_manual_bash(void);
void sp_manual_zsh(void);
/* docs/reference/verbs.md, one section per verb. */
void sp_manual_verbs_page(void);

#endif
