#!/bin/sh
# aarch64_sysroot.sh FOLDER -- what packages.txt names for linking, for aarch64, unpacked in FOLDER. Nothing is
# installed, and no root is needed: apt works on a state of its own, in FOLDER/apt. A folder that is there already is
# kept.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "$1"
root=$(CDPATH= cd -- "$1" && pwd)
[ ! -e "$root/complete" ] || exit 0

mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial" "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib"
for folder in bin sbin lib; do # as Debian 12 has them
    ln -sfn usr/$folder "$root/$folder"
done
: >"$root/apt/status"

arm() {
    apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$root/apt" -o Dir::Cache="$root/apt" \
            -o Dir::State::Lists="$root/apt/lists" -o Dir::State::status="$root/apt/status" -o Debug::NoLocking=1 \
            -o APT::Sandbox::User= "$@"
}
arm -qq update
# shellcheck disable=SC2046 # words on purpose
arm -qq -y --no-install-recommends --download-only install \
    $(sed -e 's/#.*//' -e 's/[[:space:]]//g' "$here/packages.txt" | grep -e '-dev$')
for package in "$root"/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done

# What Debian's "alternatives" would link when the packages are installed
libraries=$root/usr/lib/aarch64-linux-gnu
for library in "$libraries"/openblas-pthread/lib*.so*; do
    ln -sf "openblas-pthread/${library##*/}" "$libraries/${library##*/}"
done
# Links that name the root's folders mean the machine's own here: libm.so would be passed over for libm.a, whose powl
# the linker cannot complete
find "$root" -type l -lname '/*' | while read -r link; do
    target=$root$(readlink "$link")
    [ ! -e "$target" ] || ln -sfr "$target" "$link"
done
rm -rf "$root/apt"
: >"$root/complete"
