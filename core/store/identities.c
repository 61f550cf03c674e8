/* identities.c -- see identities.h. */
#include "core/store/identities.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* 0 to 15; 16: it is no lower-case hex digit. */
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool sp_identity_read(const char *digits, unsigned char identity[SP_HASH_SIZE])
{
    for (size_t i = 0; i < SP_HASH_SIZE; i++) {
        const unsigned high = digit_of(digits[2 * i]), low = high < 16 ? digit_of(digits[2 * i + 1]) : 16;
        if (low == 16)
            return false;
        identity[i] = (unsigned char)(high << 4 | low);
    }
    return digits[2 * SP_HASH_SIZE] == '\0';
}

/* Its slot, or the empty one where it belongs. An identity is a hash already: its first bytes spread well. */
static uint32_t *slot_of(const sp_identities *runs, const unsigned char *identity)
{
    uint64_t start;
    memcpy(&start, identity, sizeof start);
    for (size_t i = start & (runs->slots - 1);; i = (i + 1) & (runs->slots - 1))
        if (runs->slot[i] == 0 || memcmp(runs->run[runs->slot[i] - 1].identity, identity, SP_HASH_SIZE) == 0)
            return &runs->slot[i];
}

sp_stored_run *sp_identities_at(const sp_identities *runs, const unsigned char identity[SP_HASH_SIZE])
{
    const uint32_t position = runs->slots > 0 ? *slot_of(runs, identity) : 0;
    return position > 0 ? &runs->run[position - 1] : NULL;
}

sp_stored_run *sp_identities_find(const sp_identities *runs, const char *digits)
{
    unsigned char identity[SP_HASH_SIZE];
    return sp_identity_read(digits, identity) ? sp_identities_at(runs, identity) : NULL;
}

static bool grow_list(sp_identities *runs)
{
    const size_t room = runs->room + runs->room / 8 + 64;
    sp_stored_run *grown = room > runs->room && room < UINT32_MAX ? realloc(runs->run, room * sizeof *grown) : NULL;
    if (!grown)
        return false;
    runs->run = grown;
    runs->room = room;
    return true;
}

static bool grow_table(sp_identities *runs)
{
    const size_t slots = runs->slots ? 2 * runs->slots : 64;
    uint32_t *slot = sp_alloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(runs->slot);
    runs->slot = slot;
    runs->slots = slots;
    for (size_t i = 0; i < runs->count; i++)
        *slot_of(runs, runs->run[i].identity) = (uint32_t)i + 1;
    return true;
}

bool sp_identities_reserve(sp_identities *runs)
{
    return (runs->count < runs->room || grow_list(runs)) &&
           (4 * (runs->count + 1) <= 3 * runs->slots || grow_table(runs));
}

void sp_identities_put(sp_identities *runs, const sp_stored_run *run)
{
    uint32_t *slot = slot_of(runs, run->identity);
    if (*slot == 0)
        *slot = (uint32_t)++runs->count;
    runs->run[*slot - 1] = *run;
}

void sp_identities_hide(sp_stored_run *run)
{
    for (size_t i = 0; i < SP_HASH_SIZE; i++)
        run->identity[i] ^= 0xff; /* the hash of nothing */
}

void sp_identities_free(sp_identities *runs)
{
    free(runs->run);
    free(runs->slot);
    *runs = (sp_identities){ 0 };
}
