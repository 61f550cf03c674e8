/* warnings.c -- the words for warning codes, and their list in a table (warnings.h). */
#include "core/base/warnings.h"

#include <string.h>

#define SP_WARNING_WORD(code, word) word,
static const char *const words[] = { SP_WARNINGS(SP_WARNING_WORD) };

void sp_warnings_print(sp_warning_set set, sp_text *out)
{
    const char *between = "";
    for (int code = 0; code < SP_WARNING_CODES; code++)
        if (set & sp_warning_bit((sp_warning)code)) {
            sp_text_append(out, "%s%s", between, words[code]);
            between = " ";
        }
}

sp_warning_set sp_warnings_read(const char *text)
{
    sp_warning_set set = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        for (int code = 0; code < SP_WARNING_CODES; code++)
            if (strlen(words[code]) == length && memcmp(words[code], text, length) == 0)
                set |= sp_warning_bit((sp_warning)code);
        text += length;
        text += strspn(text, " ");
    }
    return set;
}
