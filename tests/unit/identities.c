/* identities.c -- the cells of every committed experiment at every scale, and all that names their runs, are those that
 * tests/identities.tsv has: one line an experiment and scale, with the SHA-256 of the script, how many cells there are,
 * and the SHA-256 of what they say. A script that has changed since has other cells: it is told, not compared.
 *
 * After such a change, with SOURCE = the checkout: build/release/tests/test_unit_identities print | sed '$d'
 * >tests/identities.tsv */
#include "core/base/hash.h"
#include "core/store/store.h"
#include "tests/check.h"
#include "tests/experiment.h"

#include <glob.h>

enum { LINE = 512 };

static void add(sp_hash *hash, const char *text)
{
    sp_hash_text(hash, text ? text : "-");
}

static void add_problem(sp_hash *hash, const sp_cell *cell)
{
    static const sp_axes_of of[] = { SP_AXES_PROBLEM, SP_AXES_RECORDS, SP_AXES_TRUTH };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char *text = sp_cell_problem_text(cell, of[i]);
        add(hash, text);
        free(text);
    }
}

static void add_cell(sp_hash *hash, const sp_cell *cell)
{
    const size_t replicate[] = { cell->first, cell->first + cell->replicates - 1 };
    const uint64_t flags[] = { cell->index, cell->tuned, cell->pending };
    add(hash, cell->sweep);
    add(hash, cell->label);
    add(hash, cell->skip);
    add(hash, cell->problem->family);
    add_problem(hash, cell);
    for (size_t i = 0; i < cell->measures; i++)
        add(hash, cell->measure[i]->name);
    for (sp_axis_at axis = { 0 }; sp_cell_next_axis(cell, &axis);) {
        add(hash, axis.key);
        add(hash, axis.value);
    }
    sp_hash_add(hash, flags, sizeof flags);
    sp_hash_add(hash, &cell->checkpoints, sizeof cell->checkpoints);
    for (size_t i = 0; i < 2; i++) {
        char identity[SP_HASH_HEX];
        sp_run_identity(cell, replicate[i], identity);
        add(hash, identity);
    }
}

static void write_line(const char *path, const char *scale, char line[LINE])
{
    char digest[SP_HASH_HEX];
    sp_error error = { 0 };
    sp_plan plan;
    sp_hash hash;
    *line = '\0';
    SP_CHECK_REPORT(sp_plan_load(path, scale, &plan, &error) == SP_OK, "%s", error.text);
    if (!plan.arena)
        return;
    const struct { const sp_cell *cell; size_t cells; } list[] = { { plan.cell, plan.cells },
                                                                   { plan.base, plan.bases },
                                                                   { plan.trial, plan.trials } };
    sp_hash_start(&hash);
    for (size_t l = 0; l < sizeof list / sizeof *list; l++)
        for (size_t i = 0; i < list[l].cells; i++)
            add_cell(&hash, &list[l].cell[i]);
    sp_hash_end_hex(&hash, digest);
    snprintf(line, LINE, "%s\t%s\t%s\t%zu\t%s", plan.name, scale, plan.script,
             plan.cells + plan.bases + plan.trials, digest);
    sp_plan_free(&plan);
}

/* The line of the list that begins with the same experiment and scale; "" when there is none. */
static void find_line(const char *list, const char *own, char line[LINE])
{
    const char *scale = strchr(own, '\t') + 1;
    const int length = (int)(strchr(scale, '\t') - own) + 1;
    FILE *file = fopen(list, "r");
    CHECK(file != NULL);
    while (file && fgets(line, LINE, file) && strncmp(line, own, (size_t)length) != 0)
        ;
    if (!file || strncmp(line, own, (size_t)length) != 0)
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* Up to the end of the script's hash */
static bool same_script(const char *a, const char *b)
{
    size_t i = 0, tabs = 0;
    for (; a[i] == b[i] && a[i] && tabs < 3; i++)
        tabs += a[i] == '\t';
    return tabs == 3;
}

int main(int count, char **words)
{
    static const char *const scale[] = { "smoke", "default", "full" };
    const bool print = count > 1 && strcmp(words[1], "print") == 0;
    char list[4096], pattern[4096], folder[64], line[LINE], other[LINE];
    size_t compared = 0;
    glob_t found;
    snprintf(list, sizeof list, "%s/tests/identities.tsv", getenv("SOURCE"));
    snprintf(pattern, sizeof pattern, "%s/experiments/*.lua", getenv("SOURCE"));
    CHECK_EQUAL(enter_folder(folder), 0);
    CHECK_EQUAL(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (size_t s = 0; s < 3; s++) {
            write_line(found.gl_pathv[i], scale[s], line);
            if (print)
                puts(line);
            if (print || !*line)
                continue;
            find_line(list, line, other);
            if (!same_script(line, other))
                printf("not compared, another script: %s\n", line);
            else
                SP_CHECK_REPORT(strcmp(line, other) == 0, "other cells:\n  %s\n  %s", line, other);
            compared += strcmp(line, other) == 0;
        }
    CHECK(print || compared > 0);
    globfree(&found);
    leave_folder(folder);
    return sp_check_done();
}
