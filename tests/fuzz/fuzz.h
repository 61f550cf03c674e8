/* fuzz.h -- what a target of tests/fuzz is: one file, one function, a folder of seeds in corpus/.
 *
 * Preset fuzz (clang) links each with libFuzzer, everything with its coverage and with ASan and UBSan:
 *
 *   cmake --preset fuzz && cmake --build build/fuzz --parallel --target fuzz
 *   build/fuzz/tests/fuzz_reader -runs=1000000 -max_len=4096 -timeout=120 build/fuzz/new tests/fuzz/corpus/reader
 *
 * CTest runs each for STILLPOINT_FUZZ_SECONDS there, .ci/run for a minute. In other presets driver.c replaces
 * libFuzzer: it calls the function with every seed, and then with changed seeds for some seconds. */
#ifndef SP_TESTS_FUZZ_H
#define SP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Whatever the bytes are: no crash, no leak, and what is accepted is whole. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A promise that was broken: an end that libFuzzer and driver.c both keep the bytes of. */
#define FUZZ_CHECK(condition)                                                          \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
            abort();                                                                   \
        }                                                                              \
    } while (0)

#endif
