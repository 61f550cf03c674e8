#!/bin/sh
# What unit/floors is for, planted in a copy of the sources: each is found.
set -eu
here=$PWD
mkdir -p house/build
(cd "$SOURCE" && tar cf - CMakeLists.txt cmake core algorithms losses measures) | (cd house && tar xf -)
cd house

# plant FILE: its new text is put before the old one
plant() {
    cat - "$1" >"$here/planted"
    mv "$here/planted" "$1"
}

plant algorithms/dp_gd.c <<'END'
#include "../core/data/dataset.h"
END
plant algorithms/dp_ngd.c <<'END'
#include <core/data/dataset.h>
END
plant algorithms/dp_sgd.c <<'END'
#define HERE "core/data/dataset.h"
#include HERE
END
plant algorithms/dp_srm.c <<'END'
#include "core/base/clock.h"
END
plant measures/objective.c <<'END'
#include "core/oracle/oracle.h"
END
# what no look at the sources finds
plant algorithms/sgd.c <<'END'
#inc\
lude "core/oracle/oracle_host.h"
END
cat >>algorithms/gd.c <<'END'
const void *sp_oracle_ledger(const sp_oracle *);
long time(long *);
extern int sp_look(const sp_oracle *);
static int looks;
int sp_look(const sp_oracle *o)
{
    return ++looks + (sp_oracle_ledger(o) != NULL) + (int)time(NULL) /* + __builtin_ia32_rdtsc(), where there is one */;
}
END
cat >>measures/grad_norm.c <<'END'
void sp_noise_gaussian(void *, double, size_t, double *);
extern void sp_draw_some(double *);
void sp_draw_some(double *v)
{
    sp_noise_gaussian(NULL, 1.0, 1, v);
}
END

# build ROOM FILE...: objects, the compiler's lists and a library
build() {
    room=$1
    shift
    for file; do
        object=build/CMakeFiles/sp_$room.dir/$file.o
        mkdir -p "${object%/*}"
        "${CC:-cc}" -std=c11 -D_GNU_SOURCE -I"$PWD" -w -MD -MF "$object.d" -c "$file" -o "$object"
    done
    find "build/CMakeFiles/sp_$room.dir" -name '*.o' -exec ar rc "build/libsp_$room.a" {} +
}
build algorithms algorithms/gd.c algorithms/sgd.c
build measures measures/grad_norm.c
build oracle core/oracle/noise.c

code=0
SOURCE=$PWD STILLPOINT=$PWD/build/stillpoint sh "$SOURCE/tests/unit/floors.sh" 2>"$here/said" || code=$?
[ "$code" -ne 0 ] || { echo "nothing was found"; exit 1; }

failures=0
# found LINE: an extended regular expression that a line of what was said has to match
found() {
    grep -qE "$1" "$here/said" || { echo "not found: $1"; failures=1; }
}
found '^algorithms/dp_gd\.c:1:'
found '^algorithms/dp_ngd\.c:1:'
found '^algorithms/dp_sgd\.c:2:#include HERE'
found '^algorithms/dp_srm\.c:1:'
found '^measures/objective\.c:1:'
found '^algorithms/sgd\.c: core/oracle/oracle_host\.h$'
found '^algorithms/gd\.c:[0-9]+:.*__builtin_ia32_rdtsc'
found 'gd\.c\.o: sp_oracle_ledger$'
found 'gd\.c\.o: time$'
found 'gd\.c\.o:looks'
found 'grad_norm\.c\.o: sp_noise_gaussian$'
found '^measures: sp_noise_gaussian of oracle$'
[ "$failures" -eq 0 ] && echo "all found" || cat "$here/said"
exit "$failures"
