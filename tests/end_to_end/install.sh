#!/bin/sh
# Installed, moved, packed: the program runs from anywhere without the folders that it was built from, and gives the same
# bytes as there; its manual and completions come from its own tables; uninstall leaves nothing.
set -eu
build=$(dirname "$STILLPOINT")
fail() { echo "FAILED: $*" >&2; exit 1; }
work=$(mktemp -d) # not below the sources, which are to be hidden
trap 'rm -rf "$work"' EXIT
cd "$work"
[ -s "$build/generated/manual/zsh" ] || fail "the manual is not there: build all" # not here: others run the program meanwhile

# --- of what is built, the program and its manual alone are installed: no test has to be built first
sed -n "s|.*\"$build/\([^\"\$]*\)\".*|\1|p" "$build/cmake_install.cmake" | grep -v '/cmake_install\.cmake$' >needed.txt
grep -qx stillpoint needed.txt || fail "cmake_install.cmake does not install the program"
if grep -vE '^(stillpoint(-mpi)?|generated/manual/.*)$' needed.txt; then fail "cmake --install needs more than the program"; fi

# --- DESTDIR, prefix, what is where
here=$PWD
DESTDIR=$here/stage cmake --install "$build" --prefix /opt/sp >install.txt 2>&1 || { cat install.txt >&2; fail "install"; }
for file in bin/stillpoint share/stillpoint/plots/figure.gp share/stillpoint/templates/method.c \
    share/stillpoint/experiments/quickstart.lua share/stillpoint/references.bib share/man/man1/stillpoint.1 \
    share/bash-completion/completions/stillpoint share/zsh/site-functions/_stillpoint share/doc/stillpoint/README.md \
    share/doc/stillpoint/docs/README.md share/doc/stillpoint/plots/quickstart/rates.svg share/doc/stillpoint/copyright; do
    [ -s "stage/opt/sp/$file" ] || fail "$file is not installed"
done
[ "$(ls stage)" = opt ] || fail "something is outside of the prefix: $(ls stage)"
[ -z "$(find stage -type l)" ] || fail "links are installed: $(find stage -type l)"

# --- it runs where it was moved, from any folder, and knows nothing of where it came from
mv stage/opt/sp moved
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$build/CMakeCache.txt"; then # others hold paths for debuggers
    if grep -rlF "$SOURCE" moved >found.txt; then cat found.txt >&2; fail "these hold the path of the sources"; fi
fi
[ "$(moved/bin/stillpoint --version | sed -n 's/^files //p')" = "$here/moved/bin/../share/stillpoint" ] ||
    fail "it does not find its files: $(moved/bin/stillpoint --version)"
"$STILLPOINT" --version | grep -v '^files' >one.txt
moved/bin/stillpoint --version | grep -v '^files' | cmp - one.txt || fail "another version"
grep -q '^accountant [0-9a-f]\{12\}$' one.txt || fail "--version says nothing of the accountant"
if [ -e "$SOURCE/.git" ] && git -C "$SOURCE" rev-parse HEAD >commit.txt 2>/dev/null; then
    grep -Eq '^commit [0-9a-f]{40}(, changed)?$' one.txt || fail "--version says no commit"
fi
mkdir elsewhere built
cat >e.lua <<'LUA'
return { seed = 3, replicates = 2, privacy = { epsilon = 1, delta = 1e-6 },
         problem = { loss = "circular", data = "angles", n = { 300, 1000, 3000 }, d = 4 },
         algorithms = { { "dp_gd" }, { "dp_spider" }, { "start" } }, measures = { "grad_norm", "excess_risk" },
         figures = { { name = "f", kind = "rate", x = "n", y = "grad_norm" } } }
LUA
program=$here/moved/bin/stillpoint
# hidden COMMAND...: with the sources and the build out of sight, where the system lets us
hidden() {
    case $here/ in
    "$SOURCE"/*) "$@" ;; # TMPDIR is below them
    *) if unshare -rm true 2>/dev/null; then
           unshare -rm sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$SOURCE" "$@"
       else
           "$@"
       fi ;;
    esac
}
(cd elsewhere && hidden "$program" run ../e.lua -j 2 --quiet) || fail "the installed program does not run"
(cd built && "$STILLPOINT" run ../e.lua -j 1 --quiet) || fail "the built program does not run"
[ -s elsewhere/plots/e/f.svg ] || fail "the installed program draws nothing"
for table in runs cells summary fits figures/f; do
    cmp "elsewhere/results/e/$table.tsv" "built/results/e/$table.tsv" || fail "$table.tsv differs"
done
cmp elsewhere/plots/e/f.svg built/plots/e/f.svg || fail "the figures differ"
(cd elsewhere && hidden "$program" new experiment mine >new.txt && hidden "$program" plan mine.lua >plan.txt &&
    hidden "$program" list --cite mine.lua | grep -q '^@software') || fail "new, plan, cite"
"$program" plan moved/share/stillpoint/experiments/quickstart.lua --scale smoke >plan.txt || fail "an installed experiment"
STILLPOINT_HOME=$here/none "$program" --version | grep -q "^files: STILLPOINT_HOME = $here/none: no such folder" ||
    fail "a wrong STILLPOINT_HOME is not said"
cp moved/bin/stillpoint alone
if ./alone new experiment lonely 2>message.txt; then fail "new without templates"; fi
grep -q "own files are in none of $here/../share/stillpoint, $here/share/stillpoint," message.txt || fail "$(cat message.txt)"

# --- the manual and the completions know every verb and every option
page=moved/share/man/man1/stillpoint.1
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -P-cbou "$page" >page.txt 2>warnings.txt || fail "groff"
    [ ! -s warnings.txt ] || { cat warnings.txt >&2; fail "the man page has mistakes"; }
    grep -q 'Runs what an experiment lacks' page.txt || fail "the man page says nothing of run"
fi
"$STILLPOINT" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p' >verbs.txt
[ "$(wc -l <verbs.txt)" -gt 15 ] || fail "verbs"
while read -r verb; do
    grep -qxF ".SS $(echo "$verb" | sed 's/-/\\-/g')" "$page" || fail "the man page does not have $verb"
    "$STILLPOINT" $verb --help </dev/null | sed -n 's/^  *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' >options.txt
    [ -s options.txt ] || fail "$verb has no options"
    while read -r option; do
        [ "$option" = help ] || grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')\\fR" "$page" ||
            fail "the man page does not have $verb --$option"
        grep -A60 -- "^    (${verb%% *})$" moved/share/zsh/site-functions/_stillpoint | grep -q -- "--$option[=[]" ||
            fail "zsh does not complete $verb --$option"
    done <options.txt
done <verbs.txt
if command -v bash >/dev/null; then
    cat >complete.bash <<'BASH'
compopt() { :; }
. moved/share/bash-completion/completions/stillpoint
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stillpoint; printf '%s\n' "${COMPREPLY[@]}"; }
PATH=$PWD/moved/bin:$PATH
ask stillpoint acc
ask stillpoint run --fail
ask stillpoint list dp_gd_
ask stillpoint new lo
ask stillpoint run e.l
BASH
    bash complete.bash >completed.txt || fail "bash completion"
    printf 'account\n--fail-fast\ndp_gd_sosp\nloss\ne.lua\n' | cmp - completed.txt || fail "completed: $(cat completed.txt)"
fi
if command -v zsh >/dev/null; then zsh -n moved/share/zsh/site-functions/_stillpoint || fail "zsh"; fi

# --- uninstall: what is there of others stays
mkdir -p root/share/stillpoint
cmake --install "$build" --prefix "$here/root" >install.txt 2>&1 || fail "install to a prefix"
echo mine >root/share/stillpoint/experiments/mine.lua
cmake --build "$build" --target uninstall >uninstall.txt 2>&1 || { cat uninstall.txt >&2; fail "uninstall"; }
[ "$(find root -type f)" = root/share/stillpoint/experiments/mine.lua ] || fail "uninstall leaves $(find root -type f)"
[ ! -e root/share/stillpoint/templates ] || fail "uninstall leaves empty folders"

# --- the Debian package, in a folder of its own
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -B "$here/pack" >pack.txt 2>&1 || { cat pack.txt >&2; fail "cpack"; }
    dpkg-deb -f pack/*.deb Depends | grep -q 'gnuplot-nox | gnuplot.*libgsl' || fail "Depends: $(dpkg-deb -f pack/*.deb)"
    dpkg-deb -x pack/*.deb unpacked
    [ "$(ls unpacked)" = usr ] || fail "the package holds $(ls unpacked)"
    mkdir packed
    (cd packed && hidden "$here/unpacked/usr/bin/stillpoint" run ../e.lua -j 2 --quiet) || fail "the packed program"
    cmp packed/results/e/runs.tsv built/results/e/runs.tsv || fail "the packed program gives other bytes"
    cmp packed/plots/e/f.svg built/plots/e/f.svg || fail "the packed program draws another figure"
fi
