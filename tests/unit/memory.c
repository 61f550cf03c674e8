/* memory.c -- blocks of memory: zero, aligned, refused when there is none so large, on huge pages when large. */
#include "core/base/memory.h"

#include "tests/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 5 << 20, PAGE = 1 << 16 };

/* Does the system know that [memory, memory + size), but for less than a page at either end, wants huge pages? It marks
 * so ("hg") every mapping with such a wish, wherever the system's settings allow huge pages or not. */
static bool wants_huge_pages(const void *memory, size_t size)
{
    const uintptr_t first = (uintptr_t)memory + PAGE, stop = (uintptr_t)memory + size - PAGE;
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[1024];
    size_t wanted = 0;
    unsigned long long from = 0, to = 0, a, b;
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%llx-%llx ", &a, &b) == 2) { /* a new mapping; its flags come last */
            from = a;
            to = b;
        }
        if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") && from < stop && to > first)
            wanted += (to < stop ? to : stop) - (from > first ? from : first);
    }
    if (maps)
        fclose(maps);
    return wanted == stop - first;
}

static bool zero(const char *memory, size_t size)
{
    size_t others = 0;
    for (size_t i = 0; i < size; i++)
        others += memory[i] != 0;
    return others == 0;
}

/* Blocks that others have left their marks in come back clean. */
static void test_alloc(void)
{
    const size_t sizes[] = { 0, 1, 63, 64, 4097, (2 << 20) - 64, 2 << 20, LARGE + 24 };
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char *memory = sp_alloc(sizes[i], 1);
            CHECK(memory && (uintptr_t)memory % 64 == 0 && zero(memory, sizes[i]));
            if (memory)
                memset(memory, 0x55, sizes[i]);
            free(memory);
        }
    CHECK(sp_alloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(sp_alloc_doubles(SIZE_MAX / 8) == NULL);
}

static void test_map(void)
{
    char *memory = sp_map(LARGE);
    CHECK(memory && zero(memory, LARGE));
    if (memory) {
        memset(memory, 0x55, LARGE);
        sp_unmap(memory, LARGE);
    }
    CHECK(sp_map(SIZE_MAX / 2) == NULL);
}

static void test_huge_pages(void)
{
    char *mapped = sp_map(LARGE), *memory = sp_alloc(LARGE, 1), *small = sp_map(PAGE * 3);
    void *plain = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (plain == MAP_FAILED || madvise(plain, LARGE, MADV_HUGEPAGE) != 0) {
        puts("this system has no huge pages: not tried");
    } else {
        CHECK(mapped && wants_huge_pages(mapped, LARGE));
        CHECK(memory && wants_huge_pages(memory, LARGE));
        CHECK(small && !wants_huge_pages(small, 3 * PAGE));
    }
    munmap(plain, LARGE);
    sp_unmap(mapped, LARGE);
    sp_unmap(small, 3 * PAGE);
    free(memory);
}

int main(void)
{
    test_alloc();
    test_map();
    test_huge_pages();
    return sp_check_done();
}
