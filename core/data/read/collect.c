/* collect.c -- collects records in memory (collect.h): one mapping per array, on huge pages, which the finished dataset
 * takes over, because obtaining memory costs more than reading numbers. */
#include "core/data/read/collect.h"

#include "core/base/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, PIECE = 2 * HUGE_PAGE };

static sp_status no_room(const sp_collected *c, const char *what, size_t count)
{
    return sp_fail(c->error, SP_ENOMEM, "out of memory (room for %zu %s)", count, what);
}

static void free_entries(sp_collected *c)
{
    sp_unmap(c->column, c->entry_room * sizeof *c->column);
    sp_unmap(c->entry, c->entry_room * sizeof *c->entry);
}

static void free_records(sp_collected *c)
{
    sp_unmap(c->start, (c->record_room + 1) * sizeof *c->start);
    sp_unmap(c->y, c->record_room * sizeof *c->y);
}

static sp_status room_for_entries(sp_collected *c, size_t room)
{
    uint32_t *column = sp_map(room * sizeof *column);
    double *entry = sp_map(room * sizeof *entry);
    if (!column || !entry) {
        sp_unmap(column, room * sizeof *column);
        sp_unmap(entry, room * sizeof *entry);
        return no_room(c, "numbers", room);
    }
    if (c->entries > 0) {
        memcpy(column, c->column, c->entries * sizeof *column);
        memcpy(entry, c->entry, c->entries * sizeof *entry);
    }
    free_entries(c);
    c->column = column;
    c->entry = entry;
    c->entry_room = room;
    return SP_OK;
}

static sp_status room_for_records(sp_collected *c, size_t room)
{
    uint64_t *start = sp_map((room + 1) * sizeof *start);
    double *y = sp_map(room * sizeof *y);
    if (!start || !y) {
        sp_unmap(start, (room + 1) * sizeof *start);
        sp_unmap(y, room * sizeof *y);
        return no_room(c, "records", room);
    }
    if (c->n > 0) {
        memcpy(start, c->start, (c->n + 1) * sizeof *start);
        memcpy(y, c->y, c->n * sizeof *y);
    }
    free_records(c);
    c->start = start;
    c->y = y;
    c->record_room = room;
    return SP_OK;
}

sp_status sp_collect_more_entries(sp_collected *c)
{
    return room_for_entries(c, 2 * c->entry_room);
}

sp_status sp_collect_more_records(sp_collected *c)
{
    return room_for_records(c, 2 * c->record_room);
}

sp_status sp_collect_start(sp_collected *c, size_t records, size_t entries, sp_error *error)
{
    *c = (sp_collected){ .error = error };
    sp_status status = room_for_records(c, records + 1);
    if (status == SP_OK)
        status = room_for_entries(c, entries + 1);
    if (status != SP_OK)
        sp_collect_free(c);
    return status;
}

void sp_collect_free(sp_collected *c)
{
    free_entries(c);
    free_records(c);
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
