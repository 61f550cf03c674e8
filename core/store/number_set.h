/* number_set.h -- a set of numbers: first all are added, then it is sorted, then it is searched. */
#ifndef SP_STORE_NUMBER_SET_H
#define SP_STORE_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_number_set {
    uint64_t *number; /* count of them, perhaps some twice */
    size_t count, room;
} sp_number_set; /* starts as { 0 } */

bool sp_number_set_add(sp_number_set *, uint64_t); /* false: out of memory */
/* Adds the number that the hexadecimal digits of a run's name are. */
bool sp_number_set_add_run(sp_number_set *, const char *name);
void sp_number_set_sort(sp_number_set *);
bool sp_number_set_has(const sp_number_set *sorted, uint64_t);
bool sp_number_set_has_run(const sp_number_set *sorted, const char *name);
void sp_number_set_free(sp_number_set *);

#endif
