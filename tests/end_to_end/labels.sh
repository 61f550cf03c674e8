#!/bin/sh
# labels: the exponent beside each curve of each committed figure is the slope of the points that are drawn (labels.py).
set -eu
python3 "$SOURCE/tests/end_to_end/labels.py" "$SOURCE/results"
