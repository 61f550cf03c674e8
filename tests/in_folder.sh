#!/bin/sh
# in_folder.sh FOLDER SCRIPT -- run a test script in an empty folder.
set -eu
rm -rf "$1"
mkdir -p "$1"
cd "$1"
exec sh "$2"
