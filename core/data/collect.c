/* collect.c -- large pages where the system has them: taking memory costs more than reading numbers. */
#include "core/data/collect.h"

#include <string.h>
#include <sys/mman.h>

enum { LINE = 64 };

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
    char *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *c = (sp_collected){ 0 };
    if (block == MAP_FAILED)
        return sp_fail(error, SP_ENOMEM, "out of memory (room for %zu bytes)", size);
    madvise(block, size, MADV_HUGEPAGE);
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

sp_status sp_collected_dataset(const sp_collected *c, sp_storage storage, size_t d, sp_dataset *out, sp_error *error)
{
    const sp_status status = sp_dataset_new(storage, c->n, d, c->entries, true, true, out, error);
    if (status != SP_OK)
        return status;
    memcpy(sp_dataset_y(out), c->y, c->n * sizeof *c->y);
    if (storage == SP_STORE_SPARSE) {
        memcpy(sp_dataset_start(out), c->start, (c->n + 1) * sizeof *c->start);
        memcpy(sp_dataset_column(out), c->column, c->entries * sizeof *c->column);
        memcpy(sp_dataset_entry(out), c->entry, c->entries * sizeof *c->entry);
        return SP_OK;
    }
    double *X = sp_dataset_X(out);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = c->start[i]; k < c->start[i + 1]; k++)
            X[i * out->stride + c->column[k]] = c->entry[k];
    return SP_OK;
}
