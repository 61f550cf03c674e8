#!/bin/sh
# words.sh -- what `stillpoint check --plain` prints (standard input) as a table of words: a row a claim, with what names
# it and its verdict. results/verdicts.tsv is this table of what is committed (CONTRIBUTING.md says how to renew it).
set -eu
export LC_ALL=C # decimal points, and names in the order of their bytes
awk -F '\t' 'BEGIN { OFS = FS; columns = split("experiment sweep algorithm y x where mode claimed verdict", name, " ") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    { line = $at[name[1]]; for (i = 2; i <= columns; i++) line = line OFS $at[name[i]]; print line }'
