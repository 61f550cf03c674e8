/* check.h -- assertions that print both sides and go on; NaN fails every comparison. Return sp_check_done() from
 * main. */
#ifndef SP_TESTS_CHECK_H
#define SP_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int sp_check_failures, sp_check_count;

#define SP_CHECK_REPORT(ok, ...)                                    \
    do {                                                            \
        sp_check_count++;                                           \
        if (!(ok)) {                                                \
            sp_check_failures++;                                    \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);         \
            fprintf(stderr, __VA_ARGS__);                           \
            fputc('\n', stderr);                                    \
        }                                                           \
    } while (0)

#define CHECK(condition) SP_CHECK_REPORT((condition), "not true: %s", #condition)

/* |a - b| <= tolerance */
#define CHECK_NEAR(a, b, tolerance)                                                                                   \
    do {                                                                                                              \
        const double check_a = (a), check_b = (b), check_t = (tolerance);                                             \
        SP_CHECK_REPORT(fabs(check_a - check_b) <= check_t, "%s = %.17g, %s = %.17g: differ by %.3g, allowed %.3g", \
                        #a, check_a, #b, check_b, fabs(check_a - check_b), check_t);                                  \
    } while (0)

#define CHECK_LESS_EQUAL(a, b)                                                                              \
    do {                                                                                                    \
        const double check_a = (a), check_b = (b);                                                          \
        SP_CHECK_REPORT(check_a <= check_b, "%s = %.17g is above %s = %.17g", #a, check_a, #b, check_b);     \
    } while (0)

#define CHECK_EQUAL(a, b)                                                                                  \
    do {                                                                                                   \
        const long long check_a = (long long)(a), check_b = (long long)(b);                                \
        SP_CHECK_REPORT(check_a == check_b, "%s = %lld, %s = %lld", #a, check_a, #b, check_b);             \
    } while (0)

#define CHECK_TEXT(a, b)                                                                                      \
    do {                                                                                                      \
        const char *check_a = (a), *check_b = (b);                                                            \
        SP_CHECK_REPORT(check_a && check_b && strcmp(check_a, check_b) == 0, "%s = \"%s\", expected \"%s\"", #a, \
                        check_a ? check_a : "(null)", check_b ? check_b : "(null)");                          \
    } while (0)

/* `part` occurs in `whole`: for messages */
#define CHECK_CONTAINS(whole, part)                                                                           \
    do {                                                                                                      \
        const char *check_a = (whole), *check_b = (part);                                                     \
        SP_CHECK_REPORT(check_a && strstr(check_a, check_b), "%s = \"%s\" does not contain \"%s\"", #whole,     \
                        check_a ? check_a : "(null)", check_b);                                               \
    } while (0)

static inline int sp_check_done(void)
{
    printf("%d checks, %d failed\n", sp_check_count, sp_check_failures);
    return sp_check_failures != 0 || sp_check_count == 0;
}

#endif
