/* summed.h -- a table as it is written with the checksums of its rows (core/base/table_rows.h), by their definition. */
#ifndef SP_TESTS_SUMMED_H
#define SP_TESTS_SUMMED_H

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A new string. */
static inline char *summed(const char *table)
{
    sp_text out = { 0 };
    const XXH64_hash_t names = XXH3_64bits(table, strcspn(table, "\n"));
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n");
        const XXH64_hash_t row = XXH3_64bits_withSeed(line, length, names);
        sp_text_append(&out, "%.*s\t", (int)length, line);
        if (line == table)
            sp_text_append(&out, "checksum\n");
        else
            sp_text_append(&out, "%08llx\n", (unsigned long long)row % 4294967296u);
    }
    return out.data;
}

#endif
