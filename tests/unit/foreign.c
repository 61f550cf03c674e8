/* foreign.c -- a method that is no C of the program: what runs it gets its own context, says what it does not fit, and
 * what it is made of decides whether a run is current. */
#include "core/plan/sources.h"
#include "core/run/execute.h"
#include "tests/cells.h"
#include "tests/check.h"

typedef struct far_away {
    double where;     /* the first entry of the answer */
    size_t most;      /* records that it takes */
} far_away;

static sp_status run(const sp_foreign *foreign, sp_oracle *o, const sp_values *v, double *w)
{
    const far_away *f = foreign->context;
    w[0] = f->where + (double)sp_count(v, WALK_STEPS);
    return sp_checkpoint(o, 1, w);
}

static const char *fits(const sp_foreign *foreign, const sp_constants *c)
{
    const far_away *f = foreign->context;
    return c->n > f->most ? "too many records" : NULL;
}

static far_away here = { 0.385, 100 }, there = { 2.385, 100 };
static const sp_foreign foreign[] = { { run, fits, &here, "one" }, { run, fits, &there, "one" },
                                      { run, NULL, &there, "two" } };
#define METHOD(k) { .name = "far", .summary = "-", .source = "-", .params = cells_walk_params, .foreign = &foreign[k] }
static const sp_algorithm algorithm[] = { METHOD(0), METHOD(1), METHOD(2) };

static void hash(const sp_algorithm *a, char out[SP_HASH_HEX])
{
    const sp_method method = { .algorithm = a };
    sp_hash h;
    sp_hash_start(&h);
    sp_hash_method(&h, &method);
    sp_hash_end_hex(&h, out);
}

static void contexts(void)
{
    for (size_t k = 0; k < 2; k++) {
        sp_cell cell;
        sp_result r;
        cells_make(&cell, &algorithm[k], "far");
        sp_execute(NULL, &cell, 0, NULL, NULL, &r);
        CHECK_TEXT(r.message, "");
        CHECK(r.value[0] == ((far_away *)foreign[k].context)->where + 7.0);
        sp_result_free(&r);
        cells_free(&cell);
    }
}

static void misfits(void)
{
    const sp_constants few = { .n = 100 }, many = { .n = 101 };
    CHECK(sp_misfit(&algorithm[0], &few) == NULL);
    CHECK_TEXT(sp_misfit(&algorithm[0], &many), "too many records");
    CHECK(sp_misfit(&algorithm[2], &many) == NULL);
}

static void contents(void)
{
    char a[SP_HASH_HEX], b[SP_HASH_HEX], c[SP_HASH_HEX];
    hash(&algorithm[0], a);
    hash(&algorithm[1], b);
    hash(&algorithm[2], c);
    CHECK_TEXT(a, b);
    CHECK(strcmp(a, c) != 0);
}

int main(void)
{
    contexts();
    misfits();
    contents();
    return sp_check_done();
}
