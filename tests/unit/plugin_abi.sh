#!/bin/sh
# The table of functions that plugins call only grows, at its end: a plugin that was built before goes on to find each
# function where it was. tests/unit/plugin_abi.txt holds the table, a line a function.
set -eu
awk '
    /^#define SP_HOST_FUNCTIONS/ { on = 1; next }
    on { last = !/\\$/; sub(/\\$/, ""); sub(/\/\*.*\*\//, ""); text = text " " $0 }
    last { exit }
    END { gsub(/ +/, " ", text); n = split(text, part, / [FV]\(/); for (i = 2; i <= n; i++) print part[i] }
    ' "$SOURCE/core/plugin/functions.h" >table.txt
[ "$(wc -l <table.txt)" -gt 80 ] || { echo "only $(wc -l <table.txt) functions were found" >&2; exit 1; }
diff "$SOURCE/tests/unit/plugin_abi.txt" table.txt && exit
echo "a function that is new goes to the end of the list and, as a line, to the end of tests/unit/plugin_abi.txt;" \
    "one that changes or goes needs another SP_PLUGIN_ABI" >&2
exit 1
