#!/bin/sh
# The manual: its index names every page once, generated pages are up to date, every link leads to a file and a heading,
# files.md has the columns that tables have, and each page of the HTML leads to the next.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
check() { python3 -I "$SOURCE/tests/end_to_end/manual.py" "$@"; }

"$STILLPOINT" list limits --markdown | diff -u "$SOURCE/docs/reference/limits.md" - ||
    fail "docs/reference/limits.md is out of date: stillpoint list limits --markdown >docs/reference/limits.md"
sh "$SOURCE/tests/gallery.sh" "$SOURCE" | diff -u "$SOURCE/docs/results/gallery.md" - ||
    fail "docs/results/gallery.md is out of date: sh tests/gallery.sh . >docs/results/gallery.md"
(cd "$SOURCE/docs" && ls */*.md) >pages.txt
sed -n 's|^[0-9]*\. \[.*\](\([a-z_]*/[a-z_0-9]*\.md\)).*|\1|p' "$SOURCE/docs/README.md" | sort | diff pages.txt - ||
    fail "docs/README.md does not name every page once"
check links "$SOURCE" || fail "links"
grep -o -- '--[a-z]*: #[0-9a-f]*;' "$SOURCE/cmake/page.css" | sort -u | while read -r colour; do
    grep -qF -- "$colour" "$SOURCE/core/report/page.c" || fail "page.css and the report differ: $colour"
done

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

# --- HTML
command -v cmark-gfm >/dev/null || { echo "no cmark-gfm: the manual as HTML is not looked at"; exit 0; }
sh "$SOURCE/cmake/manual.sh" cmark-gfm "$SOURCE" html || fail "manual.sh"
ln -s "$SOURCE/plots" html/plots
check html "$SOURCE" html || fail "the manual as HTML"
