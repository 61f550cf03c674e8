/* table_makers.c -- see table_makers.h. */
#include "core/export/table_makers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const char **at, size_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *out = strtoul(*at, &end, 10);
    *at = end;
    return true;
}

bool sp_read_range(const char **at, size_t *first, size_t *last)
{
    if (!read_count(at, first))
        return false;
    *last = *first;
    if (**at != '-')
        return true;
    ++*at;
    return read_count(at, last) && *last >= *first;
}

static bool add(sp_table_makers *m, const sp_made_by *by)
{
    if ((m->count & (m->count + 1)) == 0) { /* it is full at 0, 1, 3, 7, ... */
        sp_made_by *grown = realloc(m->by, 2 * (m->count + 1) * sizeof *grown);
        if (!grown)
            return false;
        m->by = grown;
    }
    m->by[m->count++] = *by;
    return true;
}

/* "1-40:0-19 41:0-3,5" */
static sp_status read_row(const sp_table *p, size_t row, size_t column, const char *folder, sp_table_makers *m, sp_error *error)
{
    const char *at = sp_table_empty(p, row, column) ? "" : sp_table_text(p, row, column);
    while (*at) {
        size_t begin, end, first, last;
        bool good = sp_read_range(&at, &begin, &end) && *at == ':' && end - begin < 100000000;
        while (good && (*at == ':' || *at == ',')) {
            at++;
            good = sp_read_range(&at, &first, &last);
            for (size_t cell = begin; good && cell <= end; cell++)
                if (!add(m, &(sp_made_by){ cell, first, last, row }))
                    return sp_fail(error, SP_ENOMEM, "%s: out of memory", folder);
        }
        if (!good || (*at && *at != ' '))
            return sp_fail(error, SP_EDATA, "%s/provenance.tsv:%zu: made: \"%.40s\" is not CELLS:REPLICATES", folder, row + 2, at);
        at += *at == ' ';
    }
    return SP_OK;
}

static int by_cell(const void *a, const void *b)
{
    const sp_made_by *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell) : (x->row > y->row) - (x->row < y->row);
}

sp_status sp_table_makers_read(const sp_table *p, const char *folder, sp_table_makers *m, sp_error *error)
{
    const size_t column = sp_table_column(p, "made");
    *m = (sp_table_makers){ 0 };
    for (size_t row = 0; column < p->columns && row < p->rows; row++) {
        const sp_status status = read_row(p, row, column, folder, m, error);
        if (status != SP_OK)
            return status;
    }
    if (m->count > 0)
        qsort(m->by, m->count, sizeof *m->by, by_cell);
    return SP_OK;
}

size_t sp_table_makers_find(const sp_table_makers *m, const sp_table *p, size_t cell, size_t replicate)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->by[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->count && m->by[low].cell == cell; low++)
        if (m->by[low].first <= replicate && replicate <= m->by[low].last)
            return m->by[low].row;
    return p->rows;
}

void sp_table_makers_free(sp_table_makers *m)
{
    free(m->by);
    *m = (sp_table_makers){ 0 };
}
