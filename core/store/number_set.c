/* number_set.c -- see number_set.h. */
#include "core/store/number_set.h"

#include <stdlib.h>

bool sp_number_set_add(sp_number_set *set, uint64_t number)
{
    if (set->count == set->room) {
        const size_t room = set->room ? 2 * set->room : 256;
        uint64_t *grown = realloc(set->number, room * sizeof *grown);
        if (!grown)
            return false;
        set->number = grown;
        set->room = room;
    }
    set->number[set->count++] = number;
    return true;
}

bool sp_number_set_add_run(sp_number_set *set, const char *name)
{
    return sp_number_set_add(set, strtoull(name, NULL, 16));
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sp_number_set_sort(sp_number_set *set)
{
    if (set->count > 0)
        qsort(set->number, set->count, sizeof *set->number, by_number);
}

bool sp_number_set_has(const sp_number_set *sorted, uint64_t number)
{
    return sorted->count > 0 && bsearch(&number, sorted->number, sorted->count, sizeof number, by_number);
}

bool sp_number_set_has_run(const sp_number_set *sorted, const char *name)
{
    return sp_number_set_has(sorted, strtoull(name, NULL, 16));
}

void sp_number_set_free(sp_number_set *set)
{
    free(set->number);
    *set = (sp_number_set){ 0 };
}
