#!/bin/sh
# The manual: its index names every page once, generated pages are up to date, every link leads to a file and a heading,
# and files.md has the columns that tables have.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
check() { python3 -I "$SOURCE/tests/end_to_end/manual.py" "$@"; }

sh "$SOURCE/tests/gallery.sh" "$SOURCE" | diff -u "$SOURCE/docs/results/gallery.md" - ||
    fail "docs/results/gallery.md is out of date: sh tests/gallery.sh . >docs/results/gallery.md"
(cd "$SOURCE/docs" && ls */*.md) >pages.txt
sed -n 's|^[0-9]*\. \[.*\](\([a-z_]*/[a-z_0-9]*\.md\)).*|\1|p' "$SOURCE/docs/README.md" | sort | diff pages.txt - ||
    fail "docs/README.md does not name every page once"
check links "$SOURCE" || fail "links"

# --- files.md against tables: with grids, cells that are skipped, claims, traces, a warm start, audits, seeds
cat >all.lua <<'LUA'
return {
  seed = 3, replicates = 3, privacy = { epsilon = 1, delta = 1e-6 },
  problem = { loss = "circular", data = "angles", n = { 300, 1000, 3000 }, d = 4 },
  algorithms = { { "dp_gd" }, { "dp_gd", label = "tuned", tune = { steps = { 2, 4 } } }, { "start" }, { "jl_glm" },
                 { "kl_gd" }, { "warm_start", first = { "dp_gd" }, second = { "dp_spider" } } },
  measures = { "grad_norm", "handover_gap" },
  claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, rival = -2/3, mode = "theory",
               within = { grad_norm = 100 } } },
}
LUA
"$STILLPOINT" run all.lua --allow-skipped --seeds 3 -j 2 --quiet --no-plot || fail "run"
"$STILLPOINT" plot all.lua >/dev/null || fail "plot"
check files "$SOURCE" results/all || fail "files.md"
