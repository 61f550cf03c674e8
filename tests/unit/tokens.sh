#!/bin/sh
# The hash of a source over its tokens (cmake/tokens.cmake): pairs of texts with the same tokens and with other ones, and
# files that are moved and edited in a tree (cmake/registry.cmake).
set -eu
failures=0
fail() { echo "FAILED: $*" >&2; failures=1; }

# --- pairs ------------------------------------------------------------------------------------------------------
mkdir pairs
count=0
# pair same|other A B
pair() {
    count=$((count + 1))
    printf '%s' "$2" >"pairs/$count.a"
    printf '%s' "$3" >"pairs/$count.b"
    echo "$count $1" >>kinds
}
pair same  'double eta = 2.385; /* step */' 'double eta=2.385;// a step size'
pair same  'x /**/ y' 'x y'
pair same  'x/* a
 * b "c" */y' 'x
y'
pair same  'f( (a),b );' 'f((a), b);'
pair same  '/* "unclosed */ int a; /* '\'' */' 'int a;'
pair same  '// it'\''s
int a;' 'int a;'
pair same  'int a; /***/ int b; /**a**/' 'int a; int b;'
pair same  '#include "core/base/x.h"' '#include "core/numeric/x.h"'
pair same  '#include "core/base/x.h"' '  #  include   "x.h" // where'
pair same  '#define HALF(x) \
    ((x) / 2)' '#define HALF(x) ((x) / 2)'
pair same  '// a \
int comment;
int a;' 'int a;'
pair same  'int a;' '
 int a ;

'
pair same  "$(printf 'int a;\r\n#if A\r\n#endif\r\n')" 'int a;
#if A
#endif'
pair same  'a+ +b' 'a + +b'
pair same  'a - -b' 'a- -b'
pair same  'x<y>z' 'x < y > z'
pair same  'case 7:;' 'case 7 : ;'
pair same  '#if A /* one
line */ > 3
int a;
#endif' '#if A > 3
int a;
#endif'
pair same  '"a" "b"' '"a"  /* and */ "b"'
pair same  '#' ' # /* null */'
pair same  'a ? b : c' 'a?b:c'
pair same  'int
a
;' 'int a;'

pair other 'double eta = 2.385;' 'double eta = 2.386;'
pair other 'double eta = 2.385;' 'double etb = 2.385;'
pair other 'double eta = 2.385;' 'double eta = 2.385'
pair other 'double eta = 2.385;' ''
pair other 'a+ +b' 'a++b'
pair other 'a+ ++b' 'a++ +b'
pair other 'a - -b' 'a--b'
pair other 'a - > b' 'a->b'
pair other 'a < < b' 'a<<b'
pair other 'a >>= b' 'a >> = b'
pair other 'a & & b' 'a && b'
pair other 'a < : b' 'a <: b'
pair other '. . .' '...'
pair other 'x y' 'xy'
pair other 'x/**/y' 'xy'
pair other '"a // b"' '"a "'
pair other '"a // b"' '"a // c"'
pair other '"a /* b */ c"' '"a  c"'
pair other '"a  b"' '"a b"'
pair other '"a" "b"' '"ab"'
pair other '"\"// a"' '"\"// b"'
pair other '"\\" // "a' '"\\" "a'
pair other "'a'" "'b'"
pair other "'\"' // '\"'" "'\"' + '\"'"
pair other "'\\''" "'\\\\'"
pair other "' '" "'  '"
pair other 'L"a"' 'L "a"'
pair other 'u8"a"' '"a"'
pair other '7' '7u'
pair other '7ul' '7 ul'
pair other '1e-5' '1e - 5'
pair other '0x1p+3' '0x1p + 3'
pair other '.5' '. 5'
pair other '1.' '1 .'
pair other '#include "core/base/x.h"' '#include "core/base/y.h"'
pair other '#include "x.h"' '#include <x.h>'
pair other '#include <gsl/gsl_rng.h>' '#include <gsl/gsl_sys.h>'
pair other 'a = "core/base/x.h"' 'a = "core/numeric/x.h"'
pair other '#define F(x) x' '#define F (x) x'
pair other '#define A b
c' '#define A b c'
pair other '#if A
#endif
int a;' '#if A
int a;
#endif'
pair other '#if A
-b
#endif' '#if A -b
#endif'
pair other '#
define A' '#define A'
pair other '#define S(x) #x' '#define S(x) x'
pair other '#define C(x, y) x##y' '#define C(x, y) x # # y'
pair other 'int a[7];' 'int a[8];'
pair other 'a;b' 'a,b'
pair other "a \\ b" "a b"

cat >pairs.cmake <<'CMAKE'
include(${SOURCE}/cmake/tokens.cmake)
file(STRINGS kinds kinds)
foreach(line IN LISTS kinds)
  string(REPLACE " " ";" line ${line})
  list(GET line 0 number)
  list(GET line 1 kind)
  token_hash(a pairs/${number}.a)
  token_hash(b pairs/${number}.b)
  if(a STREQUAL b)
    set(found same)
  else()
    set(found other)
  endif()
  if(NOT found STREQUAL kind)
    message("${number}: ${found}, not ${kind}")
  endif()
endforeach()
CMAKE
cmake -D SOURCE="$SOURCE" -P pairs.cmake 2>wrong || fail "pairs.cmake"
while read -r number found; do
    fail "pair $number found: $found"
    paste -d '|' "pairs/${number%:}.a" "pairs/${number%:}.b" >&2
done <wrong
[ "$count" -gt 60 ] || fail "only $count pairs"

# --- a tree -----------------------------------------------------------------------------------------------------
mkdir -p tree/core/base tree/core/numeric tree/core/store tree/algorithms tree/losses tree/measures
echo 'double sp_a(void) { return 2.385; }' >tree/core/base/a.c
echo '#include "core/base/b.h"' >tree/core/base/b.c
echo 'double sp_b(double);' >tree/core/base/b.h
echo 'double sp_c(void) { return 0.731; }' >tree/core/numeric/a.c # a second file of that name
echo 'const sp_loss sp_loss_made = { 1 };' >tree/losses/made.c
echo 'int sp_stored(void) { return 17; }' >tree/core/store/s.c
# "core" or another name
hash() {
    cmake -D ROOT="$PWD/tree" -D OUT="$PWD/registry.c" -P "$SOURCE/cmake/registry.cmake"
    sed -n "s|^    { \"$1\", \"\([0-9a-f]*\)\" },\$|\1|p" registry.c
}
core=$(hash core)
loss=$(hash losses/made)
[ ${#core} = 64 ] && [ ${#loss} = 64 ] || fail "hashes '$core' and '$loss'"
# changes same|other WHAT: is core the same as before WHAT?
changes() {
    now=$(hash core)
    case $1 in
    same) [ "$now" = "$core" ] || fail "$2 changes the hash" ;;
    other) [ "$now" != "$core" ] || fail "$2 does not change the hash" ;;
    esac
}
mv tree/core/base/b.[ch] tree/core/numeric
sed -i 's|core/base|core/numeric|; s|$| /* moved */|' tree/core/numeric/b.c
changes same "a move between counted rooms"
mv tree/core/base/a.c tree/a.c
mv tree/core/numeric/a.c tree/core/base/a.c
mv tree/a.c tree/core/numeric/a.c
changes same "an exchange of two files of one name"
echo 'int sp_stored(void) { return 18; }' >tree/core/store/s.c
changes same "an edit in an uncounted room"
cp tree/core/numeric/a.c kept.c
cp tree/core/base/a.c tree/core/numeric/a.c
changes other "an edit of one of two files of one name"
rm tree/core/numeric/a.c
changes other "the removal of one of two files of one name"
cp kept.c tree/core/numeric/a.c
changes same "the file put back"
mv tree/core/numeric/a.c tree/core/store/a.c
changes other "a move out of a counted room"
mv tree/core/store/a.c tree/core/numeric/d.c
changes other "another name"
[ "$(hash losses/made)" = "$loss" ] || fail "a loss changes with the core"
echo '/* a comment */' >>tree/losses/made.c
[ "$(hash losses/made)" = "$loss" ] || fail "a comment in a loss changes its hash"
sed -i 's/1/2/' tree/losses/made.c
[ "$(hash losses/made)" != "$loss" ] || fail "a number in a loss does not change its hash"
exit $failures
