/* table.c -- tables: refused, or the same fields when they are written and read again. */
#include "core/base/table.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sp_status read_bytes(const void *bytes, size_t size, sp_table *table, sp_error *error)
{
    char path[64];
    const int file = memfd_create("table", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const sp_status status = sp_table_read(path, table, error);
    close(file);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    sp_table table, again;
    sp_error error = { 0 };
    sp_text text = { 0 };
    const sp_status status = read_bytes(bytes, size, &table, &error);
    FUZZ_CHECK((status == SP_OK) == (error.text[0] == '\0') && (status == SP_OK) == (table.bytes != NULL));
    if (status != SP_OK)
        return 0;
    for (size_t i = 0; i < table.columns; i++) {
        sp_text_add(&text, "\t", i > 0);
        sp_table_write(&text, table.column[i]);
    }
    sp_text_add(&text, "\n", 1);
    for (size_t i = 0; i < table.rows * table.columns; i++) {
        sp_table_copy(&text, &table, i / table.columns, i % table.columns);
        sp_text_add(&text, i % table.columns + 1 < table.columns ? "\t" : "\n", 1);
    }
    FUZZ_CHECK(!text.failed && read_bytes(text.data, text.length, &again, &error) == SP_OK);
    FUZZ_CHECK(again.rows == table.rows && again.columns == table.columns);
    for (size_t i = 0; i < table.columns; i++)
        FUZZ_CHECK(strcmp(table.column[i], again.column[i]) == 0);
    for (size_t i = 0; i < table.rows * table.columns; i++)
        FUZZ_CHECK(strcmp(table.cell[i], again.cell[i]) == 0 &&
                   sp_table_empty(&table, i / table.columns, i % table.columns) ==
                       sp_table_empty(&again, i / table.columns, i % table.columns));
    sp_table_free(&table);
    sp_table_free(&again);
    sp_text_free(&text);
    return 0;
}
