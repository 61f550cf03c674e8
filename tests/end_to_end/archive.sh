#!/bin/sh
# An experiment in one file: what is in it, the same bytes again, read by tar and sha256sum; `compare` and `verify` take it
# for a folder of results, and refuse one in which a byte, a member or a path is not what `archive` wrote.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
# codes EXPECTED WORDS...: leaves the output in out.txt and err.txt.
codes() {
    expected=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$expected" ] || { cat out.txt err.txt >&2; fail "$*: exit code $code, expected $expected"; }
}
says() { grep -qF -- "$1" out.txt err.txt || { cat out.txt err.txt >&2; fail "it does not say '$1'"; }; }
TMPDIR=$PWD/unpacked
export TMPDIR
mkdir unpacked

mkdir -p home/experiments/parts
cat >home/experiments/parts/half.lua <<'LUA'
return 0.5
LUA
cat >home/experiments/mine.lua <<'LUA'
local half = include "parts/half.lua"
algorithm{ name = "descent", params = { steps = 4 }, run = function (o, p, w)
  local m = o:calibrate{ { kind = "gradient", count = p.steps } }
  local all = o:draw("full")
  for t = 1, p.steps do w:add(-half, o:gradient(all, w, m[1])); o:checkpoint(t, w) end
end }
return { seed = 7, replicates = 3, problem = { loss = "logistic", data = "logistic", n = { 200, 400 }, d = 3 },
         privacy = { epsilon = 1, delta = 1e-5 }, algorithms = { { "dp_gd", steps = 5 }, { "descent" } },
         measures = { "grad_norm" }, figures = { { kind = "rate", name = "n", x = "n", y = "grad_norm" } },
         scales = { smoke = { replicates = include "parts/half.lua" * 4 } } }
LUA
cd home
"$STILLPOINT" run experiments/mine.lua --quiet
"$STILLPOINT" run experiments/mine.lua --quiet --scale smoke --no-plot
codes 0 archive mine
says 'mine.tar: '
grep -q "SHA-256 $(sha256sum mine.tar | cut -d ' ' -f 1)$" out.txt || fail "the hash that it prints"

# What is in it; other programs read it; the same bytes again, of a copy too, whatever has been made beside.
tar tf mine.tar >members.txt
for member in SHA256SUMS experiments/mine.lua experiments/parts/half.lua plots/mine/n.svg results/mine/cells.tsv \
    results/mine/runs.tsv results/mine/provenance.tsv results/mine/keys.tsv results/mine/figures/n.tsv; do
    [ "$(grep -cxF "$member" members.txt)" -eq 1 ] || { cat members.txt >&2; fail "$member is not in it"; }
done
if grep -E 'store|timings|traces|smoke' members.txt; then fail "what should be left out"; fi
mkdir by_hand
tar xf mine.tar -C by_hand
(cd by_hand && sha256sum --quiet --strict -c SHA256SUMS) || fail "sha256sum"
[ "$(find by_hand -type f | wc -l)" -eq "$(wc -l <members.txt)" ] || fail "files"
codes 0 archive experiments/mine.lua -o again.tar --quiet
cmp mine.tar again.tar || fail "other bytes"
codes 0 archive by_hand/experiments/mine.lua --root by_hand -o copy.tar
cmp mine.tar copy.tar || fail "other bytes from a copy"
gzip -n by_hand/results/mine/runs.tsv
codes 0 archive mine --root by_hand -o packed.tar
cmp mine.tar packed.tar || fail "other bytes where a table lies packed"
gunzip --keep by_hand/results/mine/runs.tsv.gz
codes 2 archive mine --root by_hand -o both.tar
says 'runs.tsv'
[ ! -e both.tar ] || fail "both forms of a table"
rm by_hand/results/mine/runs.tsv.gz
codes 0 archive mine --scale smoke
tar tf mine.smoke.tar | grep -qxF results/mine.smoke/runs.tsv || fail "smoke"

# A baseline: against the folder, the experiment, itself; methods from the file alone.
codes 0 compare mine.tar results/mine
says '1: mine.tar: 12 runs, commit '
codes 0 compare mine mine.tar
codes 0 compare mine.tar again.tar
codes 4 compare mine.smoke.tar mine.tar --quiet
says '8 runs in both: 8 the same in every field'
codes 0 compare mine.tar dp_gd descent
codes 0 compare mine dp_gd descent
codes 0 verify mine.tar --sample 100
says 'mine.tar: 12 of 12 runs are the same in every field; chosen from 12'
codes 0 verify mine.smoke.tar
says 'mine.smoke.tar: 5 of 5 runs'

# A number that is not what the program makes, in an archive whose hashes are right.
cp -r by_hand changed
sh "$SOURCE/tests/unsealed.sh" changed/results/mine
awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { $at["grad_norm"] = 0.2385 } { print }' \
    changed/results/mine/runs.tsv >runs.tsv
mv runs.tsv changed/results/mine/runs.tsv
codes 2 archive changed/experiments/mine.lua --root changed -o changed.tar # nobody has sealed them
says 'stillpoint verify --seal mine'
"$STILLPOINT" verify --seal changed/experiments/mine.lua --root changed --plain --quiet 2>said.txt && fail "derived tables of other runs"
grep -q 'summary.tsv' said.txt || { cat said.txt >&2; fail "which derived table"; }
codes 2 archive changed/experiments/mine.lua --root changed -o changed.tar
says 'summary.tsv'
codes 0 plot changed/experiments/mine.lua --root changed
codes 0 archive changed/experiments/mine.lua --root changed -o changed.tar
codes 1 verify changed.tar --sample 100
says '= 0.2385 in changed.tar/runs.tsv:2, '
says 'changed.tar: 11 of 12 runs are the same'
codes 3 compare changed.tar mine.tar
says '11 the same in every field; others differ in grad_norm (1)'

# What has changed in the file is named.
refused() { # FILE TEXT
    for verb in "verify $1" "compare mine $1" "compare $1 mine.tar" "compare $1 dp_gd"; do
        codes 1 $verb
        says "$1: $2"
    done
}
/usr/bin/python3 - <<'PYTHON' || exit 1
import hashlib, io, tarfile
whole = open("mine.tar", "rb").read()
at = whole.index(b"0.", whole.index(b"grad_norm", whole.index(b"results/mine/runs.tsv", 2048)))
open("byte.tar", "wb").write(whole[:at] + b"1" + whole[at + 1:])
open("cut.tar", "wb").write(whole[:at])
open("empty.tar", "wb").write(b"")
open("other.tar", "wb").write(b"run\tgrad_norm\n" * 100)
members = {m.name: tarfile.open("mine.tar").extractfile(m).read() for m in tarfile.open("mine.tar")}

def pack(name, members, sums=None, format=tarfile.USTAR_FORMAT, **more):
    with tarfile.open(name, "w", format=format) as tar:
        rest = {k: v for k, v in sorted(members.items()) if k != "SHA256SUMS"}
        first = sums if sums is not None else "".join(
            "%s  %s\n" % (hashlib.sha256(v).hexdigest(), k) for k, v in rest.items()).encode()
        for k, v in [("SHA256SUMS", first)] + list(rest.items()):
            info = tarfile.TarInfo(k)
            info.size, info.mode = len(v), 0o644
            for key, value in more.get(k.replace("/", "_").replace(".", "_"), {}).items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(v))
    data = open(name, "rb").read().rstrip(b"\0") # tarfile fills ten blocks up
    open(name, "wb").write(data + b"\0" * (-len(data) % 512) + b"\0" * 1024)

sums = members["SHA256SUMS"]
pack("python.tar", members)
pack("missing.tar", {k: v for k, v in members.items() if k != "results/mine/cells.tsv"}, sums)
pack("extra.tar", dict(members, **{"results/mine/summary2.tsv": b"x\n"}), sums)
pack("escape.tar", dict(members, **{"results/../../escaped.tsv": b"x\n"}))
pack("root.tar", dict(members, **{"/tmp/escaped.tsv": b"x\n"}))
pack("link.tar", members, experiments_mine_lua={"type": tarfile.SYMTYPE, "linkname": "/etc/passwd", "size": 0})
pack("owner.tar", members, experiments_mine_lua={"uname": "somebody"})
pack("later.tar", members, experiments_mine_lua={"mtime": 1})
pack("long.tar", members, format=tarfile.PAX_FORMAT, experiments_mine_lua={"pax_headers": {"comment": "hidden"}})
pack("strange.tar", dict(members, **{"results/yours/runs.tsv": b"x\n"}))
pack("script.tar", {k: v for k, v in members.items() if k != "experiments/mine.lua"})
pack("tables.tar", {k: v for k, v in members.items() if not k.startswith("results/")})
PYTHON
codes 0 compare python.tar mine.tar # headers of another program that hold nothing else
refused byte.tar 'results/mine/runs.tsv: changed: SHA-256 '
refused cut.tar 'results/mine/runs.tsv: the file is cut short: it has '
refused empty.tar 'no archive of `stillpoint archive`'
refused other.tar 'no archive of `stillpoint archive`'
refused missing.tar 'results/mine/cells.tsv: missing'
refused extra.tar 'results/mine/summary2.tsv: a member that SHA256SUMS does not list'
refused escape.tar 'results/../../escaped.tsv: '
refused root.tar '/tmp/escaped.tsv: '
refused link.tar 'experiments/mine.lua: not a regular file'
refused owner.tar 'experiments/mine.lua: its header'
refused later.tar 'experiments/mine.lua: its header'
refused long.tar 'experiments/mine.lua: its header'
refused strange.tar 'results/yours/runs.tsv: not of the experiment mine'
refused script.tar 'experiments/mine.lua: missing'
refused tables.tar 'no tables in it'
for verb in "verify nowhere.tar" "compare mine nowhere.tar" "compare nowhere.tar dp_gd"; do
    codes 2 $verb
    says 'nowhere.tar: No such file'
done
[ ! -e ../escaped.tsv ] && [ ! -e /tmp/escaped.tsv ] || fail "something escaped"

# What it would run is refused; a program goes into it all the same.
cat >experiments/program.lua <<'LUA'
return { seed = 7, problem = { loss = "logistic", data = "logistic", n = 200, d = 3 }, privacy = { epsilon = 1, delta = 1e-5 },
         algorithms = { { "external", label = "mine", command = { "sh", "parts/mine.sh" } } }, measures = { "grad_norm" } }
LUA
echo 'touch started; exit 1' >experiments/parts/mine.sh
"$STILLPOINT" run experiments/program.lua --quiet --no-audit --no-plot 2>/dev/null || true
codes 0 archive program
says 'not packed, for it is outside'
tar tf program.tar | grep -qxF experiments/parts/mine.sh || fail "its program"
rm -f experiments/started
codes 2 verify program.tar
says 'program.tar: its experiment runs programs'

# Mistakes.
codes 2 archive
codes 2 archive mien
says 'mien: no such experiment'
codes 2 archive mine -o mine.zip
says "--output mine.zip: an archive's name ends in .tar"
codes 1 archive mine -o nowhere/mine.tar
says 'nowhere/mine.tar: No such file'
codes 2 archive quickstart
says 'no runs.tsv there'
codes 2 verify mine.tar results/mine
says 'mine.tar has tables of its own'
sed 's/seed = 7/seed = 8/' by_hand/experiments/mine.lua >experiments/mine.lua
codes 2 archive mine -o late.tar
says 'none of its 12 rows is of a run that'
[ ! -e late.tar ] && [ ! -e started ] && [ ! -e experiments/started ] || fail "left behind"
[ -z "$(ls "$TMPDIR")" ] || fail "what was unpacked is still there: $(ls "$TMPDIR")"
