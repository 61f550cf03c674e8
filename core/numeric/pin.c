/* pin.c -- sets the environment variables that fix the libraries' kernels, and executes the program again if one
 * changed. */
#include "core/numeric/pin.h"

#include "core/numeric/blas.h"
#include "core/base/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True when the variable had another value. */
static bool force(const char *name, const char *value)
{
    const char *old = getenv(name);
    return !(old && strcmp(old, value) == 0) && setenv(name, value, 1) == 0;
}

#if defined(__x86_64__)
/* An empty variable chooses nothing. */
static bool given(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}
#endif

#if defined(__x86_64__) && defined(__GLIBC__)
/* True when the tunables had to be changed. Of a tunable named twice one value is lost, so ours joins the user's. */
static bool mask_fma(void)
{
    static const char key[] = "glibc.cpu.hwcaps=", masks[] = "-FMA,-FMA4";
    const char *old = getenv("GLIBC_TUNABLES");
    if (!old)
        old = "";
    if (strstr(old, masks))
        return false;
    const char *found = strstr(old, key);
    const size_t head = found ? (size_t)(found - old) + strlen(key) : strlen(old);
    char text[4096];
    const int length = snprintf(text, sizeof text, "%.*s%s%s%s%s", (int)head, old, found || head == 0 ? "" : ":",
                                found ? "" : key, masks, found ? "," : "");
    if (length < 0 || (size_t)length + strlen(old + head) >= sizeof text)
        return false;
    strcat(text, old + head);
    return setenv("GLIBC_TUNABLES", text, 1) == 0;
}
#else
static bool mask_fma(void)
{
    return false;
}
#endif

/* Does not return when this program starts. */
static void start_again(char **argv)
{
    execv("/proc/self/exe", argv);
    char *path = sp_own_program(); /* without /proc */
    if (path)
        execv(path, argv);
    free(path);
}

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

sp_status sp_pin(char **argv, sp_error *error)
{
    bool again = mask_fma();
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        again = (!given("OPENBLAS_CORETYPE") && force("OPENBLAS_CORETYPE", "Haswell")) || again;
#endif
    again = force("OPENBLAS_NUM_THREADS", "1") || again;
    again = force("OMP_NUM_THREADS", "1") || again;
    if (again) {
        start_again(argv);
        return sp_fail(error, SP_EIO,
                       "libraries choose their kernels by the processor unless variables of the environment "
                       "say which, and this program cannot start itself again with these variables (%s; is /proc "
                       "mounted?): the last digits of results would depend on the processor. Start it with "
                       "GLIBC_TUNABLES=%s OPENBLAS_CORETYPE=%s OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1",
                       strerror(errno), value_of("GLIBC_TUNABLES"), value_of("OPENBLAS_CORETYPE"));
    }
    sp_blas_one_thread();
    return SP_OK;
}
