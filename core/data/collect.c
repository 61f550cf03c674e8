/* collect.c -- one mapping with room for all, on huge pages, that goes as the dataset comes: taking memory costs more
 * than reading numbers. */
#include "core/data/collect.h"

#include "core/base/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 1 << 21, PIECE = 2 * HUGE_PAGE };

static size_t lines(size_t count, size_t size)
{
    return (count * size + LINE - 1) / LINE * LINE;
}

sp_status sp_collect_start(sp_collected *c, size_t records, size_t entries, sp_error *error)
{
    records++; /* the last start, and the slot that a zero at the very end is written to */
    entries++;
    const size_t start = lines(records, sizeof *c->start), y = lines(records, sizeof *c->y);
    const size_t entry = lines(entries, sizeof *c->entry), column = lines(entries, sizeof *c->column);
    const size_t size = start + y + entry + column;
    char *block = sp_map(size);
    *c = (sp_collected){ 0 };
    if (!block)
        return sp_fail(error, SP_ENOMEM, "out of memory (room for %zu bytes)", size);
    *c = (sp_collected){ .block = block, .size = size };
    c->start = (uint64_t *)(void *)block;
    c->y = (double *)(void *)(block + start);
    c->entry = (double *)(void *)(block + start + y);
    c->column = (uint32_t *)(void *)(block + start + y + entry);
    return SP_OK;
}

void sp_collect_free(sp_collected *c)
{
    if (c->block)
        munmap(c->block, c->size);
    *c = (sp_collected){ 0 };
}

/* Gives the huge pages from `from` on that end before `to` back to the system, for what is filled meanwhile: memory
 * that was in use just now costs less to get than any other. Returns what is left. */
static char *give_back(char *from, const void *to)
{
    char *stop = (char *)(void *)((uintptr_t)to / HUGE_PAGE * HUGE_PAGE);
    if (stop <= from)
        return from;
    madvise(from, (size_t)(stop - from), MADV_DONTNEED);
    return stop;
}

static char *first_page(const void *array)
{
    return (char *)(void *)(((uintptr_t)array + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
}

static void move(void *to, const void *from, size_t size)
{
    char *left = first_page(from);
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t here = size - at < PIECE ? size - at : PIECE;
        memcpy((char *)to + at, (const char *)from + at, here);
        left = give_back(left, (const char *)from + at + here);
    }
}

static void move_dense(const sp_collected *c, sp_dataset *out)
{
    double *X = sp_dataset_X(out);
    char *entries = first_page(c->entry), *columns = first_page(c->column);
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = c->start[i]; k < c->start[i + 1]; k++)
            X[i * out->stride + c->column[k]] = c->entry[k];
        entries = give_back(entries, c->entry + c->start[i + 1]);
        columns = give_back(columns, c->column + c->start[i + 1]);
    }
}

sp_status sp_collected_dataset(sp_collected *c, sp_storage storage, size_t d, sp_dataset *out, sp_error *error)
{
    const sp_status status = sp_dataset_new(storage, c->n, d, c->entries, true, true, out, error);
    if (status != SP_OK)
        return status;
    memcpy(sp_dataset_y(out), c->y, c->n * sizeof *c->y);
    if (storage == SP_STORE_SPARSE) {
        move(sp_dataset_start(out), c->start, (c->n + 1) * sizeof *c->start);
        move(sp_dataset_column(out), c->column, c->entries * sizeof *c->column);
        move(sp_dataset_entry(out), c->entry, c->entries * sizeof *c->entry);
    } else {
        move_dense(c, out);
    }
    sp_collect_free(c);
    return SP_OK;
}
