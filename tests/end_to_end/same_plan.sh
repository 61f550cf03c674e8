#!/bin/sh
# An experiment gives the same plan in every process, wherever its tables lie and whatever the clock says.
set -eu
cat >same.lua <<'END'
local words, list, rows = {}, {}, {}
for i = 1, 500 do words["word" .. i * 7919 % 500] = i end
for word in pairs(words) do list[#list + 1] = word end
for i = 1, 2000 do rows[i] = { key = i % 3, at = i } end
table.sort(rows, function (a, b) return a.key < b.key end)
local rate = {}
for i = 1, 5 do rate[i] = rows[1 + i * 300].at + 1 / words[list[i]] end
return {
  seed = 1, question = table.concat(list, " ") .. string.format(" %s %q %a", rate[1], rate[2], rate[3]),
  problem = { loss = "pseudo_huber", n = 10, d = 2 },
  algorithms = { { "gd", eta = rate } }, measures = { "grad_norm" },
}
END
"$STILLPOINT" plan same.lua >first.txt
for i in 1 2 3 4 5; do
    "$STILLPOINT" plan same.lua >next.txt
    diff first.txt next.txt || { echo "FAILED: process $i has another plan" >&2; exit 1; }
done
