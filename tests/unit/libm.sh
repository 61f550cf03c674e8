#!/bin/sh
# No transcendental function of libm, whose last digits differ between versions and processors, in what leads to a result:
# core/numeric/math.h has our own. The accountants, special functions and statistics keep libm's; core/numeric/pin.h pins them.
# fma is none of them: IEEE 754 says which number it gives, and unit/math that it does.
set -eu
build=$(dirname "$STILLPOINT")
names='exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh'
names="$names|atanh|erf|erfc|tgamma|lgamma|lgamma_r|hypot|cbrt"
failures=0

# check LIBRARY [EXCEPT]: what the library's objects must not take from libm, "exp" or "__exp_finite".
check() {
    nm -A "$build/libsp_$1.a" 2>/dev/null | grep -v ":${2-}\.c\.o:" >objects.txt || { echo "no library $1" >&2; exit 1; }
    if grep -E " U (__)?($names)[fl]?(_finite)?(@.*)?\$" objects.txt >&2; then failures=1; fi
}
for library in base data losses optimum certify algorithms measures; do
    check $library
done
check oracle transcript # compares two runs for the audit; no result takes its norm
[ $failures -eq 0 ] && echo "no libm"
exit $failures
