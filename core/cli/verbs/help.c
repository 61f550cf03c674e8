/* help.c -- `help`: the verbs, one of them, or a key of an experiment. */
#include "core/cli/manual/manual.h"
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

static const sp_usage usage = {
    .operands = "[VERB|KEY]",
    .about = "The verbs; or what a verb does, with its options; or what a key of an experiment means, in each table "
             "that has it: `epsilon`, `privacy.epsilon`. Of methods, losses, measures and data `stillpoint describe` "
             "tells.",
    .fewest = 0, .most = 1, .excess = "one word at a time",
};

void sp_help(FILE *out)
{
    fprintf(out, "Usage: stillpoint VERB [ARGUMENTS...]\n"
                 "A benchmark harness for differentially private non-convex optimisation.\n\n");
    for (size_t i = 0; i < sp_verb_count; i++)
        fprintf(out, "  %-9s %s\n", sp_verbs[i]->name, sp_verbs[i]->summary);
    fprintf(out, "\n`stillpoint help WORD` tells more about a verb or a key, `stillpoint --version` what it was built "
                 "from.\n");
}

/* "privacy.epsilon" or "epsilon" */
static bool is_called(const sp_key_table *table, const sp_param *key, const char *word)
{
    const size_t length = strlen(table->place);
    return strcmp(word, key->key) == 0 ||
           (length > 0 && strncmp(word, table->place, length) == 0 && word[length] == '.' &&
            strcmp(word + length + 1, key->key) == 0);
}

/* False: no table has such a key. */
static bool print_keys(const char *word)
{
    sp_text text = { 0 };
    for (size_t i = 0; i < sp_key_table_count; i++)
        for (const sp_param *key = sp_key_tables[i].keys; key->key; key++)
            if (is_called(&sp_key_tables[i], key, word)) {
                sp_text_append(&text, "%s%s%s (key)\n", sp_key_tables[i].place, *sp_key_tables[i].place ? "." : "",
                               key->key);
                sp_manual_key(key, &text);
            }
    const bool found = text.length > 0;
    if (found)
        fputs(text.data, stdout);
    sp_text_free(&text);
    return found;
}

static int no_such_word(const char *verb, const char *word)
{
    const char *name[512];
    size_t names = 0;
    for (size_t i = 0; i < sp_verb_count && names < sizeof name / sizeof *name; i++)
        name[names++] = sp_verbs[i]->name;
    for (size_t i = 0; i < sp_key_table_count; i++)
        for (const sp_param *key = sp_key_tables[i].keys; key->key && names < sizeof name / sizeof *name; key++)
            name[names++] = key->key;
    const char *near = sp_nearest(word, name, names);
    return sp_misused(verb, "%s is neither a verb nor a key of an experiment%s%s%s (`stillpoint describe %s` looks "
                      "among methods, losses, measures and data)", word, near ? "; did you mean " : "",
                      near ? near : "", near ? "?" : "", word);
}

static int run(int argc, char **argv)
{
    char **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, NULL, &word, &words, &code))
        return code;
    if (words == 0) {
        sp_help(stdout);
        return SP_EXIT_OK;
    }
    bool found = false;
    for (size_t i = 0; i < sp_verb_count && !found; i++)
        if (strcmp(sp_verbs[i]->name, word[0]) == 0) {
            char *arguments[] = { word[0], (char *)"--help", NULL };
            found = true;
            code = sp_verbs[i]->run(2, arguments);
            putchar('\n');
        }
    return print_keys(word[0]) || found ? code : no_such_word(argv[0], word[0]);
}

const sp_verb sp_verb_help = { "help", "what a verb or a key of an experiment means", &usage, run };
