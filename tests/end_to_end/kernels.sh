#!/bin/sh
# OpenBLAS runs the pinned kernels, not the fallback that it takes on processors it does not know.
set -eu
unset OPENBLAS_CORETYPE
core=$("$STILLPOINT" --version | sed -n 's/^OpenBLAS kernels //p')
echo "kernels: $core"
if grep -q '^flags.*\bavx2\b' /proc/cpuinfo; then
    [ "$core" = Haswell ] || { echo "expected the Haswell kernels on a processor with AVX2" >&2; exit 1; }
fi
# A choice of the user's is kept.
[ "$(OPENBLAS_CORETYPE=Nehalem "$STILLPOINT" --version | sed -n 's/^OpenBLAS kernels //p')" = Nehalem ]
