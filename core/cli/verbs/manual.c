/* manual.c -- `manual`: the man page and what shells complete, from the tables that the verbs read their words by. */
#include "core/cli/verbs/manual_pages.h"
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

static const sp_usage usage = {
    .operands = "man|markdown|bash|zsh",
    .about = "The man page, docs/reference/verbs.md, or what bash or zsh completes; `cmake --install` puts them in place.",
    .fewest = 1, .most = 1, .missing = "which one: man, markdown, bash or zsh?", .excess = "one at a time",
};

static bool has_value(const sp_option *option)
{
    return option->kind != SP_OPTION_SET && option->kind != SP_OPTION_CLEAR;
}

/* --- the man page -------------------------------------------------------------------------------------------- */

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

static void man(void)
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

/* --- shells -------------------------------------------------------------------------------------------------- */

/* What a verb's words are, from its operands: "a|b|c X" are the words a, b, c; "EXPERIMENT.lua" a file; others names. */
typedef enum { WORDS_FILES, WORDS_LUA, WORDS_NAMES, WORDS_FIXED } words;

static words words_of(const sp_verb *verb, size_t *length)
{
    const char *text = verb->usage->operands;
    text += *text == '[';
    *length = strspn(text, "abcdefghijklmnopqrstuvwxyz|");
    if (*length > 0)
        return WORDS_FIXED;
    if (strncmp(text, "EXPERIMENT", strlen("EXPERIMENT")) == 0)
        return WORDS_LUA;
    return strncmp(text, "NAME", 4) == 0 || strncmp(text, "ALGORITHM", 9) == 0 || strncmp(text, "LOSS", 4) == 0
               ? WORDS_NAMES : WORDS_FILES;
}

/* The first words of every way to call the verb, blanks between them. */
static void print_fixed(const sp_verb *verb)
{
    for (const char *way = verb->usage->operands; way;) {
        way += *way == '[';
        const size_t length = strspn(way, "abcdefghijklmnopqrstuvwxyz|");
        for (size_t i = 0; i < length; i++)
            putchar(way[i] == '|' ? ' ' : way[i]);
        way = strchr(way, '\n');
        if (way) {
            way++;
            putchar(' ');
        }
    }
}

static void print_options(const sp_verb *verb)
{
    const sp_option *option[SP_OPTIONS_MAX];
    const size_t options = sp_usage_options(verb->usage, option);
    for (size_t i = 0; i < options; i++)
        printf("%s--%s%s", i > 0 ? " " : "", option[i]->name, has_value(option[i]) ? "=" : "");
}

static void bash(void)
{
    fputs("# Completion of stillpoint for bash, made by `stillpoint manual bash`; do not edit.\n"
          "_stillpoint()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options= words=\n"
          "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"", stdout);
    for (size_t i = 0; i < sp_verb_count; i++)
        printf("%s ", sp_verbs[i]->name);
    puts("--help --version\" -- \"$word\"))\n        return\n    fi\n    case $verb in");
    for (size_t i = 0; i < sp_verb_count; i++) {
        size_t length;
        const words kind = words_of(sp_verbs[i], &length);
        printf("    %s)\n        options='", sp_verbs[i]->name);
        print_options(sp_verbs[i]);
        fputs("'\n        words=", stdout);
        if (kind == WORDS_FIXED) {
            putchar('\'');
            print_fixed(sp_verbs[i]);
            putchar('\'');
        } else {
            fputs(kind == WORDS_NAMES ? "$(\"${COMP_WORDS[0]}\" list --plain 2>/dev/null)"
                  : kind == WORDS_LUA ? "@lua" : "@files", stdout);
        }
        puts(" ;;");
    }
    puts("    *) return ;;\n    esac\n"
         "    if [ \"${word#-}\" != \"$word\" ]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "        [ \"${COMPREPLY-}\" = \"${COMPREPLY%=}\" ] || compopt -o nospace\n"
         "    elif [ \"$words\" = @lua ]; then\n        compopt -o filenames\n"
         "        COMPREPLY=($(compgen -f -X '!*.lua' -- \"$word\") $(compgen -d -- \"$word\"))\n"
         "    elif [ \"$words\" = @files ] || [ \"$COMP_CWORD\" -gt 2 ]; then\n        compopt -o filenames\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "    else\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n    fi\n}\n"
         "complete -F _stillpoint stillpoint");
}

/* Text within '...[...]' of zsh's _arguments */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr("[]:\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void zsh_options(const sp_verb *verb)
{
    const sp_option *option[SP_OPTIONS_MAX];
    const size_t options = sp_usage_options(verb->usage, option);
    for (size_t i = 0; i < options; i++) {
        printf(" \\\n            '%s--%s%s[", option[i]->kind == SP_OPTION_LIST ? "*" : "", option[i]->name,
               has_value(option[i]) ? "=" : "");
        zsh_text(option[i]->help);
        putchar(']');
        if (has_value(option[i])) {
            putchar(':');
            zsh_text(option[i]->value);
            fputs(": ", stdout);
        }
        putchar('\'');
    }
}

static void zsh(void)
{
    puts("#compdef stillpoint\n# Completion of stillpoint for zsh, made by `stillpoint manual zsh`; do not edit.\n"
         "_stillpoint() {\n    local program=$words[1] verb=$words[2]\n    if (( CURRENT == 2 )); then\n"
         "        local -a verbs\n        verbs=(");
    for (size_t i = 0; i < sp_verb_count; i++) {
        printf("            '%s:", sp_verbs[i]->name);
        zsh_text(sp_verbs[i]->summary);
        puts("'");
    }
    puts("        )\n        _describe verb verbs\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case $verb in");
    for (size_t i = 0; i < sp_verb_count; i++) {
        size_t length;
        const words kind = words_of(sp_verbs[i], &length);
        printf("    (%s)\n        _arguments -s", sp_verbs[i]->name);
        zsh_options(sp_verbs[i]);
        fputs(" \\\n            ", stdout);
        if (kind == WORDS_FIXED) {
            fputs("'1:word:(", stdout);
            print_fixed(sp_verbs[i]);
            puts(")' '*:file:_files' ;;");
        } else {
            puts(kind == WORDS_NAMES ? "'*:name:(${(f)\"$($program list --plain 2>/dev/null)\"})' ;;"
                 : kind == WORDS_LUA ? "'*:experiment:_files -g \"*.lua\"' ;;" : "'*:file:_files' ;;");
        }
    }
    puts("    esac\n}\n_stillpoint \"$@\"");
}

static const struct {
    const char *name;
    void (*print)(void);
} pages[] = { { "man", man }, { "markdown", sp_manual_markdown }, { "bash", bash }, { "zsh", zsh } };

static int run(int argc, char **argv)
{
    char **word;
    size_t count;
    int code;
    if (!sp_parse(&usage, argc, argv, NULL, &word, &count, &code))
        return code;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(word[0], pages[i].name) == 0) {
            pages[i].print();
            return SP_EXIT_OK;
        }
    return sp_misused(argv[0], "%s: man, markdown, bash or zsh", word[0]);
}

const sp_verb sp_verb_manual = { "manual", "the man page, the page of verbs, completions", &usage, run };
