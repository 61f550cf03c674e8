#!/bin/sh
# A system without /proc, in a mount namespace: kernels are pinned all the same, so the tables have the same bytes; what a program
# has started ends with its run; a memory limit holds. Where the program cannot start itself again, it refuses and says how.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >small.lua <<'LUA'
return { seed = 3, replicates = 3, problem = { loss = "pseudo_huber", data = "linear", n = 300, d = 40 },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 30 } },
         measures = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" } }
LUA
cat >leaves.pl <<'PERL'
use POSIX;
if (!fork) { POSIX::setsid(); open my $f, '>', 'left'; print $f "$$\n"; close $f; sleep 300; exit }
select undef, undef, undef, 0.01 until -s 'left';
exit 3;
PERL
cat >leaves.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 }, privacy = { epsilon = 1, delta = 1e-6 },
         measures = { "grad_norm" }, algorithms = { { "external", command = { "perl", "leaves.pl" } } } }
LUA
cat >by_descriptor.py <<'PY'
import os, sys
os.execve(os.open(sys.argv[1], os.O_RDONLY), sys.argv[1:], dict(os.environ)) # the system then knows no path of it
PY
cat >inside.sh <<'SH'
set -eu
umount -l /proc || exit 77
[ ! -e /proc/self ] || exit 77
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS OPENBLAS_CORETYPE GLIBC_TUNABLES
"$STILLPOINT" run small.lua --root without -q --no-plot --memory-limit 500
(PATH=$(dirname "$STILLPOINT"):$PATH; stillpoint run small.lua --root by_path -q --no-plot)
"$STILLPOINT" run leaves.lua --no-audit --no-plot -q 2>leaves.txt && exit 2
code=0
python3 by_descriptor.py "$STILLPOINT" plan small.lua >refused.txt 2>&1 || code=$?
echo $code >code.txt
set -- $(tr ' ' '\n' <refused.txt | grep =)
env "$@" python3 by_descriptor.py "$STILLPOINT" plan small.lua >plan.txt 2>&1
SH
as=
[ "$(id -u)" -eq 0 ] || as="--user --map-root-user"
# shellcheck disable=SC2086 # words on purpose
unshare $as --mount true 2>/dev/null || { echo "skipped: no mount namespace here"; exit 77; }
"$STILLPOINT" run small.lua --root with -q --no-plot
code=0
# shellcheck disable=SC2086
unshare $as --mount sh inside.sh || code=$?
[ $code -ne 77 ] || { echo "skipped: /proc cannot be unmounted here"; exit 77; }
[ $code -eq 0 ] || fail "exit code $code: $(cat leaves.txt refused.txt plan.txt 2>/dev/null)"
for table in cells.tsv runs.tsv; do
    cmp with/results/small/$table without/results/small/$table || fail "$table has other bytes without /proc"
    cmp with/results/small/$table by_path/results/small/$table || fail "$table has other bytes, found on the PATH"
done
kill -0 "$(cat left)" 2>/dev/null && fail "a process that a program has started outlives its run without /proc"
[ "$(cat code.txt)" -eq 1 ] || fail "kernels that are not pinned: exit code $(cat code.txt)"
for name in GLIBC_TUNABLES OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OMP_NUM_THREADS; do
    grep -q $name= refused.txt || fail "the refusal does not name $name: $(cat refused.txt)"
done
