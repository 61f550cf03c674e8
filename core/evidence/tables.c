/* tables.c -- see tables.h. */
#include "core/evidence/tables.h"

#include "core/base/memory.h"

#include <stdlib.h>

sp_status sp_need_column(const sp_table *table, const char *file, const char *name, size_t *column, sp_error *error)
{
    *column = sp_table_column(table, name);
    return *column < table->columns ? SP_OK : sp_fail(error, SP_EDATA, "%s: no column %s", file, name);
}

char *sp_results_path(const char *results, const char *file, sp_error *error)
{
    char *path = sp_format("%s/%s", results, file);
    if (!path)
        sp_fail(error, SP_ENOMEM, "%s/%s: out of memory", results, file);
    return path;
}

sp_status sp_results_table(const char *results, const char *file, sp_table *table, sp_error *error)
{
    char *path = sp_results_path(results, file, error);
    sp_status status = path ? sp_table_read(path, table, error) : SP_ENOMEM;
    if (status == SP_EABSENT)
        sp_fail(error, status, "%s: no tables there yet (no %s): `stillpoint run` makes them", results, file);
    free(path);
    return status;
}
