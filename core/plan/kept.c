/* kept.c -- problems as a plan keeps them. A list of a million values of n, or of a parameter of the loss, gives as many
 * problems, alike but for a number or two: one is kept whole, and of each other the words in which it is unlike that one. */
#include "core/plan/parts.h"

#include <string.h>

enum {
    WORD = sizeof(uint64_t),
    WORDS = sizeof(sp_problem_spec) / WORD,
    UNLIKE_MAX = 16 /* words; with more of them the next one is kept whole, too */
};
_Static_assert(sizeof(sp_problem_spec) % WORD == 0, "a whole number of words");

static uint64_t word_of(const sp_problem_spec *spec, size_t at)
{
    uint64_t word;
    memcpy(&word, (const char *)spec + at * WORD, WORD);
    return word;
}

/* How many words, of which `at` gets the first UNLIKE_MAX. What lies between fields may make them more, which costs
 * memory and nothing else. */
static size_t compare(const sp_problem_spec *one, const sp_problem_spec *other, uint16_t at[UNLIKE_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < WORDS; i++)
        if (word_of(one, i) != word_of(other, i)) {
            if (count < UNLIKE_MAX)
                at[count] = (uint16_t)i;
            count++;
        }
    return count;
}

/* One copy of equal lists. NULL when out of memory. */
static const sp_unlike *keep_unlike(sp_build *b, const sp_problem_spec *like, const uint16_t *at, size_t count)
{
    const size_t size = count * sizeof *at;
    for (const sp_unlike *u = b->unlike; u; u = u->next)
        if (u->like == like && u->count == count && memcmp(u->at, at, size) == 0)
            return u;
    sp_unlike *u = sp_arena_alloc(b->plan->arena, 1, sizeof *u + size);
    if (!u)
        return NULL;
    u->like = like;
    u->count = count;
    memcpy(u->at, at, size);
    u->next = b->unlike;
    return b->unlike = u;
}

sp_status sp_problem_keep(sp_build *b, const sp_problem_spec *spec, const sp_problem_spec **like,
                          const sp_kept_problem **out)
{
    uint16_t at[UNLIKE_MAX];
    size_t count = *like ? compare(*like, spec, at) : UNLIKE_MAX + 1;
    if (count > UNLIKE_MAX) {
        sp_problem_spec *whole = sp_arena_alloc(b->plan->arena, 1, sizeof *whole);
        SP_NEED(b, whole);
        memcpy(whole, spec, sizeof *whole);
        *like = whole;
        count = 0;
    }
    sp_kept_problem *kept = sp_arena_alloc(b->plan->arena, 1, sizeof *kept + count * WORD);
    SP_NEED(b, kept);
    SP_NEED(b, kept->unlike = keep_unlike(b, *like, at, count));
    for (size_t i = 0; i < count; i++)
        kept->word[i] = word_of(spec, at[i]);
    *out = kept;
    return SP_OK;
}

sp_problem_spec sp_cell_problem(const sp_cell *cell)
{
    const sp_kept_problem *kept = cell->problem;
    const sp_unlike *unlike = kept->unlike;
    sp_problem_spec spec = *unlike->like;
    for (size_t i = 0; i < unlike->count; i++)
        memcpy((char *)&spec + unlike->at[i] * WORD, &kept->word[i], WORD);
    return spec;
}
