/* lua_method.c -- methods written in Lua: the iterates of dp_gd to the bit from the same streams, every call against
 * the one of oracle.h that it stands for, what a broken text costs, and what decides whether a run is current. */
#include "core/base/arena.h"
#include "core/methods/lua_methods.h"
#include "tests/descent.h"
#include "tests/experiment.h"

#include <gsl/gsl_cblas.h>

#define DESCENT                                                                \
    "algorithm{ name = 'descent', params = { eta = 0.1, steps = 20 },\n"       \
    "  run = function (o, p, w)\n"                                             \
    "    local m = o:calibrate{ { kind = 'gradient', count = p.steps } }\n"    \
    "    local all = o:draw('full')\n"                                         \
    "    for t = 1, p.steps do\n"                                              \
    "      w:add(-p.eta, o:gradient(all, w, m[1]))\n"                          \
    "      o:project(w)\n"                                                     \
    "      o:checkpoint(t, w)\n"                                               \
    "    end\n"                                                                \
    "  end }\n"

/* A text that defines methods, opened. */
typedef struct script {
    sp_arena arena;
    sp_lua *lua;
    const sp_algorithm *algorithm;
    size_t count;
    sp_error error;
} script;

static sp_status open_script(const char *text, script *s)
{
    const sp_node *root;
    char hash[SP_HASH_HEX], whole[4096];
    *s = (script){ .error.text = "" };
    snprintf(whole, sizeof whole, "%s\nreturn {}\n", text);
    write_text("m.lua", whole);
    sp_status status = sp_lua_open("m.lua", &sp_lua_method_library, &s->arena, &s->lua, &root, hash, &s->error);
    if (status == SP_OK)
        status = sp_lua_methods(s->lua, &s->arena, &s->algorithm, &s->count, &s->error);
    return status;
}

static void close_script(script *s)
{
    sp_lua_close(s->lua);
    sp_arena_free(&s->arena);
}

static bool must_open(const char *text, script *s)
{
    const sp_status status = open_script(text, s);
    SP_CHECK_REPORT(status == SP_OK && s->count > 0, "%s", s->error.text);
    return status == SP_OK && s->count > 0;
}

/* --- the same iterates --------------------------------------------------------------------------------------- */

static void same_iterates(void)
{
    static const sp_privacy requests[] = { { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = true },
                                           { .private = true, .epsilon = 1.0, .delta = 1e-6, .noise = false },
                                           { .epsilon = INFINITY, .delta = 1.0 } };
    static const double radii[] = { INFINITY, 0.02385 };
    script s;
    if (!must_open(DESCENT, &s))
        return;
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
            descent_is_dp_gd(s.algorithm, "in Lua", requests[k], radii[r]);
    close_script(&s);
}

/* --- each call ----------------------------------------------------------------------------------------------- */

/* Adds everything that the oracle answers into w: the same calls in C. */
static const char every_call[] =
    "algorithm{ name = 'every', run = function (o, p, w)\n"
    "  local c, b = o:public(), o:budget()\n"
    "  assert(c.n == 40 and c.d == 3 and c.smooth and b.epsilon == 3 and b.noise)\n"
    "  local m = o:calibrate{ { kind = 'gradient', sample = 'fresh', m = 10, count = 2, share = 0.5 },\n"
    "    { kind = 'hessian', count = 1, share = 0.25 }, { kind = 'accumulated', sample = 'full', count = 3,\n"
    "      share = 0.15 }, { kind = 'mean_loss', share = 0.1 }, { kind = 'selection', chooser = 'noisy_min', epsilon = "
    "0.1, count = 1 } }\n"
    "  local v = o:start():add(0.385, o:vector():fill(1))\n"
    "  local ten = o:draw('fresh', 10)\n"
    "  assert(ten:size() == 10)\n"
    "  w:add(1, o:gradient(ten, w, m[1], { bound = 0.75 }))\n"
    "  w:add(1, o:difference(o:draw('fresh', 10), w, v, m[1]))\n"
    "  local all = o:draw()\n"
    "  local h = o:hessian(all, v, m[2])\n"
    "  for i = 1, 3 do for j = 1, 3 do w:put(i, w:get(i) + h:get(3 * (i - 1) + j)) end end\n"
    "  local a = o:accumulator{ noise = 'plain' }\n"
    "  a:add(1, all, { { 1, w }, { -0.5, v } })\n"
    "  a:add(0.9, all, v)\n"
    "  w:add(1, a:release(2 * m[3]))\n"
    "  a:restart() a:add(1, all, w)\n"
    "  w:add(1, a:release(2 * m[3]))\n"
    "  local index, point = o:choose{ batch = all, points = { w, v, w:copy():scale(0.5) }, reference = v,\n"
    "    chooser = 'noisy_min', epsilon = 0.1 }\n"
    "  w:assign(point):add(index, v)\n"
    "  w:add(o:uniform(), v):add(o:normal(), v)\n"
    "  assert(o:draw('fresh', 21) == nil)\n"
    "  w:add(o:mean_loss(all, { { 1, w }, { -1, v } }, m[4]), v)\n"
    "  o:checkpoint(5, w)\n"
    "  o:candidate(w)\n"
    "  o:warn('told')\n"
    "end }\n";

static sp_status in_c(sp_oracle *o, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    enum { THREE = 3 };
    const sp_release_plan plan[] = {
        { .kind = SP_GRADIENT, .sample = sp_fresh(10), .count = 2, .share = 0.5 },
        { .kind = SP_HESSIAN, .sample = sp_full(), .count = 1, .share = 0.25 },
        { .kind = SP_ACCUMULATED, .sample = sp_full(), .count = 3, .share = 0.15 },
        { .kind = SP_MEAN_LOSS, .sample = sp_full(), .count = 1, .share = 0.1 },
        { .kind = SP_SELECTION, .sample = sp_full(), .chooser = SP_CHOOSE_NOISY_MIN, .epsilon = 0.1, .count = 1 },
    };
    double m[5], loss, v[THREE], g[THREE], h[THREE * THREE], points[3 * THREE];
    sp_batch batch, all;
    sp_accumulator *a = NULL;
    size_t index = 0;
    (void)values;
    SP_TRY(sp_calibrate(o, plan, 5, m));
    for (size_t j = 0; j < THREE; j++)
        v[j] = sp_start(o)[j] + 0.385;
    SP_TRY(sp_draw(o, sp_fresh(10), &batch));
    sp_query q = SP_AT(batch, w);
    q.bound = 0.75;
    SP_TRY(sp_gradient(o, &q, m[0], g));
    cblas_daxpy(THREE, 1.0, g, 1, w, 1);
    SP_TRY(sp_draw(o, sp_fresh(10), &batch));
    SP_TRY(sp_gradient(o, &SP_BETWEEN(batch, w, v), m[0], g));
    cblas_daxpy(THREE, 1.0, g, 1, w, 1);
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_hessian(o, all, v, m[1], h));
    for (size_t i = 0; i < THREE; i++)
        for (size_t j = 0; j < THREE; j++)
            w[i] += h[THREE * i + j];
    SP_TRY(sp_accumulator_open(o, SP_NOISE_PLAIN, &(sp_accumulator_plan){ .keep = 1.0 }, &a));
    q = SP_BETWEEN(all, w, v);
    q.term[1].coefficient = -0.5;
    SP_TRY(sp_accumulator_add(a, 1.0, &q));
    SP_TRY(sp_accumulator_add(a, 0.9, &SP_AT(all, v)));
    SP_TRY(sp_accumulator_release(a, 2.0 * m[2], g));
    cblas_daxpy(THREE, 1.0, g, 1, w, 1);
    SP_TRY(sp_accumulator_restart(a));
    SP_TRY(sp_accumulator_add(a, 1.0, &SP_AT(all, w)));
    SP_TRY(sp_accumulator_release(a, 2.0 * m[2], g));
    cblas_daxpy(THREE, 1.0, g, 1, w, 1);
    for (size_t j = 0; j < THREE; j++) {
        points[j] = w[j];
        points[THREE + j] = v[j];
        points[2 * THREE + j] = 0.5 * w[j];
    }
    const sp_space space = { .kind = SP_SPACE_LIST, .count = 3, .points = points };
    const sp_score score = { .kind = SP_SCORE_LOSS, .reference = v };
    SP_TRY(sp_choose(o, all, &space, &score, SP_CHOOSE_NOISY_MIN, 0.1, w, &index));
    cblas_daxpy(THREE, (double)index + 1.0, v, 1, w, 1);
    cblas_daxpy(THREE, gsl_rng_uniform(sp_coins(o)), v, 1, w, 1);
    cblas_daxpy(THREE, gsl_ran_gaussian(sp_coins(o), 1.0), v, 1, w, 1);
    SP_TRY(sp_mean_loss(o, &SP_BETWEEN(all, w, v), m[3], &loss));
    cblas_daxpy(THREE, loss, v, 1, w, 1);
    SP_TRY(sp_checkpoint(o, 5, w));
    SP_TRY(sp_candidate(o, w));
cleanup:
    return status;
}

static void count_candidate(trial_run *run, const double *w)
{
    (void)w;
    ++*(size_t *)run->context;
}

static void same_calls(void)
{
    const sp_algorithm c = { .name = "every", .run = in_c };
    script s;
    trial_problem t;
    size_t candidates = 0, others = 0;
    trial_run a = { .seed = 1, .candidate = count_candidate, .context = &candidates };
    trial_run b = { .seed = 1, .candidate = count_candidate, .context = &others };
    if (!must_open(every_call, &s) || !trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    const sp_values none = trial_values(&c, "");
    trial_go(s.algorithm, &none, &t, trial_private(3.0, 1e-6), &a);
    trial_go(&c, &none, &t, trial_private(3.0, 1e-6), &b);
    SP_CHECK_REPORT(a.status == SP_OK, "%s", a.message);
    SP_CHECK_REPORT(b.status == SP_OK, "%s", b.message);
    CHECK(memcmp(a.w, b.w, 3 * sizeof *a.w) == 0 && isfinite(a.w[0]) && a.w[0] != 0.0);
    CHECK_EQUAL(a.last_step, 5);
    CHECK_EQUAL(candidates, 1);
    CHECK_TEXT(a.warning, "told");
    CHECK(a.spent.best == b.spent.best && a.spent.best > 0.0 && a.spent.best <= 3.0 * (1.0 + 1e-9));
    CHECK(memcmp(&a.cost, &b.cost, sizeof a.cost) == 0);
    trial_end(&a);
    trial_end(&b);
    trial_drop(&t);
    close_script(&s);
}

/* A child's budget and a bounded start of its own. */
static void nests(void)
{
    static const char text[] =
        "algorithm{ name = 'halves', run = function (o, p, w)\n"
        "  for i = 1, 2 do\n"
        "    local c = o:child{ share = 0.5, start = w }\n"
        "    assert(c:budget().epsilon == 0.5 * o:budget().epsilon)\n"
        "    local m = c:calibrate{ { kind = 'gradient', count = 1 } }\n"
        "    w:add(-0.1, c:gradient(c:draw(), c:start(), m[1]))\n"
        "  end\n"
        "end }\n";
    script s;
    trial_problem t;
    trial_run run = { .seed = 1 };
    if (!must_open(text, &s) || !trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    const sp_values none = trial_values(s.algorithm, "");
    trial_go(s.algorithm, &none, &t, trial_private(1.0, 1e-6), &run);
    CHECK_TEXT(run.message, "");
    CHECK_EQUAL(run.settled, SP_OK);
    CHECK(run.spent.best > 0.5 && run.spent.best <= 1.0 + 1e-9);
    CHECK(run.cost.releases == 2);
    trial_end(&run);
    trial_drop(&t);
    close_script(&s);
}

/* --- broken texts -------------------------------------------------------------------------------------------- */

typedef struct broken {
    const char *text; /* of run, its line 2 */
    sp_status status;
    const char *said;
} broken;

static const broken runs[] = {
    { "w:add(1, nothing)", SP_EINVAL, "m.lua:2: undefined name 'nothing'" },
    { "w:add(1, { 1 })", SP_EINVAL, "m.lua:2: bad argument #2 to 'add' (vector expected, got table)" },
    { "w:ad(1, w)", SP_EINVAL, "m.lua:2: vector has no method 'ad'; did you mean add?" },
    { "w:add(1, o:vector(4))", SP_EINVAL,
      "m.lua:2: bad argument #2 to 'add' (a vector of 3 entries expected, got one of 4)" },
    { "w:get(4)", SP_EINVAL, "entries are 1 to 3" },
    { "return w[1]", SP_EINVAL, "m.lua:2: an entry of a vector is v:get(i)" },
    { "w[1] = 2", SP_EINVAL, "m.lua:2: an entry of a vector is set by v:put(i, x)" },
    { "o:gradient(o:draw(), w, -1)", SP_EPRIVACY, "noise_multiplier = -1" },
    { "o:gradient(w, w, 1)", SP_EINVAL, "(batch expected, got vector)" },
    { "o:gradient(o:draw(), w, 0)", SP_EPRIVACY, "m.lua:2: " },
    { "o:gradient(o:draw(), w, 1e-9)", SP_EBUDGET, "m.lua:2: " },
    { "o:gradient(o:draw(), w, 1, { bond = 1 })", SP_EINVAL, "unknown key 'bond'; did you mean bound?" },
    { "o:draw('ful')", SP_EINVAL, "draw = \"ful\"; did you mean full?" },
    { "o:draw('subset', 41)", SP_EINVAL, "m.lua:2: " },
    { "o:draw('subset', 2.5)", SP_EINVAL, "m = 2.5: a whole number of at least 0 expected" },
    { "o:calibrate{ { kind = 'gradent', count = 1 } }", SP_EINVAL, "kind = \"gradent\"; did you mean gradient?" },
    { "o:calibrate{}", SP_EINVAL, "a list of { kind = ..., count = ... } expected" },
    { "return p.step", SP_EINVAL, "m.lua:2: algorithm broken has no parameter 'step'" },
    { "return o:public().betta", SP_EINVAL, "there is no constant 'betta' (there are: radius L_data" },
    { "return 7", SP_EINVAL, "run must return nothing (the answer is w) or a vector of 3 entries" },
    { "o:misfit('not today')", SP_EMISFIT, "not today" },
    { "o:resolved('et', 1)", SP_EINVAL, "resolved: 'et' is no parameter of this method" },
    { "error('my own words')", SP_EINVAL, "m.lua:2: my own words" },
    { "while true do end", SP_ELIMIT, "m.lua:2: stopped after 100000000 instructions (an endless loop?)" },
    { "while true do o:checkpoint(1, w) o:draw() end", SP_ELIMIT, "m.lua:2: stopped after 100000000 instructions" },
    { "local x = 'x' while true do x = x .. x end", SP_EINVAL, "more than 256 MiB" },
    { "include 'm.lua'", SP_EINVAL, "include works only while the experiment is read" },
    { "algorithm{ name = 'other', run = print }", SP_EINVAL, "undefined name 'print'" },
    { "return io", SP_EINVAL, "undefined name 'io'" },
    { "return os", SP_EINVAL, "undefined name 'os'" },
    { "return debug", SP_EINVAL, "undefined name 'debug'" },
    { "return require", SP_EINVAL, "undefined name 'require'" },
    { "return pcall", SP_EINVAL, "undefined name 'pcall'" },
    { "return math.random()", SP_EINVAL, "undefined name 'math.random'" },
};

static void broken_runs(void)
{
    trial_problem t;
    if (!trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        script s;
        char text[512];
        trial_run run = { .seed = 1 };
        snprintf(text, sizeof text,
                 "algorithm{ name = 'broken', params = { eta = 1 }, run = function (o, p, w)\n%s end }", runs[i].text);
        if (!must_open(text, &s))
            continue;
        const sp_values none = trial_values(s.algorithm, "");
        trial_go(s.algorithm, &none, &t, trial_private(1.0, 1e-6), &run);
        SP_CHECK_REPORT(run.status == runs[i].status, "%s: %s (%s)", runs[i].text, sp_status_name(run.status),
                        run.message);
        CHECK_CONTAINS(run.message, runs[i].said);
        trial_end(&run);
        close_script(&s);
    }
    trial_drop(&t);
}

static void broken_definitions(void)
{
    static const struct { const char *text, *said; } bad[] = {
        { "algorithm{ name = 'a' }", "m.lua:1: algorithm a: run must be a function (o, p, w)" },
        { "algorithm{ name = 'A', run = pairs }", "name must be of a-z 0-9 _ and begin with a letter" },
        { "algorithm{ run = pairs }", "name must be" },
        { "algorithm{ name = 'a', run = pairs, parms = {} }", "unknown key 'parms'; did you mean params?" },
        { "algorithm{ name = 'a', run = pairs, params = { label = 1 } }", "not label, privacy or tune" },
        { "algorithm{ name = 'a', run = pairs, params = { eta = {} } }",
          "params.eta must be a number, a flag, a text" },
        { "algorithm{ name = 'a', run = pairs, params = { eta = 1 / 0 } }", "params.eta must be finite" },
        { "algorithm{ name = 'a', run = pairs, fits = 7 }", "fits must be a function" },
        { "algorithm{ name = 'a', run = pairs } algorithm{ name = 'a', run = pairs }",
          "there is one of that name already" },
        { "algorithm{ name = 'a', run = pairs, summary = 'a\\nb' }", "summary must be a text of one line" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        script s;
        CHECK_EQUAL(open_script(bad[i].text, &s), SP_EINVAL);
        CHECK_CONTAINS(s.error.text, bad[i].said);
        close_script(&s);
    }
    sp_plan plan;
    sp_error error = { .text = "" };
    CHECK_EQUAL(load_text("algorithm{ name = 'dp_gd', run = function (o, p, w) end } return { seed = 1 }", "default",
                          &plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "algorithm dp_gd: the program has a method of that name");
}

/* --- parameters, fitting ------------------------------------------------------------------------------------- */

static void parameters(void)
{
    static const char text[] =
        "algorithm{ name = 'told', params = { eta = function (c) return 1 / c.beta end, steps = 3, slow = true,\n"
        "                                     mode = 'fast' },\n"
        "  fits = function (c) if c.n > 40 then return 'too many' end end,\n"
        "  run = function (o, p, w)\n"
        "    w:put(1, p.eta):put(2, p.steps + (p.slow and 0.5 or 0.25)):put(3, #p.mode)\n"
        "    o:resolved('eta', p.eta)\n"
        "  end }\n";
    script s;
    trial_problem t;
    trial_run run = { .seed = 1 };
    if (!must_open(text, &s) || !trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    sp_values v = trial_values(s.algorithm, "");
    trial_go(s.algorithm, &v, &t, trial_not_private(), &run);
    CHECK_TEXT(run.message, "");
    CHECK(run.w[0] == 1.0 / t.problem.declared.beta && run.w[1] == 3.5 && run.w[2] == 4.0);
    CHECK(trial_resolved(&run, "eta") == run.w[0]);
    trial_end(&run);
    v = trial_values(s.algorithm, "eta=2.385 steps=7 slow=false");
    CHECK_EQUAL(sp_values_set_text(&v, "told", "mode", "slower", NULL), SP_OK);
    trial_go(s.algorithm, &v, &t, trial_not_private(), &run);
    CHECK(run.w[0] == 2.385 && run.w[1] == 7.25 && run.w[2] == 6.0);
    trial_end(&run);
    CHECK(sp_misfit(s.algorithm, &t.problem.declared) == NULL);
    t.problem.declared.n = 41;
    CHECK_TEXT(sp_misfit(s.algorithm, &t.problem.declared), "too many");
    trial_drop(&t);
    close_script(&s);
}

/* --- what a method is made of -------------------------------------------------------------------------------- */

static void content_of(const char *text, const char *included, char out[SP_HASH_HEX])
{
    script s;
    write_text("part.lua", included);
    if (must_open(text, &s))
        snprintf(out, SP_HASH_HEX, "%s", s.algorithm->foreign->content);
    close_script(&s);
}

#define MADE_OF(before, inside, after)                                                                         \
    before " algorithm{ name = 'm', params = { eta = 1 }, run = function (o, p, w)\n" inside "\nend } " after

static void contents(void)
{
    static const char same[] = MADE_OF("local k, unused = 1.5, 2\nlocal function f(x) return k * x end\n",
                                       "w:scale(f(2)) g(w)", "function g(v) return v end");
    static const struct { const char *text, *included; bool changes; } other[] = {
        { "-- a comment\n\n" MADE_OF("local k, unused = 1.5, 3\nlocal function f(x) return k * x end\n",
                                     "w:scale(f(2)) g(w)", "function g(v) return v end"), "", false },
        { MADE_OF("local k, unused = 1.25, 2\nlocal function f(x) return k * x end\n",
                  "w:scale(f(2)) g(w)", "function g(v) return v end"), "", true },
        { MADE_OF("local k, unused = 1.5, 2\nlocal function f(x) return k + x end\n",
                  "w:scale(f(2)) g(w)", "function g(v) return v end"), "", true },
        { MADE_OF("local k, unused = 1.5, 2\nlocal function f(x) return k * x end\n",
                  "w:scale(f(3)) g(w)", "function g(v) return v end"), "", true },
        { MADE_OF("local k, unused = 1.5, 2\nlocal function f(x) return k * x end\n",
                  "w:scale(f(2)) g(w)", "function g(v) return -v end"), "", true },
    };
    char first[SP_HASH_HEX] = "", again[SP_HASH_HEX] = "-", found[SP_HASH_HEX];
    content_of(same, "", first);
    content_of(same, "", again);
    CHECK_TEXT(first, again);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        content_of(other[i].text, other[i].included, found);
        SP_CHECK_REPORT((strcmp(found, first) != 0) == other[i].changes, "text %zu", i);
    }
    static const char includes[] = MADE_OF("local part = include 'part.lua'\n", "w:scale(part.by(1))", "");
    content_of(includes, "local k = 2 return { by = function (x) return k * x end }", first);
    content_of(includes, "local k = 3 return { by = function (x) return k * x end }", found);
    CHECK(strcmp(first, found) != 0);
}

/* A run takes the texts as they were read, whatever lies on the disk by then. */
static void kept_texts(void)
{
    script s;
    trial_problem t;
    trial_run run = { .seed = 1 };
    write_text("part.lua", "return { by = 2.385 }");
    if (!must_open(
            "local part = include 'part.lua' algorithm{ name = 'm', run = function (o, p, w) w:fill(part.by) end }",
            &s) ||
        !trial_make("pseudo_huber", 40, 3, INFINITY, false, &t))
        return;
    write_text("part.lua", "return { by = 1 }");
    CHECK(remove("m.lua") == 0);
    const sp_values none = trial_values(s.algorithm, "");
    trial_go(s.algorithm, &none, &t, trial_not_private(), &run);
    CHECK_TEXT(run.message, "");
    CHECK(run.w[2] == 2.385);
    trial_end(&run);
    trial_drop(&t);
    close_script(&s);
}

int main(void)
{
    char folder[64];
    if (enter_folder(folder) != 0)
        return 1;
    same_iterates();
    same_calls();
    nests();
    broken_runs();
    broken_definitions();
    parameters();
    contents();
    kept_texts();
    leave_folder(folder);
    return sp_check_done();
}
