/* options.c -- see options.h. */
#include "core/cli/options.h"

#include "core/base/text.h"
#include "core/cli/verbs/verbs.h"
#include "core/plan/plan.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 79, INDENT = 29 };

static const sp_option common[] = {
    { "root", '\0', SP_OPTION_TEXT, offsetof(sp_common, root), "DIR",
      "Folder of results/ and plots/ (default: the current one)",
      0, 0 },
    { "scale", 's', SP_OPTION_TEXT, offsetof(sp_common, scale), "NAME",
      "smoke, default or full: an entry of the experiment's scales", 0, 0 },
    { "quiet", 'q', SP_OPTION_SET, offsetof(sp_common, quiet), NULL, "Say nothing but errors", 0, 0 },
    { 0 }
};
static const sp_option help[] = { { "help", 'h', SP_OPTION_SET, 0, NULL, "This text", 0, 0 }, { 0 } };

/* All options of a verb, in the order of --help; the last one is --help itself. */
typedef struct options {
    const sp_option *list[SP_OPTIONS_MAX];
    size_t count;
} options;

static void add_options(options *all, const sp_option *option)
{
    for (; option && option->name && all->count < SP_OPTIONS_MAX; option++)
        all->list[all->count++] = option;
}

static void list_options(const sp_usage *usage, options *all)
{
    add_options(all, usage->option);
    if (usage->common)
        add_options(all, common);
    add_options(all, help);
}

size_t sp_usage_options(const sp_usage *usage, const sp_option *list[SP_OPTIONS_MAX])
{
    options all = { 0 };
    list_options(usage, &all);
    for (size_t i = 0; i < all.count; i++)
        list[i] = all.list[i];
    return all.count;
}

static bool has_value(const sp_option *option)
{
    return option->kind != SP_OPTION_SET && option->kind != SP_OPTION_CLEAR;
}

/* --- messages ------------------------------------------------------------------------------------------------- */

int sp_misused(const char *verb, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "stillpoint %s: ", verb);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry `stillpoint %s --help'.\n", verb);
    return SP_EXIT_USAGE;
}

/* At most WIDTH columns, from column `at` on; further lines start in column `indent`. */
static void print_line(const char *line, size_t length, size_t at, size_t indent)
{
    while (length > 0) {
        size_t word = 0;
        while (word < length && line[word] != ' ')
            word++;
        if (at > indent && at + 1 + word > WIDTH) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        }
        at += (size_t)printf("%s%.*s", at > indent ? " " : "", (int)word, line);
        word += word < length;
        line += word;
        length -= word;
    }
    putchar('\n');
}

static void print_lines(const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");
        if (*text == ' ')
            printf("%.*s\n", (int)length, text);
        else
            print_line(text, length, 0, 0);
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

static int print_help(const sp_usage *usage, const char *verb, const options *all)
{
    const char *way = usage->operands;
    for (bool first = true; way; first = false) {
        const size_t length = strcspn(way, "\n");
        printf("%s stillpoint %s [OPTION...] %.*s\n", first ? "Usage:" : "  or: ", verb, (int)length, way);
        way = way[length] ? way + length + 1 : NULL;
    }
    print_lines(usage->about);
    putchar('\n');
    for (size_t i = 0; i < all->count; i++) {
        const sp_option *o = all->list[i];
        const char short_name[] = { '-', o->letter, ',', '\0' };
        int at = printf("  %3s --%s%s%s", o->letter ? short_name : "", o->name, has_value(o) ? "=" : "",
                        has_value(o) ? o->value : "");
        at += printf("%*s", at < INDENT ? INDENT - at : 2, "");
        print_line(o->help, strlen(o->help), (size_t)at > INDENT ? (size_t)at : INDENT, INDENT);
    }
    if (usage->notes) {
        putchar('\n');
        print_lines(usage->notes);
    }
    return SP_EXIT_OK;
}

/* What getopt_long could make nothing of: `word`, or the letter. */
static int unknown(const char *verb, const options *all, const char *word, char letter)
{
    const char *names[SP_OPTIONS_MAX];
    size_t matches = 0;
    if (letter)
        return sp_misused(verb, "unknown option -%c", letter);
    const size_t length = strcspn(word + 2, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    for (size_t i = 0; i < all->count; i++) {
        names[i] = all->list[i]->name;
        matches += strncmp(names[i], name, strlen(name)) == 0;
    }
    if (matches > 1)
        return sp_misused(verb, "--%s: could be one of %zu options", name, matches);
    if (strcmp(name, "plugin") == 0)
        return sp_misused(verb, "--plugin: " SP_PLUGINS_REFUSED);
    if (strcmp(name, "mpi") == 0)
        return sp_misused(verb, "--mpi: use --shard auto, as in `mpirun -n 64 stillpoint run X.lua --shard auto`");
    const char *near = sp_nearest(name, names, all->count);
    return sp_misused(verb, "unknown option --%s%s%s%s", name, near ? "; did you mean --" : "", near ? near : "",
                      near ? "?" : "");
}

/* --- values --------------------------------------------------------------------------------------------------- */

/* What a number has to be: "a whole number from 1 to 1024". */
static int bad_number(const char *verb, const sp_option *o, const char *text)
{
    const char *what = o->kind == SP_OPTION_COUNT ? "whole number" : "number";
    if (o->low > -HUGE_VAL || o->high < HUGE_VAL)
        return sp_misused(verb, "--%s %s: needs a %s from %g to %g", o->name, text, what, o->low, o->high);
    return sp_misused(verb, "--%s %s: not a %s", o->name, text, what);
}

/* false: the text is no such value. */
static bool take(const sp_option *o, const char *text, void *arguments)
{
    void *to = (char *)arguments + o->offset;
    double number = 0.0;
    const bool numeric = o->kind == SP_OPTION_REAL || o->kind == SP_OPTION_COUNT;
    if (numeric && (!sp_read_number(text, &number) || !(number >= o->low && number <= o->high) ||
                    (o->kind == SP_OPTION_COUNT && floor(number) != number)))
        return false;
    switch (o->kind) {
    case SP_OPTION_SET:
    case SP_OPTION_CLEAR:
        *(bool *)to = o->kind == SP_OPTION_SET;
        break;
    case SP_OPTION_TEXT:
        *(const char **)to = text;
        break;
    case SP_OPTION_LIST:
        ((sp_words *)to)->word[((sp_words *)to)->count++] = text;
        break;
    case SP_OPTION_REAL:
        *(double *)to = number;
        break;
    case SP_OPTION_COUNT:
        *(uint64_t *)to = (uint64_t)number;
        break;
    }
    return true;
}

/* --- the command line ----------------------------------------------------------------------------------------- */

bool sp_parse(const sp_usage *usage, int argc, char **argv, void *arguments, char ***operand, size_t *operands,
              int *code)
{
    enum { FIRST = 256 }; /* above the letters */
    const char *verb = argv[0];
    options all = { 0 };
    struct option known[SP_OPTIONS_MAX + 1] = { 0 };
    char letters[2 * SP_OPTIONS_MAX + 2] = ":";
    list_options(usage, &all);
    for (size_t i = 0; i < all.count; i++) {
        const sp_option *o = all.list[i];
        known[i] = (struct option){ o->name, has_value(o) ? required_argument : no_argument, NULL, FIRST + (int)i };
        if (o->letter)
            snprintf(letters + strlen(letters), sizeof letters - strlen(letters), "%c%s", o->letter,
                     has_value(o) ? ":" : "");
    }
    optind = 0; /* from the start: getopt keeps its place */
    opterr = 0;
    *code = SP_EXIT_USAGE;
    for (int found; (found = getopt_long(argc, argv, letters, known, NULL)) != -1;) {
        const bool refused = found == '?' || found == ':';
        const int which = refused ? optopt : found;
        const sp_option *o = which >= FIRST ? all.list[which - FIRST] : NULL;
        for (size_t i = 0; i < all.count && !o && which; i++)
            o = all.list[i]->letter == which ? all.list[i] : NULL;
        if (!o)
            unknown(verb, &all, argv[optind - 1], (char)which);
        else if (refused && has_value(o))
            sp_misused(verb, "--%s needs a value: --%s=%s", o->name, o->name, o->value);
        else if (refused)
            sp_misused(verb, "--%s takes no value", o->name);
        else if (o == help)
            *code = print_help(usage, verb, &all);
        else if (!take(o, optarg, arguments))
            bad_number(verb, o, optarg);
        else
            continue;
        return false;
    }
    *operand = argv + optind;
    *operands = (size_t)(argc - optind);
    if (*operands < usage->fewest)
        sp_misused(verb, "%s", usage->missing);
    else if (*operands > usage->most)
        sp_misused(verb, "%s", usage->excess);
    else
        *code = SP_EXIT_OK;
    return *code == SP_EXIT_OK;
}
