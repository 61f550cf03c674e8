/* tables.c -- opens exported tables (tables.h). */
#include "core/stats/tables.h"

#include "core/base/memory.h"

#include <stdlib.h>

sp_status sp_need_column(const sp_table *table, const char *file, const char *name, size_t *column, sp_error *error)
{
    *column = sp_table_column(table, name);
    return *column < table->columns ? SP_OK : sp_fail(error, SP_EDATA, "%s: no column %s", file, name);
}

char *sp_results_path(const char *results, const char *file)
{
    return sp_need(sp_format("%s/%s", results, file));
}

static sp_status say_absent(const char *results, const char *file, sp_status status, sp_error *error)
{
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no tables there yet (no %s): `stillpoint run` makes them", results, file);
    return status;
}

sp_status sp_results_table(const char *results, const char *file, sp_table *table, sp_error *error)
{
    char *path = sp_results_path(results, file);
    const sp_status status = sp_table_read(path, table, error);
    free(path);
    return say_absent(results, file, status, error);
}

sp_status sp_results_open(const char *results, const char *file, sp_table_reader *reader, sp_error *error)
{
    char *path = sp_results_path(results, file);
    const sp_status status = sp_table_open(path, reader, error);
    free(path);
    return say_absent(results, file, status, error);
}
