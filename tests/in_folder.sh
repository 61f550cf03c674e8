#!/bin/sh
# in_folder.sh FOLDER SCRIPT -- run a test script in an empty folder. What awk prints and sort orders is as in C; the program
# speaks C anyway.
set -eu
LC_ALL=C
export LC_ALL
rm -rf "$1"
mkdir -p "$1"
cd "$1"
exec sh "$2"
