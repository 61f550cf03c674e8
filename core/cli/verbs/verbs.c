/* verbs.c -- the table of verbs, and the search for the one that a command line names. */
#include "core/cli/verbs/verbs.h"

#include <string.h>

const sp_verb *const sp_verbs[] = {
    &sp_verb_run, &sp_verb_run_rerun, &sp_verb_plan, &sp_verb_status, &sp_verb_submit, &sp_verb_merge,
    &sp_verb_check, &sp_verb_compare, &sp_verb_compare_score, &sp_verb_compare_versus, &sp_verb_table, &sp_verb_plot,
    &sp_verb_report,
    &sp_verb_list, &sp_verb_list_cite, &sp_verb_data, &sp_verb_new,
    &sp_verb_audit, &sp_verb_account_epsilon, &sp_verb_account_delta, &sp_verb_account_calibrate, &sp_verb_account_runs,
    &sp_verb_verify, &sp_verb_verify_seal, &sp_verb_export, &sp_verb_archive, &sp_verb_store
};
const size_t sp_verb_count = sizeof sp_verbs / sizeof *sp_verbs;

/* The groups of --help: each begins with this verb. */
static const struct { const sp_verb *first; const char *heading; } groups[] = {
    { &sp_verb_run, "Run an experiment" },    { &sp_verb_check, "Read its results" },
    { &sp_verb_list, "Write an experiment" }, { &sp_verb_audit, "Check privacy" },
    { &sp_verb_verify, "Keep and share results" },
};

/* Names that verbs once had. `refused`: what the new form prints will change, so that the old name must not stand for it. */
static const struct { const char *old, *now; bool refused; } aliases[] = {
    { "rerun", "run --rerun", false },
    { "summary", "table", false },
    { "score", "compare --score", true },
    { "versus", "compare --versus", true },
    { "describe", "list", false },
    { "help", "list", false },
    { "cite", "list --cite", false },
    { "test", "audit", false },
    { "epsilon", "account epsilon", false },
    { "delta", "account delta", false },
    { "calibrate", "account calibrate", false },
    { "privacy", "account runs", false },
    { "seal", "verify --seal", false },
};

void sp_help(FILE *out)
{
    size_t group = 0;
    fprintf(out, "Usage: stillpoint VERB [ARGUMENTS...]\n"
                 "A benchmark harness for differentially private non-convex optimisation.\n");
    for (size_t i = 0; i < sp_verb_count; i++) {
        if (group < sizeof groups / sizeof *groups && sp_verbs[i] == groups[group].first)
            fprintf(out, "\n%s\n", groups[group++].heading);
        fprintf(out, "  %-18s %s\n", sp_verbs[i]->name, sp_verbs[i]->summary);
    }
    fprintf(out, "\n`stillpoint VERB --help` explains a verb and its options; `stillpoint list WORD` explains a method, a loss, "
                 "a key\nof an experiment; `stillpoint --version` prints what the program was built from.\n");
}

/* Position in argv of the word that selects a form; 0: it is not there. */
static int find_form(const char *form, int argc, char **argv)
{
    if (*form != '-')
        return argc > 2 && strcmp(argv[2], form) == 0 ? 2 : 0;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], form) == 0)
            return i;
    return 0;
}

/* A verb that has nothing but forms, and a second word that is none of them. Returns the exit code. */
static int say_forms(const char *verb, const char *word)
{
    const bool asked = word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
    FILE *out = asked ? stdout : stderr;
    if (!asked && word)
        fprintf(out, "stillpoint %s: %s is none of its forms\n", verb, word);
    fprintf(out, "Usage: stillpoint %s FORM [ARGUMENTS...]\n\n", verb);
    for (size_t i = 0; i < sp_verb_count; i++)
        if (strncmp(sp_verbs[i]->name, verb, strlen(verb)) == 0 && sp_verbs[i]->name[strlen(verb)] == ' ')
            fprintf(out, "  %-18s %s\n", sp_verbs[i]->name, sp_verbs[i]->summary);
    return asked ? SP_EXIT_OK : SP_EXIT_USAGE;
}

static int say_unknown(const char *word)
{
    char first[64][16];
    const char *names[64];
    for (size_t i = 0; i < sp_verb_count; i++) {
        snprintf(first[i], sizeof first[i], "%.*s", (int)strcspn(sp_verbs[i]->name, " "), sp_verbs[i]->name);
        names[i] = first[i];
    }
    const char *near = sp_nearest(word, names, sp_verb_count);
    fprintf(stderr, "stillpoint: unknown verb %s%s%s%s\n", word, near ? "; did you mean " : "", near ? near : "",
            near ? "?" : " (stillpoint --help lists them)");
    return SP_EXIT_USAGE;
}

/* The verb that an old name stands for; NULL: the word is no old name, or is refused (*code is the exit code). */
static const sp_verb *find_old(int argc, char **argv, int *code)
{
    const char *now = NULL;
    for (int i = 2; i < argc && !now && strcmp(argv[1], "export") == 0; i++)
        now = strncmp(argv[i], "--format", strlen("--format")) == 0 || strncmp(argv[i], "-f", 2) == 0 ? "table" : NULL;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases && !now; i++) {
        if (strcmp(argv[1], aliases[i].old) != 0)
            continue;
        now = aliases[i].now;
        *code = aliases[i].refused ? SP_EXIT_USAGE : SP_EXIT_OK;
    }
    if (!now)
        return NULL;
    fprintf(stderr, "stillpoint: `%s%s' is now `stillpoint %s'\n", argv[1],
            strcmp(argv[1], "export") == 0 ? " --format" : "", now);
    for (int i = 2; i < argc && strcmp(argv[1], "summary") == 0; i++)
        if (strcmp(argv[i], "--latex") == 0)
            argv[i] = (char *)"--format=latex";
    for (size_t i = 0; i < sp_verb_count && *code == SP_EXIT_OK; i++)
        if (strcmp(sp_verbs[i]->name, now) == 0)
            return sp_verbs[i];
    return NULL;
}

/* Is it the first word of the verb's name? */
static bool is_first_word(const sp_verb *verb, const char *word)
{
    const size_t length = strcspn(verb->name, " ");
    return strlen(word) == length && strncmp(word, verb->name, length) == 0;
}

/* "help VERB" becomes "VERB --help". */
static void turn_help(int argc, char **argv)
{
    static char help[] = "--help";
    for (size_t i = 0; i < sp_verb_count && argc > 2 && strcmp(argv[1], "help") == 0; i++)
        if (is_first_word(sp_verbs[i], argv[2])) {
            fprintf(stderr, "stillpoint: `help %s' is now `stillpoint %s --help'\n", argv[2], argv[2]);
            argv[1] = argv[2];
            argv[2] = help;
        }
}

const sp_verb *sp_verb_find(int *argc, char **argv, int *code)
{
    bool has_forms = false;
    int at = 0;
    *code = SP_EXIT_OK;
    turn_help(*argc, argv);
    const sp_verb *found = find_old(*argc, argv, code);
    for (size_t i = 0; i < sp_verb_count && !found && *code == SP_EXIT_OK; i++) {
        const char *form = strchr(sp_verbs[i]->name, ' ');
        if (form && is_first_word(sp_verbs[i], argv[1])) {
            has_forms = true;
            at = find_form(form + 1, *argc, argv);
            found = at > 0 ? sp_verbs[i] : NULL;
        }
    }
    for (size_t i = 0; i < sp_verb_count && !found && *code == SP_EXIT_OK; i++)
        found = strcmp(argv[1], sp_verbs[i]->name) == 0 ? sp_verbs[i] : NULL;
    if (!found && *code == SP_EXIT_OK)
        *code = has_forms ? say_forms(argv[1], argv[2]) : say_unknown(argv[1]);
    if (!found)
        return NULL;
    for (int i = at; at > 0 && i < *argc; i++) /* argv[*argc] is NULL */
        argv[i] = argv[i + 1];
    *argc -= at > 0;
    argv[1] = (char *)found->name;
    return found;
}
