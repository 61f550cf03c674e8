/* The papers: every method, loss, regulariser and data set names one that docs/references.bib has, or says that it is
 * ours; every entry there is named by something, and by its own name alone. */
#include "algorithms/algorithm.h"
#include "core/cli/manual/references.h"
#include "core/data/read/catalogue.h"
#include "core/problem/problems.h"
#include "core/plan/registry.h"
#include "losses/loss.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 };

static sp_references references;
static bool cited[MOST];

static void check_source(const char *kind, const char *name, const char *source)
{
    bool here[MOST] = { false };
    size_t found = 0;
    const size_t unknown = sp_references_cited(&references, source, here);
    for (size_t i = 0; i < references.entries; i++) {
        found += here[i];
        cited[i] = cited[i] || here[i];
    }
    const bool ours = strncmp(source, "ours", 4) == 0 || strcmp(source, "none") == 0;
    SP_CHECK_REPORT(unknown == 0, "%s %s: %zu of \"%s\" not in docs/references.bib", kind, name, unknown, source);
    SP_CHECK_REPORT(found > 0 || ours, "%s %s: \"%s\" names no paper and does not begin with \"ours\"", kind, name,
                    source);
}

static void test_registry(void)
{
    char path[1024];
    sp_error error = { 0 };
    snprintf(path, sizeof path, "%s/docs/references.bib", getenv("SOURCE"));
    SP_CHECK_REPORT(sp_references_read(path, &references, &error) == SP_OK, "%s", error.text);
    CHECK(references.entries > 50 && references.entries <= MOST);
    for (size_t i = 0; i < sp_algorithm_count; i++)
        check_source("algorithm", sp_algorithms[i]->name, sp_algorithms[i]->source);
    for (size_t i = 0; i < sp_loss_count; i++)
        check_source("loss", sp_losses[i]->name, sp_losses[i]->source);
    for (size_t i = 0; i < sp_regulariser_count; i++)
        check_source("regulariser", sp_regularisers[i]->name, sp_regularisers[i]->source);
    for (size_t i = 0; i < sp_catalogue_count; i++)
        check_source("data set", sp_catalogue[i].name, sp_catalogue[i].citation);
    for (size_t i = 0; i < sp_named_problem_count; i++)
        check_source("problem", sp_named_problems[i].name, sp_named_problems[i].source);
    for (size_t i = 0; i < references.entries; i++) {
        SP_CHECK_REPORT(cited[i], "nothing names %s", references.entry[i].key);
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(references.entry[i].key, references.entry[k].key) != 0);
            CHECK(strcmp(references.entry[i].names, references.entry[k].names) != 0);
        }
    }
}

static const char *write_bib(const char *text)
{
    static const char path[] = "references_test.bib";
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static void test_names(void)
{
    sp_references r;
    sp_error error = { 0 };
    bool here[3] = { false };
    CHECK(
        sp_references_read(write_bib(
                               "% a comment\n\n@misc{one,\n  author = {{\\O}re, {\\'A}s and de la Cru{\\'\\i}z, B.},\n"
                               "  year = {1999}\n}\n@book{two,\n  year   = {2001},\n  author = {Solo, Han}\n}\n"
                               "@book{three,\n  author = {A, B and C, D and E, F},\n  year = {2001},\n}\n"),
                           &r, &error) == SP_OK);
    CHECK_EQUAL(r.entries, 3);
    CHECK_TEXT(r.entry[0].key, "one");
    CHECK_TEXT(r.entry[0].names, "Ore & de la Cruiz 1999");
    CHECK_TEXT(r.entry[0].first, "Ore et al. 1999");
    CHECK_TEXT(r.entry[1].names, "Solo 2001");
    CHECK_TEXT(r.entry[1].first, "Solo 2001");
    CHECK_TEXT(r.entry[2].names, "A, C & E 2001");
    CHECK_EQUAL(sp_references_cited(&r, "after Solo 2001, Alg. 2", here), 0);
    CHECK(!here[0] && here[1] && !here[2]);
    CHECK_EQUAL(sp_references_cited(&r, "Ore et al. 1999; (A, C & E 2001)", here), 0);
    CHECK(here[0] && here[2]);
    here[1] = false; /* the end of a longer list of names, another year, no year */
    CHECK_EQUAL(sp_references_cited(&r, "Leia & Solo 2001; Leia, Solo 2001; Solo 2002; doi 10.2001; Solo 20010", here),
                3);
    CHECK(!here[1]);
    sp_references_free(&r);
}

static void refuses(const char *text, const char *message)
{
    sp_references r;
    sp_error error = { 0 };
    CHECK(sp_references_read(write_bib(text), &r, &error) == SP_EDATA);
    CHECK_CONTAINS(error.text, message);
    sp_references_free(&r);
}

static void test_refusals(void)
{
    sp_references r;
    sp_error error = { 0 };
    CHECK(sp_references_read("no/such.bib", &r, &error) == SP_EABSENT);
    CHECK_CONTAINS(error.text, "no/such.bib");
    refuses("% fine\nmore\n", "references_test.bib:2: neither");
    refuses("@misc{open,\n  year = {1999},\n", ":1: not @kind{key");
    refuses("@misc no\n}\n", ":1: not @kind{key");
    refuses("@misc{a,\n  author = {X, Y},\n  year = {1999}\n}\n@misc{b,\n  author = {X, Y}\n}\n", ":5: an entry needs");
    refuses("@misc{a,\n  author = {X, Y},\n  year = {99}\n}\n", ":1: an entry needs");
    remove("references_test.bib");
}

int main(void)
{
    test_registry();
    test_names();
    test_refusals();
    sp_references_free(&references);
    return sp_check_done();
}
