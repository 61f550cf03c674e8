#!/bin/sh
# Plugins: the template builds against an installed prefix by make and by CMake, runs, and gives the numbers of the same
# method in the program; what does not fit is refused by the field; what crashes, loops, leaks or gives no number costs its
# own runs; the plugin's bytes say whether a run is current.
set -eu
build=$(dirname "$STILLPOINT")
fail() { echo "FAILED: $*" >&2; exit 1; }
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -s "$build/generated/manual/zsh" ] || fail "the manual is not there: build all" # not here: others run the program meanwhile
cmake --install "$build" --prefix "$PWD/first" >install.txt 2>&1 || { cat install.txt >&2; fail "install"; }
mv first prefix # it may be moved
PKG_CONFIG_PATH=$(dirname "$(find "$PWD/prefix" -name stillpoint.pc)")
CC=$cc
export PKG_CONFIG_PATH CC
program=$PWD/prefix/bin/stillpoint
[ "$(pkg-config --modversion stillpoint)" = "$("$program" --version | sed -n 's/^stillpoint //p')" ] || fail "the version"

# --- the installed headers are those that plugin.h needs, and need none of a library's
cat >one.c <<'C'
#include "core/plugin/plugin.h"
C
"$cc" $(pkg-config --cflags stillpoint) -M one.c >needed.txt || fail "the headers do not compile by themselves"
(cd prefix/include/stillpoint && find . -name '*.h' | sed 's|^\./||' | sort) >installed.txt
tr ' \\' '\n\n' <needed.txt | sed -n 's|.*/include/stillpoint/||p' | sort -u | cmp - installed.txt ||
    fail "the installed headers are not those that plugin.h includes"
if grep -nE 'gsl/|cblas|lapacke|nettle' needed.txt; then fail "the headers include a library's"; fi

# --- the template, by make
"$program" new plugin mine >new.txt || fail "new plugin"
grep -q '^mine: [0-9]* places marked FILL; next: make -C mine' new.txt || fail "$(cat new.txt)"
[ "$(wc -l <mine/mine.c)" -le 60 ] || fail "the method has $(wc -l <mine/mine.c) lines"
for file in mine.c plugin.c; do grep -q 'GPL-3.0-or-later' mine/$file || fail "$file names no licence"; done
if "$program" new plugin mine 2>message.txt; then fail "new writes over a folder"; fi
grep -q '^stillpoint: mine: is there already' message.txt || fail "$(cat message.txt)"
if "$program" new plugin dp_gd 2>message.txt; then fail "new takes the name of a method"; fi
grep -q 'there is an algorithm called dp_gd' message.txt || fail "$(cat message.txt)"
if "$program" new plugin other --root none 2>message.txt; then fail "new in no folder"; fi
grep -q 'none/other: No such file' message.txt || fail "$(cat message.txt)"
make -s -C mine CC="$CC -Werror" || fail "the template does not build by make"
[ "$(nm -D --defined-only mine/mine.so | awk '$2 ~ /[TDBR]/ { print $3 }')" = stillpoint_plugin ] || fail "it exports more"
"$program" run mine/mine.lua --scale smoke -j 2 --quiet || fail "the template does not run"
[ "$(awk -F '\t' 'NR > 1' results/mine.smoke/runs.tsv | wc -l)" = 8 ] || fail "2 methods, 2 values of n, 2 replicates"
"$program" status mine/mine.lua --scale smoke --plain >status.txt || fail "status: $(cat status.txt)"

# --- the numbers of the same recurrence in the program, by --plugin
sed -e '/plugins *=/d' -e 's/privacy .*/privacy = "none",/' \
    -e 's/algorithms = .*/algorithms = { { "mine", steps = 20, eta = 0.2 }, { "dp_gd", steps = 20, eta = 0.2, select = "last" } },/' \
    mine/mine.lua >same.lua
if "$program" plan same.lua 2>message.txt; then fail "a plan without the plugin"; fi
grep -q 'mine.*no such algorithm' message.txt || fail "$(cat message.txt)"
"$program" run same.lua --plugin mine/mine.so --scale smoke -j 2 --quiet --no-plot || fail "--plugin"
"$program" export same.lua --plugin=mine/mine.so --scale smoke --table runs --format csv >runs.csv || fail "export"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
             { key = int(($at["cell"] - 1) / 2) " " $at["replicate"]; seen[key]++ # cells: mine, dp_gd at each n
               if (key in value && value[key] != $at["grad_norm"]) { print key, value[key], $at["grad_norm"]; bad = 1 }
               value[key] = $at["grad_norm"] }
             END { for (k in seen) if (seen[k] != 2) bad = 1; exit bad || length(seen) != 4 }' \
    results/same.smoke/runs.tsv || fail "the plugin's numbers are not dp_gd's"

# --- in the field of `versus`, which is an experiment that needs the plugin too
"$program" versus mine --plugin mine/mine.so --tune 'eta = { 0.1, 0.2, 0.4 }, steps = { 5, 10, 20 }' --dry-run --scale smoke \
    >out.txt 2>&1 || fail "versus: $(cat out.txt)"
"$program" plan versus_mine.lua --plugin mine/mine.so --scale smoke --plain >plan.txt || fail "plan versus_mine.lua"
[ "$(grep -v '^tuning' plan.txt | grep -c '	mine	')" -eq 12 ] || fail "versus: mine is not on 6 problems at 2 budgets: $(cat plan.txt)"

# --- its bytes say whether a run is current, and no stream's name holds them
cp results/mine.smoke/runs.tsv before.tsv
sed -i 's|updates T" }|updates T, no more" }|' mine/mine.c
make -s -C mine || fail "make"
if "$program" status mine/mine.lua --scale smoke --plain >status.txt; then fail "an edited plugin's runs are current"; fi
awk -F '\t' '$2 == "mine" && $6 == 4 { a = 1 } $2 == "dp_gd" && $6 == 0 { b = 1 } END { exit !(a && b) }' status.txt ||
    fail "stale are not the plugin's runs alone: $(cat status.txt)"
"$program" run mine/mine.lua --scale smoke -j 2 --quiet --no-plot || fail "again"
cmp before.tsv results/mine.smoke/runs.tsv || fail "other streams for another file of the same method"
sqlite3 -version >/dev/null 2>&1 && { sqlite3 results/mine.smoke/store.sqlite .dump | grep -q 'plugin mine.so [0-9a-f]\{64\}' ||
    fail "provenance does not name the plugin"; }

# --- by CMake
rm mine/mine.so
(cd mine && cmake -B build . -DCMAKE_PREFIX_PATH="$PWD/../prefix" && cmake --build build) >cmake.txt 2>&1 ||
    { cat cmake.txt >&2; fail "CMake"; }
"$program" describe mine --plugin mine/mine.so | grep -q '^mine (algorithm)' || fail "describe"
"$program" list algorithms --plain --plugin mine/mine.so | grep -qx mine || fail "list"
if "$program" list algorithms --plain | grep -qx mine; then fail "it stays"; fi
"$program" --version | grep -q '^plugins of abi 1 to 1$' || fail "--version says no abi"

# --- refused, by the field
cat >method.h <<'C'
#include "core/plugin/plugin.h"
#include <signal.h>
static sp_status run(sp_oracle *o, const sp_values *v, double *w) { (void)v; return sp_checkpoint(o, 0, w); }
#define METHOD(symbol, name_, run_) static const sp_algorithm symbol = { .name = name_, .summary = "a", .when = "b", \
    .source = "ours", .releases = "nothing", .ignores_data = true, .run = run_ };
C
# plugin NAME TEXT: NAME.so from method.h and the text
plugin() {
    { echo '#include "method.h"'; echo "$2"; } >"$1.c"
    "$cc" -O1 -w $(pkg-config --cflags stillpoint) -I. -fPIC -shared -fvisibility=hidden -o "$1.so" "$1.c" \
        $(pkg-config --libs stillpoint) || fail "$1 does not build"
}
# refused NAME MESSAGE: as a plugin it is refused with these words
refused() {
    if "$program" list algorithms --plugin "$1" >out.txt 2>message.txt; then fail "$1 is accepted"; fi
    [ "$(wc -l <message.txt)" = 1 ] && grep -qE -- "^stillpoint: $2" message.txt || fail "$1: $(cat message.txt)"
}
METHOD='METHOD(one, "odd_one", run) static const sp_algorithm *const algorithms[] = { &one, NULL };'
plugin magic "$METHOD SP_PLUGIN(.algorithms = algorithms, .magic = \"stillpoint plum\")"
refused magic.so 'magic\.so: magic: not a plugin'
plugin abi "$METHOD SP_PLUGIN(.algorithms = algorithms, .abi = 7)"
refused abi.so 'abi\.so: abi 7: this program takes plugins of abi 1 to 1$'
plugin size "$METHOD SP_PLUGIN(.algorithms = algorithms, .size = 8)"
refused size.so 'size\.so: size: the description has 8 bytes, and [0-9]* in this program'
plugin host "$METHOD SP_PLUGIN(.algorithms = algorithms, .host_size = sizeof(sp_host) + 8)"
refused host.so 'host\.so: host_size: the plugin, built with stillpoint [0-9.]*, knows a table of functions of [0-9]* bytes'
plugin attach "$METHOD SP_PLUGIN(.algorithms = algorithms, .attach = NULL)"
refused attach.so 'attach\.so: attach: missing'
plugin structure "$METHOD static const sp_structure other[] = { { \"sp_error\", 3 }, { 0 } };
    SP_PLUGIN(.algorithms = algorithms, .structure = other)"
refused structure.so 'structure\.so: structure sp_error: 3 bytes in the plugin, built with stillpoint [0-9.]*, and [0-9]* in this program'
plugin lacking "$METHOD static const sp_structure other[] = { { \"sp_error\", sizeof(sp_error) }, { 0 } };
    SP_PLUGIN(.algorithms = algorithms, .structure = other)"
refused lacking.so 'lacking\.so: structure sp_param: the plugin, built with stillpoint [0-9.]*, does not have it'
plugin taken 'METHOD(one, "dp_gd", run) static const sp_algorithm *const a[] = { &one, NULL }; SP_PLUGIN(.algorithms = a)'
refused taken.so 'taken\.so: there is another algorithm called dp_gd$'
plugin named 'METHOD(one, "Odd One", run) static const sp_algorithm *const a[] = { &one, NULL }; SP_PLUGIN(.algorithms = a)'
refused named.so 'named\.so: a algorithm called Odd One: a name is'
plugin idle 'METHOD(one, "odd_one", NULL) static const sp_algorithm *const a[] = { &one, NULL }; SP_PLUGIN(.algorithms = a)'
refused idle.so 'idle\.so: algorithm odd_one: what computes it is missing'
plugin empty 'SP_PLUGIN(.algorithms = NULL)'
refused empty.so 'empty\.so: it holds no'
plugin none 'int other(void); __attribute__((visibility("default"))) int other(void) { return 1; }'
refused none.so 'none\.so: no plugin of Stillpoint: it exports no stillpoint_plugin$'
plugin early "$METHOD __attribute__((constructor)) static void begin(void) { raise(SIGSEGV); }
    SP_PLUGIN(.algorithms = algorithms)"
refused early.so 'early\.so: it crashed while it was loaded \(Segmentation fault\)$'
plugin leaving "#include <stdlib.h>
    $METHOD __attribute__((constructor)) static void begin(void) { _Exit(0); } SP_PLUGIN(.algorithms = algorithms)"
refused leaving.so 'leaving\.so: it ended the program that loaded it$'
refused absent.so 'absent\.so: No such file'
echo 'no library' >text.so
refused text.so 'text\.so: it cannot be loaded'
cat >bad.lua <<'LUA'
return { seed = 1, plugins = "mine.so", problem = { loss = "circular", data = "angles", n = 10, d = 4 }, privacy = "none",
         algorithms = { { "start" } }, measures = { "grad_norm" } }
LUA
# said MESSAGE SUBSTITUTION: planning bad.lua after the substitution is refused with these words
said() {
    sed "$2" bad.lua >worse.lua
    if "$program" plan worse.lua >out.txt 2>message.txt; then fail "$2 is accepted"; fi
    grep -qF -- "$1" message.txt || fail "$2: $(cat message.txt)"
}
said 'plugins: must be a list of paths' ''
said 'plugins[1]: must be a path' 's/"mine.so"/{ 3 }/'
said 'abi.so: abi 7: this program takes' 's/"mine.so"/{ "abi.so" }/'
said 'scales.smoke.plugins: belongs to the whole experiment' \
    's/plugins = "mine.so"/scales = { smoke = { plugins = { "mine.so" } } }/'
plugin misfit 'static const char *fits(const sp_constants *c) { (void)c; raise(SIGSEGV); return NULL; }
    static const sp_algorithm one = { .name = "odd_one", .summary = "a", .when = "b", .source = "ours", .releases = "n", .run = run,
    .fits = fits }; static const sp_algorithm *const a[] = { &one, NULL }; SP_PLUGIN(.algorithms = a)'
said 'the plan: a plugin crashed (Segmentation fault): misfit.so' 's/"mine.so"/{ "misfit.so" }/; s/"start"/"odd_one"/'

# --- what is wrong with a run costs that run, and its row says what
plugin wrong '#include <math.h>
    static sp_status crash(sp_oracle *o, const sp_values *v, double *w) { (void)o, (void)v, (void)w; raise(SIGSEGV); return SP_OK; }
    static sp_status loop(sp_oracle *o, const sp_values *v, double *w) { (void)o, (void)v; for (;;) *(volatile double *)w += 1.0; }
    static sp_status none(sp_oracle *o, const sp_values *v, double *w) { (void)o, (void)v; w[0] = NAN; return SP_OK; }
    static sp_status leak(sp_oracle *o, const sp_values *v, double *w)
    {
        for (size_t i = 0; i < 4096; i++) { double *d = sp_alloc_doubles(1 << 17); if (!d) return sp_refuse(o, SP_ENOMEM, "block %zu", i); d[i] = w[0]; }
        return SP_OK;
    }
    METHOD(m1, "crash", crash) METHOD(m2, "loop", loop) METHOD(m3, "none", none) METHOD(m4, "leak", leak) METHOD(m5, "sound", run)
    static const sp_algorithm *const a[] = { &m1, &m2, &m3, &m4, &m5, NULL }; SP_PLUGIN(.algorithms = a)'
cat >wrong.lua <<'LUA'
return { seed = 1, plugins = { "wrong.so" }, problem = { loss = "circular", data = "angles", n = 100, d = 4 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "crash" }, { "loop" }, { "none" }, { "leak" }, { "sound" }, { "start" }, { "dp_gd" } } }
LUA
code=0
"$program" run wrong.lua -j 2 --quiet --no-plot --no-audit --time-limit 4 --memory-limit 64 2>message.txt || code=$?
[ $code = 1 ] || fail "runs that fail: exit code $code: $(cat message.txt)"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } 
             { split("crash loop none leak sound start dp_gd", label, " "); print label[$at["cell"]] "\t" $at["status"] "\t" $at["message"] }' \
    results/wrong/runs.tsv | sort >rows.txt
grep -qE '^crash	SP_ECRASH	the worker died of SIGSEGV' rows.txt || fail "crash: $(cat rows.txt)"
grep -qE '^loop	SP_ELIMIT	time limit of 4 s' rows.txt || fail "loop: $(cat rows.txt)"
grep -qE '^leak	SP_ELIMIT	memory limit of 64 MiB' rows.txt || fail "leak: $(cat rows.txt)"
grep -qE '^none	SP_ENUMERIC	the returned iterate is not finite' rows.txt || fail "none: $(cat rows.txt)"
for label in sound start dp_gd; do grep -qE "^$label	ok" rows.txt || fail "$label: $(cat rows.txt)"; done

# --- a loss, a measure, a generator
for kind in loss measure; do sed "s/NAME/my_$kind/g" "prefix/share/stillpoint/templates/$kind.c" >"my_$kind.c"; done
cat >my_data.c <<'C'
#include "core/plugin/plugin.h"
static double radius(const sp_values *v, size_t d) { (void)v, (void)d; return 1.31; }
static double bound(const sp_values *v, size_t d) { (void)v, (void)d; return 1.0; }
static void record(const sp_values *v, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y)
{
    (void)v, (void)truth;
    for (size_t j = 0; j < d; j++)
        x[j] = 1.31 / sqrt((double)d) * (2.0 * sp_rng_uniform(stream) - 1.0);
    if (y)
        *y = sp_rng_below(stream, 2) ? 1.0 : -1.0;
}
extern const sp_generator sp_generator_my_data;
const sp_generator sp_generator_my_data = { .name = "my_data", .summary = "uniform in a cube", .radius = radius,
    .label_bound = bound, .labels = true, .binary = true, .record = record };
extern const sp_loss sp_loss_my_loss;
extern const sp_measure sp_measure_my_measure;
static const sp_generator *const generators[] = { &sp_generator_my_data, NULL };
static const sp_loss *const losses[] = { &sp_loss_my_loss, NULL };
static const sp_measure *const measures[] = { &sp_measure_my_measure, NULL };
SP_PLUGIN(.generators = generators, .losses = losses, .measures = measures)
C
"$cc" -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror $(pkg-config --cflags stillpoint) -fPIC -shared -o kinds.so my_data.c my_loss.c my_measure.c \
    $(pkg-config --libs stillpoint) || fail "a loss, a measure, a generator do not build"
cat >kinds.lua <<'LUA'
return { seed = 1, replicates = 2, plugins = { "kinds.so" }, problem = { loss = "my_loss", data = "my_data", n = 1000, d = 5 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 5 }, { "start" } },
         measures = { "my_measure", "grad_norm" } }
LUA
"$program" run kinds.lua -j 2 --quiet --no-plot --no-audit || fail "a loss, a measure, a generator do not run"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
             $at["cell"] == 2 && $at["my_measure"] != 0 { bad = 1 }
             $at["cell"] == 1 && !($at["my_measure"] > 0 && $at["grad_norm"] > 0) { bad = 1 } END { exit bad || NR != 5 }' \
    results/kinds/runs.tsv || fail "what the measure gives"
"$program" test my_loss --plugin kinds.so >test.txt || fail "test: $(tail -3 test.txt)"
"$program" summary kinds.lua --plugin kinds.so --measure my_measure >summary.txt || fail "summary"
