/* manual_man.c -- the man page, from the tables by which the verbs read their words. */
#include "core/cli/manual/manual_pages.h"
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

static bool has_value(const sp_option *option)
{
    return option->kind != SP_OPTION_SET && option->kind != SP_OPTION_CLEAR;
}

/* Text in roff: nothing at the start of a line is a request, and a hyphen is one that can be copied. */
static void roff(const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\': fputs("\\e", stdout); break;
        case '-': fputs("\\-", stdout); break;
        case '`': fputs("\\(ga", stdout); break;
        case '^': fputs("\\(ha", stdout); break;
        case '~': fputs("\\(ti", stdout); break;
        case '\'': fputs("\\(aq", stdout); break;
        default: putchar(text[i]);
        }
}

static void roff_line(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    roff(text, strlen(text));
    fputs(after, stdout);
}

/* Paragraphs; lines that begin with a blank stay as they are. */
static void roff_paragraphs(const char *text)
{
    bool literal = false;
    for (;;) {
        const size_t length = strcspn(text, "\n");
        if ((*text == ' ') != literal) {
            literal = !literal;
            puts(literal ? ".nf" : ".fi");
        } else if (!literal) {
            puts(".PP");
        }
        roff(text, length);
        putchar('\n');
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (literal)
        puts(".fi");
}

static void roff_option(const sp_option *o)
{
    puts(".TP");
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    roff_line("\\fB\\-\\-", o->name, "\\fR");
    if (has_value(o))
        roff_line("=\\fI", o->value, "\\fR");
    roff_line("\n", o->help, "\n");
}

static void man_verb(const sp_verb *verb)
{
    const sp_option *option[SP_OPTIONS_MAX];
    const size_t options = sp_usage_options(verb->usage, option);
    roff_line(".SS ", verb->name, "\n");
    for (const char *way = verb->usage->operands; way;) {
        const size_t length = strcspn(way, "\n");
        roff_line("\\fBstillpoint ", verb->name, "\\fR [\\fIOPTION\\fR...] ");
        roff(way, length);
        puts("\n.br");
        way = way[length] ? way + length + 1 : NULL;
    }
    roff_paragraphs(verb->usage->about);
    for (size_t i = 0; i + 1 < options; i++) /* all have --help */
        roff_option(option[i]);
    if (verb->usage->notes)
        roff_paragraphs(verb->usage->notes);
}

const sp_manual_item sp_manual_environment[] = {
    { "STILLPOINT_HOME", "The folder of the program's own files (figure scripts, templates, references, experiments). "
                         "Without it: share/stillpoint beside the folder of the program, or where it was installed." },
    { "STILLPOINT_DATA", "A folder with public data sets, looked at before the cache." },
    { "STILLPOINT_CACHE", "Where downloads and read data are kept; ~/.cache/stillpoint without it." },
    { "STILLPOINT_ISA", "baseline, avx2 or avx512: at most these instructions. No digit changes." },
    { 0 }
};
const sp_manual_item sp_manual_exits[] = {
    { "0", "Every run succeeded." },
    { "1", "Some run, figure or download failed." },
    { "2", "The command or the experiment is wrong; nothing was run." },
    { "130", "Interrupted; what is done is stored." },
    { 0 }
};
const sp_manual_item sp_manual_files[] = {
    { "results/EXPERIMENT/", "Tables and the store, in the current folder or that of --root." },
    { "plots/EXPERIMENT/", "Figures." },
    { 0 }
};

static void man_list(const sp_manual_item *item)
{
    for (; item->name; item++) {
        roff_line(".TP\n\\fB", item->name, "\\fR\n");
        roff_line("", item->meaning, "\n");
    }
}

void sp_manual_man(void)
{
    printf(".TH STILLPOINT 1 \"\" \"stillpoint %s\" \"User commands\"\n.SH NAME\nstillpoint \\- benchmark of "
           "differentially private non\\-convex optimisation\n.SH SYNOPSIS\n\\fBstillpoint\\fR \\fIVERB\\fR "
           "[\\fIARGUMENTS\\fR...]\n.br\n\\fBstillpoint\\fR \\-\\-version\n.br\n\\fBstillpoint\\fR \\-\\-help\n.SH DESCRIPTION\n",
           STILLPOINT_VERSION);
    roff_paragraphs("Runs experiments, which are Lua files: sweeps n, d, epsilon and the algorithm, stores every run, "
                    "and draws measured exponents beside claimed ones. Options may stand before, between and behind the "
                    "other words.");
    puts(".SH VERBS");
    for (size_t i = 0; i < sp_verb_count; i++)
        man_verb(sp_verbs[i]);
    puts(".SH EXIT STATUS");
    man_list(sp_manual_exits);
    puts(".SH ENVIRONMENT");
    man_list(sp_manual_environment);
    puts(".SH FILES");
    man_list(sp_manual_files);
}
