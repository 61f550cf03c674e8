/* pin.c -- what sp_pin leaves in the environment, whatever was there. With an argument this program is its own subject:
 * it pins itself and prints the variable of that name, or how many threads OpenBLAS uses. */
#include "core/numeric/pin.h"
#include "tests/check.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

int openblas_get_num_threads(void); /* OpenBLAS's own header clashes with GSL's */

/* The variable after the program ran with `before` ("NAME=value ...") in its environment */
static void check(const char *before, const char *name, const char *expected)
{
    char self[PATH_MAX] = "", command[PATH_MAX + 512], got[512] = "";
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command,
             "env -u GLIBC_TUNABLES -u OPENBLAS_CORETYPE -u OPENBLAS_NUM_THREADS -u OMP_NUM_THREADS %s '%s' %s", before,
             self, name);
    FILE *out = popen(command, "r");
    CHECK(out && fgets(got, sizeof got, out) && pclose(out) == 0);
    got[strcspn(got, "\n")] = '\0';
    CHECK_TEXT(got, expected);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        if (sp_pin(argv, NULL) != SP_OK)
            return 1;
        const char *value = getenv(argv[1]);
        if (strcmp(argv[1], "threads") == 0)
            printf("%d\n", openblas_get_num_threads());
        else
            puts(value ? value : "(none)");
        return 0;
    }
    check("", "OPENBLAS_NUM_THREADS", "1");
    check("OPENBLAS_NUM_THREADS=2", "OPENBLAS_NUM_THREADS", "1");
    check("", "threads", "1");
    check("OPENBLAS_NUM_THREADS=4", "threads", "1");
    check("OMP_NUM_THREADS=4", "threads", "1");
    check("GOTO_NUM_THREADS=4", "threads", "1");
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        for (int empty = 0; empty < 2; empty++)
            check(empty ? "OPENBLAS_CORETYPE=" : "", "OPENBLAS_CORETYPE", "Haswell");
    check("OPENBLAS_CORETYPE=Nehalem", "OPENBLAS_CORETYPE", "Nehalem");
#if defined(__GLIBC__)
    const char *tunables = "GLIBC_TUNABLES";
    check("", tunables, "glibc.cpu.hwcaps=-FMA,-FMA4");
    check("GLIBC_TUNABLES=", tunables, "glibc.cpu.hwcaps=-FMA,-FMA4");
    check("GLIBC_TUNABLES=glibc.malloc.check=0", tunables, "glibc.malloc.check=0:glibc.cpu.hwcaps=-FMA,-FMA4");
    check("GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2:glibc.malloc.check=0", tunables,
          "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2:glibc.malloc.check=0");
    check("GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4", tunables, "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4");
#endif
#endif
    return sp_check_done();
}
