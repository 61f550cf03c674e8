/* list_cite.c -- `list --cite`: BibTeX of what an experiment uses. */
#include "core/cli/verbs/verbs.h"
#include "core/session/home.h"
#include "core/cli/manual/references.h"
#include "core/session/session.h"

#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua",
    .about = "BibTeX of the papers behind the methods, losses and data of an experiment, and of Stillpoint.",
    .notes = "Comments say what names which paper, and what has none. The entries are those of references.bib, beside the "
             "program's other files (stillpoint --version says where).",
    .common = true, .fewest = 1, .most = 1, .missing = "which experiment?", .excess = "one experiment at a time",
};

/* One thing that has a source. */
typedef struct use {
    const char *kind, *name, *source;
} use;

typedef struct uses {
    use *list;
    size_t count, room;
    bool failed;
} uses;

static void add(uses *u, const char *kind, const char *name, const char *source)
{
    for (size_t i = 0; i < u->count; i++)
        if (strcmp(u->list[i].kind, kind) == 0 && strcmp(u->list[i].name, name) == 0 &&
            strcmp(u->list[i].source, source) == 0)
            return;
    if (u->count == u->room) {
        const size_t room = u->room ? 2 * u->room : 32;
        use *grown = realloc(u->list, room * sizeof *grown);
        u->failed = u->failed || !grown;
        if (!grown)
            return;
        u->list = grown;
        u->room = room;
    }
    u->list[u->count++] = (use){ kind, name, source };
}

static void add_method(uses *u, const sp_method *method)
{
    add(u, "method", method->algorithm->name, method->algorithm->source);
    for (size_t i = 0; i < method->values.count; i++)
        if (sp_submethod(&method->values, i))
            add_method(u, sp_submethod(&method->values, i));
}

static void gather(const sp_plan *plan, uses *u)
{
    if (plan->source && *plan->source)
        add(u, "experiment", plan->name, plan->source);
    for (size_t i = 0; i < plan->claims; i++)
        if (plan->claim[i].source && *plan->claim[i].source)
            add(u, "claim", plan->claim[i].algorithm, plan->claim[i].source);
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_method *method = plan->cell[i].method;
        add_method(u, method);
    }
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_problem_spec *spec = plan->cell[i].problem;
        add(u, "loss", spec->loss->name, spec->loss->source);
    }
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_problem_spec *spec = plan->cell[i].problem;
        if (spec->regulariser)
            add(u, "regulariser", spec->regulariser->name, spec->regulariser->source);
        if (spec->data == SP_DATA_CATALOGUE)
            add(u, "data", spec->entry->name, spec->entry->citation);
    }
}

static void print_uses(const uses *u, const sp_references *references, bool *cited)
{
    for (size_t i = 0; i < u->count; i++) {
        const size_t unknown = sp_references_cited(references, u->list[i].source, cited);
        printf("%% %s %s: %s", u->list[i].kind, u->list[i].name, u->list[i].source);
        if (unknown > 0)
            printf(" (%zu without an entry: yours to add)", unknown);
        putchar('\n');
    }
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session session = { 0 };
    sp_references references = { 0 };
    sp_common common = SP_COMMON_DEFAULTS;
    uses u = { 0 };
    bool *cited = NULL;
    char *path = NULL, **word;
    size_t words;
    int code;
    if (!sp_parse(&usage, argc, argv, &common, &word, &words, &code))
        return code;
    SP_TRY(sp_home_path("references.bib", &path, &error));
    SP_TRY(sp_references_read(path, &references, &error));
    SP_TRY(sp_session_open(word[0], &common, NULL, false, &session, &error));
    gather(&session.plan, &u);
    cited = sp_alloc(references.entries + 1, sizeof *cited);
    if (u.failed || !cited)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "%s: out of memory", word[0]));
    print_uses(&u, &references, cited);
    printf("\n@software{stillpoint,\n  author    = {{The Stillpoint developers}},\n  title     = {Stillpoint: a benchmark "
           "harness for differentially private non-convex optimisation},\n  version   = {%s}\n}\n", STILLPOINT_VERSION);
    for (size_t i = 0; i < references.entries; i++)
        if (cited[i])
            printf("\n%s\n", references.entry[i].text);
cleanup:
    free(cited);
    free(u.list);
    sp_session_close(&session);
    sp_references_free(&references);
    free(path);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, SP_EXIT_USAGE);
}

const sp_verb sp_verb_list_cite = { "list --cite", "BibTeX of what an experiment uses", &usage, run };
