/* table.c -- a TSV table in memory: the text is cut in place at tabs and line ends. */
#include "core/base/table.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sp_status load(const char *path, char **bytes, sp_error *error)
{
    sp_status status = SP_OK;
    struct stat about;
    size_t got = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return sp_fail(error, errno == ENOENT ? SP_EABSENT : SP_EIO, "%s: %s", path, strerror(errno));
    if (fstat(file, &about) != 0) {
        status = sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
        goto cleanup;
    }
    *bytes = sp_alloc((size_t)about.st_size + 1, 1);
    if (!*bytes) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        goto cleanup;
    }
    while (got < (size_t)about.st_size) {
        const ssize_t part = read(file, *bytes + got, (size_t)about.st_size - got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            status = sp_fail(error, SP_EIO, "%s: %s", path,
                             part < 0 ? strerror(errno) : "the file shrank while it was read");
            goto cleanup;
        }
        got += (size_t)part;
    }

cleanup:
    close(file);
    return status;
}

static size_t count(const char *text, char what)
{
    size_t found = 0;
    for (; *text; text++)
        found += *text == what;
    return found;
}

/* Cuts one line into `columns` fields; *at moves behind it. false when the number of fields differs. */
static bool cut_line(char **at, size_t columns, char **field)
{
    size_t found = 0;
    char *start = *at;
    for (char *c = start;; c++) {
        const char end = *c;
        if (end != '\t' && end != '\n' && end != '\0')
            continue;
        if (found == columns)
            return false;
        field[found++] = start;
        *c = '\0';
        start = c + 1;
        if (end != '\t') {
            *at = end == '\n' ? start : c;
            return found == columns;
        }
    }
}

sp_status sp_table_read(const char *path, sp_table *table, sp_error *error)
{
    sp_status status = SP_OK;
    *table = (sp_table){ 0 };
    SP_TRY(load(path, &table->bytes, error));
    char *at = table->bytes;
    const size_t length = strlen(at), lines = count(at, '\n') + (length > 0 && at[length - 1] != '\n');
    if (lines == 0) {
        status = sp_fail(error, SP_EDATA, "%s: empty: the first line must name the columns", path);
        goto cleanup;
    }
    table->columns = 1;
    for (const char *c = at; *c && *c != '\n'; c++)
        table->columns += *c == '\t';
    table->column = sp_alloc(table->columns, sizeof *table->column);
    table->cell = sp_alloc((lines - 1) * table->columns + 1, sizeof *table->cell);
    if (!table->column || !table->cell) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
        goto cleanup;
    }
    cut_line(&at, table->columns, table->column);
    for (; table->rows < lines - 1; table->rows++)
        if (!cut_line(&at, table->columns, table->cell + table->rows * table->columns)) {
            status = sp_fail(error, SP_EDATA, "%s:%zu: not %zu fields", path, table->rows + 2, table->columns);
            goto cleanup;
        }

cleanup:
    if (status != SP_OK)
        sp_table_free(table);
    return status;
}

void sp_table_free(sp_table *table)
{
    free(table->column);
    free(table->cell);
    free(table->bytes);
    *table = (sp_table){ 0 };
}

size_t sp_table_column(const sp_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->columns && strcmp(table->column[i], name) != 0)
        i++;
    return i;
}

double sp_table_number(const sp_table *table, size_t row, size_t column)
{
    double value;
    return sp_read_number(sp_table_text(table, row, column), &value) ? value : NAN;
}
