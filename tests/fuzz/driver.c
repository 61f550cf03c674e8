/* driver.c -- a target of tests/fuzz without libFuzzer: `fuzz_X CORPUS` calls it with every seed and then, for
 * FUZZ_SECONDS (default 2), with seeds of which some bytes were changed, the same ones each time. What it died of is
 * kept in the file crash-X. */
#include "tests/fuzz/fuzz.h"

#include "core/base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 256, LONGEST = 1 << 16 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

static input seed[SEEDS], now;
static size_t seeds;
static char crash[64];

static void keep_input(int number)
{
    const int file = open(crash, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, now.bytes, now.size) < 0)
        _exit(EXIT_FAILURE);
    signal(number, SIG_DFL);
    raise(number);
}

static void call(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1); /* a sanitizer watches its end */
    if (!exact)
        exit(EXIT_FAILURE);
    memcpy(exact, bytes, size);
    now = (input){ exact, size };
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void load(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LONGEST);
    if (!file || !bytes || seeds == SEEDS)
        exit(EXIT_FAILURE);
    seed[seeds++] = (input){ bytes, fread(bytes, 1, LONGEST, file) };
    fclose(file);
}

static uint64_t state = 2385;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n > 0 ? (size_t)(state >> 33) % n : 0;
}

/* One change of n bytes; returns how many there are then. */
static size_t change(uint8_t *bytes, size_t n)
{
    static const char special[] = "\0\xff\n\t\"'\\-+.:,={}()0123456789eE[]%";
    const size_t at = below(n), most = LONGEST - n, piece = 1 + below(16);
    const input *other = &seed[below(seeds)];
    switch (below(6)) {
    case 0: /* a bit */
        if (n > 0)
            bytes[at] ^= (uint8_t)(1u << below(8));
        return n;
    case 1: /* a byte */
        if (n > 0)
            bytes[at] = (uint8_t)special[below(sizeof special - 1)];
        return n;
    case 2: /* some left out */
        if (piece > n - at)
            return at;
        memmove(bytes + at, bytes + at + piece, n - at - piece);
        return n - piece;
    case 3: /* some again */
        if (piece > n - at || piece > most)
            return n;
        memmove(bytes + at + piece, bytes + at, n - at);
        return n + piece;
    case 4: { /* some of another seed */
        const size_t from = below(other->size), here = other->size - from < most ? other->size - from : most;
        const size_t some = here < piece ? here : piece;
        memmove(bytes + at + some, bytes + at, n - at);
        memcpy(bytes + at, other->bytes + from, some);
        return n + some;
    }
    default: /* cut short */
        return below(4) ? n : at;
    }
}

int main(int argc, char **argv)
{
    static uint8_t bytes[LONGEST + 1];
    static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    const char *seconds = getenv("FUZZ_SECONDS"), *name = strrchr(argv[0], '/');
    struct dirent **entry = NULL;
    const int entries = argc == 2 ? scandir(argv[1], &entry, NULL, alphasort) : -1;
    if (entries < 0)
        return EXIT_FAILURE;
    snprintf(crash, sizeof crash, "crash-%s", name ? name + 1 : argv[0]);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], keep_input);
    for (int i = 0; i < entries; i++) {
        if (*entry[i]->d_name != '.')
            load(argv[1], entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    for (size_t i = 0; i < seeds; i++)
        call(seed[i].bytes, seed[i].size);
    size_t calls = seeds;
    const double stop = sp_now() + (seconds ? atof(seconds) : 2.0);
    for (; seeds > 0 && sp_now() < stop; calls++) {
        const input *from = &seed[below(seeds)];
        size_t n = from->size;
        memcpy(bytes, from->bytes, n);
        for (size_t changes = 1 + below(8); changes > 0; changes--)
            n = change(bytes, n);
        call(bytes, n);
    }
    printf("%zu seeds, %zu calls\n", seeds, calls);
    for (size_t i = 0; i < seeds; i++)
        free(seed[i].bytes);
    return seeds > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
