#!/bin/sh
# What a plugin holds crashes in `run`, at every phase in which it is called: a method in its runs, in those of its grid and in
# its audit, a measure, a loss on the way to F*, a generator that makes a population. Each costs its own runs, which are rows that
# failed; all others succeed, with the bytes of a run in which nothing crashes.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
build=$(dirname "$STILLPOINT")
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=$(sed -n 's/^Cflags: -I[^ ]* //p' "$SOURCE/cmake/stillpoint.pc.in")

cat >fragile.c <<'C'
#include "core/plugin/plugin.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool at(const char *what)
{
    const char *wanted = getenv("FRAGILE");
    return wanted && strcmp(wanted, what) == 0;
}
static double one(const sp_values *v, size_t d)
{
    (void)v, (void)d;
    return 1.0;
}
static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    static size_t made;
    (void)v, (void)truth;
    if (++made > 2000 && at("population"))
        raise(SIGSEGV);
    for (size_t j = 0; j < d; j++)
        x[j] = (2.0 * sp_rng_uniform(stream) - 1.0) / sqrt((double)d);
    if (y)
        *y = sp_rng_below(stream, 2) ? 1.0 : -1.0;
}
static const sp_generator generator = { .name = "fragile_data", .summary = "records", .radius = one, .label_bound = one,
                                        .labels = true, .binary = true, .record = record };
static const char *fits(const sp_loss *loss, const sp_constants *constants, bool labels)
{
    (void)loss, (void)constants, (void)labels;
    return NULL;
}
static sp_status compute(const sp_problem *p, sp_workspace *workspace, const sp_reference *reference, const double *w,
                         double *scratch, double *out)
{
    (void)p, (void)workspace, (void)reference, (void)scratch;
    if (at("measure"))
        raise(SIGSEGV);
    *out = fabs(w[0]);
    return SP_OK;
}
static const sp_measure measure = { .name = "fragile_measure", .summary = "|w_1|", .unit = "1", .error = "rounding",
                                    .lower_is_better = true, .fits = fits, .compute = compute };
static double value(double m, double y, sp_numbers p)
{
    (void)p;
    const double r = fabs(m - y);
    if (r > 1.5 && at("loss"))
        raise(SIGSEGV);
    return r + sp_log1p(sp_exp(-2.0 * r)) - M_LN2;
}
static double slope(double m, double y, sp_numbers p)
{
    (void)p;
    return sp_tanh(m - y);
}
static double curvature(double m, double y, sp_numbers p)
{
    (void)p;
    const double t = sp_tanh(m - y);
    return 1.0 - t * t;
}
SP_LINK(value, slope, curvature)
static void link_bounds(sp_numbers p, const sp_region *region, sp_link_bounds *out)
{
    *out = (sp_link_bounds){ .slope = 1.0, .curvature_high = 1.0, .third = 1.0, .gap = 1.0 + region->label_bound };
    (void)p;
}
static const sp_loss loss = { .name = "fragile_loss", .family = "convex GLM", .formula = "log cosh(<w, x> - y)", .source = "ours",
                              .link = &link, .link_bounds = link_bounds, .convex = true, .smooth = true };
static const sp_param params[] = { { "eta", SP_REAL, 0.1, { 0, 100 }, "step" }, { 0 } };
static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    sp_status status = SP_OK;
    double multiplier = 0.0, *g = sp_alloc_doubles(sp_dimension(o));
    sp_batch all;
    SP_TRY(sp_calibrate(o, &(sp_release_plan){ SP_GRADIENT, sp_full(), 1 }, 1, &multiplier));
    SP_TRY(sp_draw(o, sp_full(), &all));
    SP_TRY(sp_gradient(o, &SP_AT(all, w), multiplier, g));
    if (at("method") || (at("trial") && sp_real(v, 0) == 0.5))
        raise(SIGSEGV);
    for (size_t j = 0; j < sp_dimension(o); j++)
        w[j] -= sp_real(v, 0) * g[j];
cleanup:
    free(g);
    return status;
}
static const sp_algorithm method = { .name = "fragile", .summary = "one step", .when = "never", .source = "ours",
                                     .releases = "one gradient", .params = params, .run = run };
static const sp_algorithm *const algorithms[] = { &method, NULL };
static const sp_measure *const measures[] = { &measure, NULL };
static const sp_loss *const losses[] = { &loss, NULL };
static const sp_generator *const generators[] = { &generator, NULL };
SP_PLUGIN(.algorithms = algorithms, .measures = measures, .losses = losses, .generators = generators)
C
cat >e.lua <<'LUA'
local small = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 }
return { plugins = { "fragile.so" }, seed = 1, replicates = 2, privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
  sweeps = {
    plain = { problem = small, algorithms = { { "dp_gd", steps = 3 } } },
    method = { problem = small, algorithms = { { "fragile" }, { "fragile", label = "tuned", tune = { eta = { 0.1, 0.5 } } } } },
    measure = { problem = small, algorithms = { { "dp_gd", steps = 4 } }, measures = { "fragile_measure" } },
    loss = { problem = { loss = "fragile_loss", data = "logistic", n = 100, d = 3 }, measures = { "excess_risk" },
             algorithms = { { "dp_gd", steps = 40, eta = 40 } } },
    population = { problem = { loss = "logistic", data = "fragile_data", n = 100, d = 3, population = 5000 },
                   measures = { "population_excess_risk" }, algorithms = { { "dp_gd", steps = 3 } } },
  } }
LUA
# shellcheck disable=SC2086 # words on purpose
"$cc" -O1 $flags -I"$SOURCE" -fPIC -shared -fvisibility=hidden -o fragile.so fragile.c "$build/libstillpoint_plugin.a" -lm ||
    fail "the plugin does not build"

"$STILLPOINT" run e.lua --no-plot -q --no-audit --root sound || fail "nothing crashes"
rows() { # file: sweep of each run, its status and its values, without the number of the cell
    awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        FILENAME ~ /cells.tsv$/ { sweep[$1] = $at["sweep"]; next }
        { print sweep[$at["cell"]], $1, $at["status"], $at["grad_norm"] }' "$1/results/e/cells.tsv" "$1/results/e/runs.tsv" | sort
}
rows sound >sound.txt
[ "$(grep -c ' ok ' sound.txt)" -eq 12 ] || fail "twelve runs: $(cat sound.txt)"
for phase in method measure loss population; do
    code=0
    FRAGILE=$phase "$STILLPOINT" run e.lua --no-plot -q --no-audit --root $phase >out.txt 2>&1 || code=$?
    [ $code -eq 1 ] || { cat out.txt >&2; fail "$phase: exit code $code"; }
    rows $phase >rows.txt
    grep "^$phase " rows.txt | grep -q ' SP_E' || fail "$phase: no run of it failed: $(cat rows.txt)"
    grep -v "^$phase " sound.txt >expected.txt
    grep -v "^$phase " rows.txt | cmp - expected.txt || fail "$phase: it cost other runs"
done
code=0
FRAGILE=trial "$STILLPOINT" run e.lua --no-plot -q --no-audit --root trial >out.txt 2>&1 || code=$?
[ $code -eq 1 ] || fail "a point of a grid: exit code $code"
[ "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["label"] == "tuned" { print $at["algorithm.eta"] }' \
    trial/results/e/tuning.tsv)" = 0.1 ] || fail "the point that crashes wins"
code=0
FRAGILE=method "$STILLPOINT" run e.lua --no-plot -q --root audited >out.txt 2>&1 || code=$?
[ $code -eq 1 ] && grep -q '^audit: fragile: .*SIGSEGV' out.txt || { cat out.txt >&2; fail "an audit: exit code $code"; }
