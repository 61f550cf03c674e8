/* resolved.c -- parses the column `resolved` (resolved.h). */
#include "core/base/resolved.h"

#include <string.h>

void sp_resolved_caps(const char *resolved, sp_text *out)
{
    static const char capped[] = ":" SP_RESOLVED_CAPPED;
    const char *between = "";
    for (const char *word = resolved; *word; word += strspn(word, " ")) {
        const size_t value = strcspn(word, ": "), length = strcspn(word, " ");
        const char *wanted = word + value + sizeof capped - 1;
        if (strncmp(word + value, capped, sizeof capped - 1) == 0) {
            sp_text_append(out, "%s%.*s%.*s", between, (int)value, word, (int)(word + length - wanted), wanted);
            between = " ";
        }
        word += length;
    }
}
