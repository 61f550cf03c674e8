#!/bin/sh
# data.sh -- the mushrooms of the quickstart, from a package of Debian, in the tests' cache before any test begins. A test that
# runs the quickstart fetches them; which of the others then find them and which are skipped must not go by their order.
set -eu
timeout 300 "$STILLPOINT" data fetch mushroom || echo "tests of the mushrooms are skipped"
