/* entry_text.c -- ledgers as text: refused, or the same ledger when it is printed and read again. */
#include "core/accountant/entry_text.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static char *printed(const sp_ledger *ledger)
{
    sp_text text = { 0 };
    sp_ledger_print(ledger, &text);
    FUZZ_CHECK(!text.failed);
    return text.data;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sp_ledger ledger = { 0 }, again = { 0 };
    sp_entry entry;
    sp_error error = { 0 };
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    FUZZ_CHECK(sp_entry_read(text, &entry, &error) == SP_OK || error.text[0]);
    if (sp_ledger_read(text, &ledger, &error) == SP_OK) {
        char *first = printed(&ledger);
        FUZZ_CHECK(sp_ledger_read(first ? first : "", &again, &error) == SP_OK);
        char *second = printed(&again);
        FUZZ_CHECK((!first && !second) || strcmp(first, second) == 0);
        free(first);
        free(second);
    }
    sp_ledger_free(&ledger);
    sp_ledger_free(&again);
    free(text);
    return 0;
}
