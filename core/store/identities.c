/* identities.c -- see identities.h. */
#include "core/store/identities.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Its slot, or the empty one where it belongs. An identity is a hash already: its first digits spread well. */
static sp_stored_run *slot_of(const sp_identities *runs, const char *identity)
{
    uint64_t start = 0;
    for (size_t i = 0; i < 16 && identity[i]; i++)
        start = start << 4 | (uint64_t)(identity[i] <= '9' ? identity[i] - '0' : identity[i] - 'a' + 10);
    for (size_t i = start & (runs->slots - 1);; i = (i + 1) & (runs->slots - 1))
        if (!runs->slot[i].identity[0] || strcmp(runs->slot[i].identity, identity) == 0)
            return &runs->slot[i];
}

sp_stored_run *sp_identities_find(const sp_identities *runs, const char *identity)
{
    sp_stored_run *found = runs->slots > 0 ? slot_of(runs, identity) : NULL;
    return found && found->identity[0] ? found : NULL;
}

bool sp_identities_reserve(sp_identities *runs)
{
    if (4 * (runs->count + 1) <= 3 * runs->slots)
        return true;
    sp_identities grown = { .slots = runs->slots ? 2 * runs->slots : 64 };
    if (!(grown.slot = sp_alloc(grown.slots, sizeof *grown.slot)))
        return false;
    for (size_t i = 0; i < runs->slots; i++)
        if (runs->slot[i].identity[0])
            sp_identities_put(&grown, &runs->slot[i]);
    free(runs->slot);
    *runs = grown;
    return true;
}

void sp_identities_put(sp_identities *runs, const sp_stored_run *run)
{
    sp_stored_run *slot = slot_of(runs, run->identity);
    runs->count += !slot->identity[0];
    *slot = *run;
}

void sp_identities_free(sp_identities *runs)
{
    free(runs->slot);
    *runs = (sp_identities){ 0 };
}
