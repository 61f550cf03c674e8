/* platform.c -- describes the versions of the numerical libraries in use (platform.h). */
#include "core/run/platform.h"

#include "core/numeric/blas.h"

#include <fftw3.h>
#include <gsl/gsl_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

static const char separators[] = "; ";

static const char *libm_version(void)
{
#if defined(__GLIBC__)
    return gnu_get_libc_version();
#else
    return "unknown";
#endif
}

/* glibc's libm takes its variants with FMA on a processor that has it, unless pin.h's mask is in force. */
static const char *libm_variant(void)
{
#if defined(__x86_64__)
    const char *tunables = getenv("GLIBC_TUNABLES");
    return __builtin_cpu_supports("fma") && !(tunables && strstr(tunables, "-FMA,")) ? " with FMA" : " without FMA";
#else
    return "";
#endif
}

/* The instructions that FFTW finds are those of the pinned BLAS kernels, or more: then it plans otherwise. */
static const char *fftw_variant(void)
{
#if defined(__x86_64__)
    if (strstr(fftw_version, "avx512") && __builtin_cpu_supports("avx512f"))
        return " on AVX-512";
#endif
    return "";
}

const char *sp_platform(void)
{
    static char text[512]; /* filling it twice fills in the same */
    if (text[0])
        return text;
    char version[64] = "unknown";
    sscanf(sp_blas_config(), "OpenBLAS %63s", version);
    const char *fftw = strchr(fftw_version, '-');
    snprintf(text, sizeof text, "OpenBLAS kernels: %s; OpenBLAS: %s; GSL: %s; FFTW: %s%s; libm: glibc %s%s",
             sp_blas_core(), version, gsl_version, fftw ? fftw + 1 : fftw_version, fftw_variant(), libm_version(),
             libm_variant());
    return text;
}

/* The value of the item of that name (`length` characters), and how long it is; empty when there is none. */
static const char *find_item(const char *text, const char *name, size_t length, size_t *size)
{
    for (; *text; text += strspn(text, separators)) {
        const size_t item = strcspn(text, ";");
        if (item > length + 2 && strncmp(text, name, length) == 0 && text[length] == ':') {
            *size = item - length - 2;
            return text + length + 2;
        }
        text += item;
    }
    *size = 0;
    return text;
}

void sp_platform_print_changes(const char *then, const char *now, sp_text *out)
{
    const char *between = "";
    for (; *now; now += strspn(now, separators)) {
        const size_t item = strcspn(now, ";"), name = strcspn(now, ":"), size = item - name - 2;
        size_t old_size;
        const char *old = find_item(then, now, name, &old_size);
        if (old_size != size || strncmp(old, now + name + 2, size) != 0) {
            sp_text_append(out, "%s%.*s changed (%.*s -> %.*s)", between, (int)name, now, (int)old_size, old,
                           (int)size, now + name + 2);
            between = ", ";
        }
        now += item;
    }
}
