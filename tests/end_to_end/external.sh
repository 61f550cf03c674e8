#!/bin/sh
# Methods that are programs as a user runs them: the one of docs/how_to/method_as_program.md and one in Perl beside their twin in C, swept,
# tuned, inside another method; programs that fail cost their own runs and are quoted, one that never answers ends with
# the run's time limit; edits of files and of declared variables make runs stale; two workers give the same bytes; the audit says what it is handed.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' "$SOURCE/docs/how_to/method_as_program.md" >mine.py
[ "$(grep -c . mine.py)" -le 15 ] || fail "dp_gd takes $(grep -c . mine.py) lines"
[ "$(wc -l <"$SOURCE/clients/stillpoint.py")" -le 100 ] || fail "the client has more than 100 lines"
cat >mine.pl <<'PERL'
binmode STDIN; binmode STDOUT; $| = 1;
require './part.pl';
my ($version, $names, @x) = take();
die "version $version" unless $version == 1;
my @names = split /\n/, $names;
my %o; @o{@names} = splice @x, 0, @names;
my ($m) = call(1, '', 0, 0, 0, 0, $o{'p.steps'}, 0, 0, 0, 0);
my ($all) = call(2, '', 0, 0, 0);
for my $t (1 .. $o{'p.steps'}) {
    my @g = call(3, '', $all, $m, 0, 0, @x);
    @x = call(13, '', -$o{'p.eta'}, @x, @g);
    call(11, '', $t, @x);
}
frame(0, '', @x);
PERL
cat >part.pl <<'PERL'
sub frame { my ($code, $text, @x) = @_; print pack('VVQ<', $code, length $text, scalar @x), pack('d<*', @x), $text }
sub take {
    read(STDIN, my $head, 16) == 16 or exit 1;
    my ($code, $length, $count) = unpack 'VVQ<', $head;
    my ($numbers, $text) = ('', '');
    read STDIN, $numbers, 8 * $count if $count;
    read STDIN, $text, $length if $length;
    return ($code, $text, unpack 'd<*', $numbers);
}
sub call { frame(@_); my ($refused, $text, @x) = take(); die "$text\n" if $refused; @x }
1;
PERL
echo 'print STDERR "words before the last\nout of ideas\n"; exit 7' >dies.pl
cat >e.lua <<'LUA'
return {
  seed = 17, replicates = 2,
  problem = { loss = "pseudo_huber", data = "linear", n = { 200, 500 }, d = 5 },
  privacy = { epsilon = 2, delta = 1e-6, noise = "off" },
  algorithms = {
    { "external", label = "python", command = { "python3", "mine.py" }, steps = 9, eta = { 0.3, 0.5 } },
    { "external", label = "perl", command = { "perl", "mine.pl" }, files = { "part.pl" }, steps = 9, eta = { 0.3, 0.5 } },
    { "dp_gd", steps = 9, eta = { 0.3, 0.5 }, select = "last" },
    { "external", label = "dies", command = "perl dies.pl" },
    { "external", label = "tuned", command = { "perl", "mine.pl" }, steps = 9,
      tune = { eta = { 0.3, 0.5 } } },
    { "warm_start", first = { "external", command = { "perl", "mine.pl" }, steps = 5, eta = 0.3 }, second = "dp_gd" },
  },
  measures = { "grad_norm" },
}
LUA
code=0
"$STILLPOINT" run e.lua --no-audit -j 1 >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] || { cat err.txt >&2; fail "exit code $code, where four runs fail"; }
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["cell"], $at["label"] }' \
    results/e/cells.tsv >labels
values() { # label, column of runs.tsv
    awk -F '\t' -v label="$1" -v name="$2" '
        FILENAME == "labels" { split($0, f, " "); if (f[2] == label) mine[f[1]]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["cell"] in mine { print $at[name] }' labels results/e/runs.tsv
}
values dp_gd grad_norm >expected
[ "$(grep -vc NaN expected)" -eq 8 ] || fail "dp_gd has failed"
for label in python perl; do
    values $label grad_norm >found
    cmp found expected || { values $label message >&2; fail "$label is not dp_gd"; }
done
values dies message | sort -u >said
printf '%s\n' 'perl: it has ended before its answer (exit code 7); its last line: out of ideas' | cmp - said ||
    { cat said >&2; fail "what the row of a program that died says"; }
[ "$(values tuned status | sort -u)" = ok ] || fail "the tuned one: $(values tuned message | sort -u)"
[ "$(values warm_start status | sort -u)" = ok ] || fail "inside warm_start: $(values warm_start message | sort -u)"

# The same bytes with two workers.
mkdir two
cp e.lua ./*.p[ly] two
(cd two && "$STILLPOINT" run e.lua --no-audit -j 2 >/dev/null 2>&1) || true
for table in cells runs traces tuning; do
    cmp "results/e/$table.tsv" "two/results/e/$table.tsv" || fail "two workers: $table.tsv"
done

# What makes runs stale: done, failed, stale of a label
counts() {
    "$STILLPOINT" status e.lua >out.txt 2>&1 || true
    awk -v name="main/$1" '$1 == name && $2 + 0 > 0 { print $3, $4, $5 }' out.txt
}
[ "$(counts python) $(counts perl)" = "8 0 0 8 0 0" ] || { cat out.txt >&2; fail "after a run"; }
echo '# more' >>mine.py
[ "$(counts python) $(counts perl)" = "0 0 8 8 0 0" ] || { cat out.txt >&2; fail "after an edit of mine.py"; }
echo '# more' >>part.pl
[ "$(counts perl) $(counts tuned)" = "0 0 8 4 0 0" ] || { cat out.txt >&2; fail "after an edit of part.pl"; }
grep -q "algorithm external changed" out.txt || { cat out.txt >&2; fail "what changed is not said"; }

# Variables: what is not declared does not come through, and changes nothing; what is declared counts with its value.
cat >told.pl <<'PERL'
require './part.pl';
binmode STDIN; binmode STDOUT; $| = 1;
my ($version, $names, @x) = take();
open my $told, '>', 'told' or die;
print $told "$_=$ENV{$_}\n" for grep { /^(STEP|OTHER|LANG|LC_ALL|HOME|PYTHONPATH|STILLPOINT.*)$/ } sort keys %ENV;
close $told;
frame(0, '', @x[-3 .. -1]);
PERL
cat >told.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "external", label = "told", command = { "perl", "told.pl" }, files = { "part.pl" },
                          environment = { "STEP" } } } }
LUA
told() { # the variables that it finds
    rm -f told
    "$STILLPOINT" run told.lua --no-audit --no-plot >out.txt 2>&1 || { cat out.txt >&2; fail "told.lua"; }
    grep -v '^PYTHONPATH=.*/clients$' told | tr '\n' ' '
}
state() { "$STILLPOINT" status told.lua 2>&1 | awk '$1 == "main/told" { print $3, $4, $5 }'; }
export STEP=3 OTHER=5 LC_ALL=C.UTF-8
found=$(told)
[ "$found" = "LANG=C STEP=3 " ] || fail "STEP = 3 and no other: $found"
OTHER=6 LC_ALL=C PYTHONPATH=/nowhere TMPDIR=/tmp
export PYTHONPATH TMPDIR
[ "$(state)" = "1 0 0" ] || fail "variables that it does not get count: $(state)"
STEP=4
[ "$(state)" = "0 0 1" ] || fail "another value of one that it gets does not: $(state)"
found=$(told)
[ "$found" = "LANG=C STEP=4 " ] || fail "STEP = 4 and no other: $found"
unset STEP
[ "$(state)" = "0 0 1" ] || fail "that it is not set does not count: $(state)"
unset OTHER LC_ALL PYTHONPATH TMPDIR

# A program that never answers ends with its run, at the time limit.
cat >hangs.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "external", command = { "perl", "-e", "open F, '>hanging'; print F $$; close F; sleep 600" } } } }
LUA
"$STILLPOINT" run hangs.lua --no-audit --time-limit 2 >/dev/null 2>&1 && fail "a run without an end succeeds"
grep -q "time limit of 2 s" results/hangs/runs.tsv || { cat results/hangs/runs.tsv >&2; fail "no time limit"; }
for _ in $(seq 1 300); do # gone, or dead and not yet taken note of by the system's first process
    state=$(sed 's/.*) //; s/ .*//' "/proc/$(cat hanging)/stat" 2>/dev/null || echo gone)
    case $state in gone | Z) break ;; esac
    sleep 0.2
done
case $state in gone | Z) ;; *) fail "the program lives on: $state" ;; esac

# What a program may not do: look into the processes that hold the records, its keeper, the worker and the one above. Root may.
cat >looks.pl <<'PERL'
require './part.pl';
binmode STDIN; binmode STDOUT; $| = 1;
my ($version, $names, @x) = take();
my $pid = getppid;
for (1 .. 3) {
    print STDERR "process $pid was open\n" and exit 1 if open my $memory, '<', "/proc/$pid/mem";
    open my $stat, '<', "/proc/$pid/stat" or die; <$stat> =~ /.*\) \S (\d+)/ or die; $pid = $1;
}
frame(0, '', @x[-3 .. -1]);
PERL
mkdir looks
cp looks.pl part.pl looks
cat >looks/l.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "external", command = { "perl", "looks.pl" } } } }
LUA
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid 65534 --clear-groups"
chmod -R a+rwX looks # whatever the umask
if $as "$STILLPOINT" --version >/dev/null 2>&1 && $as test -r "$PWD/looks/l.lua"; then
    (cd looks && STILLPOINT_CACHE=$PWD/cache $as "$STILLPOINT" run l.lua --no-audit >out.txt 2>&1) ||
        { cat looks/out.txt >&2; fail "a program can look into the processes that hold the records"; }
else
    echo "not tried: running as another user"
fi

# The audit of a program that starts fast, and what is said of it.
cat >audited.lua <<'LUA'
return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 100, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "external", command = { "perl", "mine.pl" }, steps = 5, eta = 0.1 } } }
LUA
"$STILLPOINT" run audited.lua >/dev/null 2>err.txt || true
grep -q "audit: external: a program of its own: it is handed the oracle's answers and no record" err.txt ||
    { cat err.txt >&2; fail "the audit does not say what it is handed"; }

# Mistakes are told before anything runs.
refused() { # the entry, what is said
    printf 'return { seed = 1, problem = { loss = "pseudo_huber", data = "linear", n = 9, d = 3 }, privacy = { epsilon = 1,
        delta = 1e-6 }, measures = { "grad_norm" }, algorithms = { %s } }' "$1" >bad.lua
    "$STILLPOINT" plan bad.lua >out.txt 2>err.txt && fail "plan accepts $1"
    grep -qF "$2" err.txt || { cat err.txt >&2; fail "$1: not said: $2"; }
}
refused '{ "external" }' 'algorithms[1].command: missing (the program and its arguments, a list of words; required)'
refused '{ "external", command = { "no_such_program" } }' 'there is no program no_such_program on the PATH'
refused '{ "external", command = { "perl", {} } }' 'must be a word'
refused '{ "external", command = { "perl" }, mode = "fast" }' 'a text goes into its command'
refused '{ "external", command = { "perl" }, files = { "gone" } }' 'gone: '
refused '{ "external", command = { "perl" }, patience = -1 }' 'patience'
refused '{ "external", command = { "perl" }, environment = { "PERL-LIB" } }' \
    'algorithms[1].environment: "PERL-LIB" is no name of a variable'
refused '{ "external", command = { "perl" }, environment = { "A=1" } }' 'environment: "A=1" is no name: the value is'
refused '{ "external", command = { "perl" }, environment = { "STILLPOINT_DATA" } }' 'a program is not told where data lie'
refused '{ "external", command = { "perl" }, environment = 7 }' 'algorithms[1].environment: must be a list of words'
refused '{ "externl", command = { "perl" } }' 'did you mean external?'
