/* manual_shells.c -- completions for bash and zsh, from the tables by which the verbs read their words. */
#include "core/cli/manual/manual_pages.h"
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

static bool has_value(const sp_option *option)
{
    return option->kind != SP_OPTION_SET && option->kind != SP_OPTION_CLEAR;
}

/* All verbs with one first word ("compare", "compare --score"). */
typedef struct entry {
    const char *name; /* the first word, `length` bytes */
    size_t length;
    const sp_verb *verb[8]; /* `forms` of them */
    size_t forms;
    const sp_option *option[4 * SP_OPTIONS_MAX]; /* of all forms, each name once */
    size_t options;
    bool fixed, names, lua; /* its words: some of a list; names of methods and the like; files with an experiment */
} entry;

static bool has_option(const entry *e, const sp_option *option)
{
    for (size_t i = 0; i < e->options; i++)
        if (strcmp(e->option[i]->name, option->name) == 0)
            return true;
    return false;
}

/* The length of the fixed words "a|b|c" with which a way to call a verb begins; 0 if it begins with an argument. */
static size_t fixed_length(const char *way)
{
    return strspn(way, "abcdefghijklmnopqrstuvwxyz|");
}

static const char *next_way(const char *way)
{
    const char *end = strchr(way, '\n');
    return end ? end + 1 : NULL;
}

static void add_verb(entry *e, const sp_verb *verb)
{
    const sp_option *option[SP_OPTIONS_MAX];
    const size_t options = sp_usage_options(verb->usage, option);
    e->verb[e->forms++] = verb;
    for (size_t i = 0; i < options; i++)
        if (!has_option(e, option[i]))
            e->option[e->options++] = option[i];
    for (const char *way = verb->usage->operands; way; way = next_way(way)) {
        const char *word = way + (*way == '[');
        e->fixed = e->fixed || fixed_length(word) > 0;
        e->names = e->names || strncmp(word, "NAME", strlen("NAME")) == 0;
        e->lua = e->lua || strncmp(word, "EXPERIMENT", strlen("EXPERIMENT")) == 0;
    }
    const char *form = strchr(verb->name, ' ');
    e->fixed = e->fixed || (form && form[1] != '-');
}

/* The entry that begins with verb i; false: an earlier verb has the same first word. */
static bool gather(size_t i, entry *e)
{
    *e = (entry){ .name = sp_verbs[i]->name, .length = strcspn(sp_verbs[i]->name, " ") };
    for (size_t k = 0; k < sp_verb_count; k++) {
        const char *name = sp_verbs[k]->name;
        if (strcspn(name, " ") != e->length || strncmp(name, e->name, e->length) != 0)
            continue;
        if (k < i)
            return false;
        add_verb(e, sp_verbs[k]);
    }
    return true;
}

static void print_fixed(const entry *e)
{
    for (size_t f = 0; f < e->forms; f++) {
        const char *form = strchr(e->verb[f]->name, ' ');
        if (form && form[1] != '-')
            printf("%s ", form + 1);
        for (const char *way = e->verb[f]->usage->operands; way && !form; way = next_way(way)) {
            const char *word = way + (*way == '[');
            const size_t length = fixed_length(word);
            for (size_t i = 0; i < length; i++)
                putchar(word[i] == '|' ? ' ' : word[i]);
            putchar(' ');
        }
    }
}

static void print_options(const entry *e)
{
    for (size_t i = 0; i < e->options; i++)
        printf("%s--%s%s", i > 0 ? " " : "", e->option[i]->name, has_value(e->option[i]) ? "=" : "");
    for (size_t f = 0; f < e->forms; f++) {
        const char *form = strchr(e->verb[f]->name, ' ');
        if (form && form[1] == '-')
            printf("%s", form);
    }
}

void sp_manual_bash(void)
{
    entry e;
    fputs("# Completion of stillpoint for bash, made by the build; do not edit.\n"
          "_stillpoint()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options= words=\n"
          "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"", stdout);
    for (size_t i = 0; i < sp_verb_count; i++)
        if (gather(i, &e))
            printf("%.*s ", (int)e.length, e.name);
    puts("--help --version\" -- \"$word\"))\n        return\n    fi\n    case $verb in");
    for (size_t i = 0; i < sp_verb_count; i++) {
        if (!gather(i, &e))
            continue;
        printf("    %.*s)\n        options='", (int)e.length, e.name);
        print_options(&e);
        fputs("'\n        words=\"", stdout);
        if (e.fixed)
            print_fixed(&e);
        fputs(e.names ? "$(\"${COMP_WORDS[0]}\" list --plain 2>/dev/null)" : e.fixed ? "" : e.lua ? "@lua" : "@files",
              stdout);
        puts("\" ;;");
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

static void zsh_options(const entry *e)
{
    for (size_t i = 0; i < e->options; i++) {
        const sp_option *o = e->option[i];
        printf(" \\\n            '%s--%s%s[", o->kind == SP_OPTION_LIST ? "*" : "", o->name,
               has_value(o) ? "=" : "");
        zsh_text(o->help);
        putchar(']');
        if (has_value(o)) {
            putchar(':');
            zsh_text(o->value);
            fputs(": ", stdout);
        }
        putchar('\'');
    }
    for (size_t f = 0; f < e->forms; f++) {
        const char *form = strchr(e->verb[f]->name, ' ');
        if (form && form[1] == '-') {
            printf(" \\\n            '%s[", form + 1);
            zsh_text(e->verb[f]->summary);
            fputs("]'", stdout);
        }
    }
}

void sp_manual_zsh(void)
{
    entry e;
    puts("#compdef stillpoint\n# Completion of stillpoint for zsh, made by the build; do not edit.\n"
         "_stillpoint() {\n    local program=$words[1] verb=$words[2]\n    if (( CURRENT == 2 )); then\n"
         "        local -a verbs\n        verbs=(");
    for (size_t i = 0; i < sp_verb_count; i++) {
        if (!gather(i, &e))
            continue;
        printf("            '%.*s:", (int)e.length, e.name);
        zsh_text(e.verb[0]->summary);
        puts("'");
    }
    puts("        )\n        _describe verb verbs\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case $verb in");
    for (size_t i = 0; i < sp_verb_count; i++) {
        if (!gather(i, &e))
            continue;
        printf("    (%.*s)\n        _arguments -s", (int)e.length, e.name);
        zsh_options(&e);
        fputs(" \\\n            ", stdout);
        if (e.fixed) {
            fputs("\"1:word:(", stdout);
            print_fixed(&e);
            printf("%s)\" '*:file:_files' ;;\n", e.names ? "$($program list --plain 2>/dev/null)" : "");
        } else {
            puts(e.names ? "'*:name:(${(f)\"$($program list --plain 2>/dev/null)\"})' ;;"
                 : e.lua ? "'*:experiment:_files -g \"*.lua\"' ;;" : "'*:file:_files' ;;");
        }
    }
    puts("    esac\n}\n_stillpoint \"$@\"");
}
