/* delta.c -- problems and methods as a plan keeps them. A list of a million values of n, of a parameter of the loss or of a
 * step size gives as many of them, alike but for a number or two: one is kept whole, and of each other the words in which
 * it is unlike that one. */
#include "core/plan/plan_internal.h"

#include <string.h>

enum {
    WORD = sizeof(uint64_t),
    UNLIKE_MAX = 16 /* words; with more of them the next one is kept whole, too */
};
_Static_assert(offsetof(sp_method, algorithm) == 0, "what methods that are alike begin with");
_Static_assert(sizeof(sp_problem_spec) % WORD == 0 && offsetof(sp_method, values.value) % WORD == 0 &&
               sizeof(sp_value) == WORD, "whole numbers of words");

static uint64_t word_of(const void *structure, size_t at)
{
    uint64_t word;
    memcpy(&word, (const char *)structure + at * WORD, WORD);
    return word;
}

/* How many words differ, of which `at` gets the first UNLIKE_MAX. What lies between fields may make them more, which
 * costs memory and nothing else. */
static size_t compare(const void *one, const void *other, size_t size, uint16_t at[UNLIKE_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < size / WORD; i++)
        if (word_of(one, i) != word_of(other, i)) {
            if (count < UNLIKE_MAX)
                at[count] = (uint16_t)i;
            count++;
        }
    return count;
}

/* One copy of equal lists. NULL when out of memory. */
static const sp_unlike *keep_unlike(sp_plan *plan, const void *like, size_t size, const uint16_t *at, size_t count)
{
    for (const sp_unlike *u = plan->unlike; u; u = u->next)
        if (u->like == like && u->count == count && memcmp(u->at, at, count * sizeof *at) == 0)
            return u;
    sp_unlike *u = sp_arena_alloc(plan->arena, 1, sizeof *u + count * sizeof *at);
    if (!u)
        return NULL;
    u->like = like;
    u->size = size;
    u->count = count;
    memcpy(u->at, at, count * sizeof *at);
    u->next = plan->unlike;
    return plan->unlike = u;
}

sp_status sp_keep_alike(sp_build *b, const void *structure, size_t size, const void *like, const sp_kept **out)
{
    uint16_t at[UNLIKE_MAX] = { 0 };
    size_t count = like ? compare(like, structure, size, at) : UNLIKE_MAX + 1;
    if (count > UNLIKE_MAX) {
        void *whole = sp_arena_words(b->plan->arena, size);
        SP_NEED(b, whole);
        like = memcpy(whole, structure, size);
        count = 0;
    }
    sp_kept *kept = sp_arena_words(b->plan->arena, sizeof *kept + count * WORD);
    SP_NEED(b, kept);
    SP_NEED(b, kept->unlike = keep_unlike(b->plan, like, size, at, count));
    for (size_t i = 0; i < count; i++)
        kept->word[i] = word_of(structure, at[i]);
    *out = kept;
    return SP_OK;
}

/* The one to compare a method with: of the same algorithm. */
static const void *method_like(const sp_plan *plan, const sp_method *method, size_t size)
{
    for (const sp_unlike *u = plan->unlike; u; u = u->next)
        if (u->size == size && memcmp(u->like, &method->algorithm, sizeof method->algorithm) == 0)
            return u->like;
    return NULL;
}

sp_status sp_keep_method(sp_build *b, const sp_node *node, const sp_kept **out)
{
    sp_method method;
    const sp_status status = sp_read_method(b, node, &method);
    if (status != SP_OK)
        return status;
    const size_t size = offsetof(sp_method, values.value) + method.values.count * WORD;
    return sp_keep_alike(b, &method, size, method_like(b->plan, &method, size), out);
}

static void put_together(const sp_kept *kept, void *out)
{
    const sp_unlike *unlike = kept->unlike;
    memcpy(out, unlike->like, unlike->size);
    for (size_t i = 0; i < unlike->count; i++)
        memcpy((char *)out + unlike->at[i] * WORD, &kept->word[i], WORD);
}

sp_problem_spec sp_cell_problem(const sp_cell *cell)
{
    sp_problem_spec spec;
    put_together(cell->problem, &spec);
    return spec;
}

sp_method sp_cell_method(const sp_cell *cell)
{
    sp_method method = { 0 };
    put_together(cell->method, &method);
    return method;
}
