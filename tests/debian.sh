#!/bin/sh
# debian.sh SUITE FOLDER [TESTS] -- the README's two commands on a bare Debian, as root, not part of CTest: debootstrap makes
# the system in FOLDER, a clone of this checkout is bootstrapped in it, the quickstart has to leave the committed tables byte
# for byte (figures may differ with the version of gnuplot: they are named), and TESTS, a regular expression for ctest -R,
# have to pass. `sh tests/debian.sh trixie /var/tmp/trixie '^unit/'`. FOLDER has to be new; remove it afterwards.
set -eu
suite=$1 root=$2 tests=${3-}
source=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
[ ! -e "$root" ] || { echo "$root is there already" >&2; exit 2; }
if [ -z "${DEBIAN_SH_APART-}" ]; then # mounts end with this process
    DEBIAN_SH_APART=yes exec unshare --mount sh "$0" "$@"
fi
debootstrap --variant=minbase "$suite" "$root" >"$root.log"
git clone -q --no-hardlinks "$source" "$root/home/stillpoint"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C chroot "$root" sh -c "cd /home/stillpoint && $1"; }
inside './bootstrap run experiments/quickstart.lua --again --all' # else the committed runs are imported and count
inside 'git status --short' >"$root.status"
echo "$suite: figures that differ: $(sed -n 's/^ M \(plots\/.*\)/\1/p' "$root.status" | tr '\n' ' ')"
inside 'git diff -U0 -- results' >"$root.diff" # DERIVED has the hashes of figures
if grep -v -e '^ M plots/' -e '^ M results/[a-z_]*/DERIVED$' "$root.status" || grep '^[-+][^-+]' "$root.diff" | grep -v '^.plots/'; then
    echo "$suite: these are not the committed bytes" >&2
    exit 1
fi
[ -z "$tests" ] || inside "./bootstrap test -R '$tests'"
echo "$suite: done"
