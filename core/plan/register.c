/* register.c -- what is added to the tables while the program runs. */
#include "core/plan/registry.h"

#include "algorithms/algorithm.h"
#include "core/base/digest.h"
#include "core/base/memory.h"
#include "core/data/generate.h"
#include "losses/loss.h"
#include "measures/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct added {
    struct added *next;
    const void *entry;
    char hash[SP_HASH_HEX];
    char name[]; /* "algorithms/NAME" */
} added;

static added *list;

bool sp_is_registered(const void *entry)
{
    const added *a = list;
    while (a && a->entry != entry)
        a = a->next;
    return a != NULL;
}

const char *sp_registered_hash(const char *name)
{
    const added *a = list;
    while (a && strcmp(a->name, name) != 0)
        a = a->next;
    return a ? a->hash : NULL;
}

/* NULL: no memory. */
static added *note(const char *folder, const char *name, const void *entry, const char *hash)
{
    const size_t length = strlen(folder) + 1 + strlen(name) + 1;
    added *a = sp_alloc(1, sizeof *a + length);
    if (!a)
        return NULL;
    snprintf(a->name, length, "%s/%s", folder, name);
    snprintf(a->hash, sizeof a->hash, "%s", hash);
    a->entry = entry;
    a->next = list;
    list = a;
    return a;
}

/* The table is copied, with room for one more and the NULL behind it; `grown` holds a copy that was made before. */
#define REGISTER(kind, table, folder)                                                                     \
    sp_status sp_register_##kind(const sp_##kind *entry, const char *hash, sp_error *error)               \
    {                                                                                                     \
        static const sp_##kind **grown;                                                                   \
        if (sp_##kind##_find(entry->name))                                                                \
            return sp_fail(error, SP_EINVAL, "there is another " #kind " called %s", entry->name);        \
        const sp_##kind **next = sp_alloc(sp_##kind##_count + 2, sizeof *next);                           \
        if (!next || !note(folder, entry->name, entry, hash)) {                                           \
            free(next);                                                                                   \
            return sp_fail(error, SP_ENOMEM, "out of memory");                                            \
        }                                                                                                 \
        memcpy(next, table, sp_##kind##_count * sizeof *next);                                            \
        next[sp_##kind##_count++] = entry;                                                                \
        table = next;                                                                                     \
        free(grown);                                                                                      \
        grown = next;                                                                                     \
        return SP_OK;                                                                                     \
    }

REGISTER(algorithm, sp_algorithms, "algorithms")
REGISTER(loss, sp_losses, "losses")
REGISTER(measure, sp_measures, "measures")
REGISTER(generator, sp_generators, "core/data/generators")
