/* ustar.c -- see ustar.h. */
#include "core/export/ustar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Where the fields of a header begin; numbers are octal digits. The others (names of owners, devices) stay empty. */
enum { NAME = 0, NAME_SIZE = 100, MODE = 100, OWNER = 108, GROUP = 116, SIZE = 124, TIME = 136, SUM = 148, SUM_SIZE = 8,
       TYPE = 156, MAGIC = 257, VERSION = 263, PREFIX = 345, PREFIX_SIZE = 155 };
enum { SIZE_DIGITS = 11, MODE_DIGITS = 7 };
static const uint64_t size_end = (uint64_t)1 << 3 * SIZE_DIGITS;

/* Where a path is cut at a '/' when it is longer than a name: how many bytes stand before it; 0: it need not be, and
 * SIZE_MAX: it cannot be. */
static size_t cut(const char *path)
{
    const size_t length = strlen(path);
    if (length <= NAME_SIZE)
        return 0;
    for (size_t i = length - NAME_SIZE - 1; i < length && i <= PREFIX_SIZE; i++)
        if (path[i] == '/' && i > 0 && i + 1 < length)
            return i;
    return SIZE_MAX;
}

const char *sp_ustar_path_fault(const char *path)
{
    if (*path == '\0')
        return "it is empty";
    if (*path == '/')
        return "it begins at the root";
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '\\')
            return "it has a byte that a path may not have here";
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += part != path;
        const size_t length = strcspn(part, "/");
        if (length == 0)
            return "it has a part without a name";
        if ((length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
            return "it has . or .. in it, which may lead elsewhere";
    }
    return cut(path) == SIZE_MAX ? "it is too long" : NULL;
}

static unsigned sum_of(const unsigned char header[SP_USTAR_BLOCK])
{
    unsigned sum = 0;
    for (size_t i = 0; i < SP_USTAR_BLOCK; i++)
        sum += i >= SUM && i < SUM + SUM_SIZE ? ' ' : header[i]; /* its own field counts as blanks */
    return sum;
}

/* `digits` octal digits and a NUL. */
static void write_octal(unsigned char *field, unsigned digits, uint64_t value)
{
    for (unsigned i = digits; i > 0; i--, value /= 8)
        field[i - 1] = (unsigned char)('0' + value % 8);
    field[digits] = '\0';
}

static bool read_octal(const unsigned char *field, unsigned digits, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < digits; i++) {
        if (field[i] < '0' || field[i] > '7')
            return false;
        *value = 8 * *value + (uint64_t)(field[i] - '0');
    }
    return true;
}

bool sp_ustar_header(const char *path, size_t size, bool program, unsigned char out[SP_USTAR_BLOCK])
{
    const size_t before = cut(path), start = before > 0 ? before + 1 : 0;
    if (before == SIZE_MAX || size >= size_end)
        return false;
    memset(out, 0, SP_USTAR_BLOCK);
    memcpy(out + NAME, path + start, strlen(path + start));
    memcpy(out + PREFIX, path, before);
    write_octal(out + MODE, MODE_DIGITS, program ? 0755 : 0644);
    write_octal(out + OWNER, MODE_DIGITS, 0);
    write_octal(out + GROUP, MODE_DIGITS, 0);
    write_octal(out + SIZE, SIZE_DIGITS, size);
    write_octal(out + TIME, SIZE_DIGITS, 0);
    out[TYPE] = '0';
    memcpy(out + MAGIC, "ustar", sizeof "ustar");
    memcpy(out + VERSION, "00", 2);
    write_octal(out + SUM, SUM_SIZE - 2, sum_of(out));
    out[SUM + SUM_SIZE - 1] = ' ';
    return true;
}

bool sp_ustar_is(const unsigned char header[SP_USTAR_BLOCK])
{
    return memcmp(header + MAGIC, "ustar", sizeof "ustar" - 1) == 0;
}

bool sp_ustar_read(const unsigned char header[SP_USTAR_BLOCK], char path[SP_USTAR_NAME], size_t *size, bool *program)
{
    uint64_t sum, bytes, mode;
    if (!read_octal(header + SUM, SUM_SIZE - 2, &sum) || sum != sum_of(header) || header[TYPE] != '0' ||
        !read_octal(header + SIZE, SIZE_DIGITS, &bytes) || !read_octal(header + MODE, MODE_DIGITS, &mode))
        return false;
    const char *name = (const char *)header + NAME, *prefix = (const char *)header + PREFIX;
    const bool cut_there = *prefix != '\0';
    snprintf(path, SP_USTAR_NAME, "%.*s%s%.*s", PREFIX_SIZE, prefix, cut_there ? "/" : "", NAME_SIZE, name);
    *size = (size_t)bytes;
    *program = (mode & 0100) != 0;
    return true;
}
