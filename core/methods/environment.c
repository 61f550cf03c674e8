/* environment.c -- the variables that a program gets, and what of them is in its key. A variable can change what a program
 * computes as a file can: which packages an import finds, how numbers are read, which kernels a library takes. So none
 * comes through but
 *
 *   those that are the same everywhere (below),
 *   those by which this process has pinned its libraries' kernels (core/numeric/pin.h), and those that the experiment
 *   declares: with their values in the key, or that they are not set,
 *   TMPDIR, which says where files lie and is another one in each job of a cluster: not in the key, unless declared. */
#include "core/methods/external_internal.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *value;
} same[] = {
    { "PATH", SP_EXTERNAL_PATH }, { "LANG", "C" }, { "TZ", "UTC" },
    { "OPENBLAS_NUM_THREADS", "1" }, { "OMP_NUM_THREADS", "1" },
    { "PYTHONHASHSEED", "0" }, { "PYTHONNOUSERSITE", "1" }, { "PYTHONDONTWRITEBYTECODE", "1" },
};
static const char *const pinned[] = { "OPENBLAS_CORETYPE", "GLIBC_TUNABLES" };
enum { SAME = sizeof same / sizeof *same, PINNED = sizeof pinned / sizeof *pinned };

static bool stands_in(char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* NULL, or why not. */
static const char *why_not(char *const *names, size_t i)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const char *name = names[i];
    if (strchr(name, '='))
        return "is no name: the value is the one that stillpoint is started with";
    if (!*name || name[strspn(name, letters)] || (*name >= '0' && *name <= '9'))
        return "is no name of a variable";
    if (strncmp(name, "STILLPOINT_", 11) == 0)
        return "is stillpoint's own: a program is not told where data lie";
    for (size_t k = 0; k < i; k++)
        if (strcmp(names[k], name) == 0)
            return "stands there twice";
    return NULL;
}

typedef struct made {
    sp_arena *arena;
    sp_hash *hash;
    char **variable; /* as execve takes them */
    size_t count;
    bool fits; /* no text was refused its memory */
} made;

/* NULL: it is not set. */
static void hand(made *m, const char *name, const char *value)
{
    if (value)
        m->fits = (m->variable[m->count++] = sp_arena_format(m->arena, "%s=%s", name, value)) && m->fits;
}

/* That it is not set counts as well. */
static void count(made *m, const char *name, const char *value)
{
    sp_hash_text(m->hash, name);
    sp_hash_text(m->hash, value ? "=" : "");
    sp_hash_text(m->hash, value ? value : "");
}

static void hand_and_count(made *m, const char *name, const char *value)
{
    count(m, name, value);
    hand(m, name, value);
}

/* The client's folder does not count, what the client is does (command.c); a declared PYTHONPATH comes behind it. */
static void hand_python_path(made *m, bool declared)
{
    const char *clients = getenv("STILLPOINT_CLIENTS"), *own = declared ? getenv("PYTHONPATH") : NULL;
    const bool both = clients && *clients && own;
    if (declared)
        count(m, "PYTHONPATH", own);
    const char *joined = both ? sp_arena_format(m->arena, "%s:%s", clients, own) : own ? own : clients;
    m->fits = m->fits && (joined || !both);
    hand(m, "PYTHONPATH", joined);
}

sp_status sp_program_environment(sp_arena *arena, char *const *declared, const char *place, sp_hash *hash,
                                 char *const **out, sp_error *error)
{
    sp_status status = SP_OK;
    size_t names = 0;
    for (; declared[names]; names++) {
        const char *why = why_not(declared, names);
        if (why)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: \"%s\" %s", place, declared[names], why));
    }
    made m = { arena, hash, sp_arena_alloc(arena, SAME + PINNED + names + 3, sizeof *m.variable), .fits = true };
    if (!m.variable)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    for (size_t i = 0; i < SAME; i++)
        if (!stands_in(declared, same[i].name))
            hand_and_count(&m, same[i].name, same[i].value);
    for (size_t i = 0; i < PINNED; i++)
        if (!stands_in(declared, pinned[i]))
            hand_and_count(&m, pinned[i], getenv(pinned[i]));
    for (size_t i = 0; i < names; i++)
        if (strcmp(declared[i], "PYTHONPATH") != 0)
            hand_and_count(&m, declared[i], getenv(declared[i]));
    hand_python_path(&m, stands_in(declared, "PYTHONPATH"));
    if (!stands_in(declared, "TMPDIR"))
        hand(&m, "TMPDIR", getenv("TMPDIR"));
    if (!m.fits)
        SP_TRY(sp_fail(error, SP_ENOMEM, "out of memory"));
    *out = m.variable;
cleanup:
    return status;
}
