/* main.c -- stillpoint_manual PAGE: prints a page that the build or a test makes from the program's own tables. It is not
 * installed. */
#include "core/cli/manual/manual.h"
#include "core/cli/manual/manual_pages.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(void);     /* on the standard output; NULL: */
    void (*append)(sp_text *);
} pages[] = {
    { "man", sp_manual_man, NULL },
    { "bash", sp_manual_bash, NULL },
    { "zsh", sp_manual_zsh, NULL },
    { "verbs", sp_manual_verbs_page, NULL },                /* docs/reference/verbs.md */
    { "keys", NULL, sp_manual_keys_page },                  /* docs/reference/keys.md */
    { "losses", NULL, sp_manual_losses_page },              /* docs/reference/losses.md */
    { "methods", NULL, sp_manual_algorithms_table },        /* of docs/reference/methods.md */
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(argv[1], pages[i].name) != 0)
            continue;
        sp_text out = { 0 };
        if (pages[i].print)
            pages[i].print();
        else
            pages[i].append(&out);
        const bool failed = out.failed || (out.data && fputs(out.data, stdout) < 0) || fflush(stdout) != 0;
        sp_text_free(&out);
        return failed;
    }
    fprintf(stderr, "Usage: stillpoint_manual man|bash|zsh|verbs|keys|losses|methods\n");
    return 2;
}
