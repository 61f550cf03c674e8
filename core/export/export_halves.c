/*
 * export_halves.c -- see export_halves.h.
 *
 * In `rows` stand, each behind a letter that says which it is, the lines of the runs in their order: s what a run's
 * fields are that stand in either table, c the cell's own fields where it is its first run, r the run's.
 */
#include "core/export/export_halves.h"

#include "core/base/memory.h"
#include "core/base/table_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_halves_begin(sp_halves *halves, const char *directory, sp_error *error)
{
    char *path = sp_format("%s/rows", directory);
    const sp_status status = path ? sp_atomic_file_begin(&halves->rows, path, error)
                                  : sp_fail(error, SP_ENOMEM, "%s: out of memory", directory);
    free(path);
    return status;
}

static void add_line(sp_halves *halves, char kind, sp_text *line)
{
    sp_text *out = &halves->rows.text;
    sp_text_add(out, &kind, 1);
    sp_text_add(out, line->length > 0 ? line->data : "", line->length);
    sp_text_add(out, "\n", 1);
    out->failed = out->failed || line->failed;
}

/* The end of the field behind this tab. */
static const char *field_end(const char *tab)
{
    return strchrnul(tab + 1, '\t');
}

static void compare(sp_halves *halves)
{
    const char *a = halves->before.data, *b = halves->shared.data;
    for (size_t c = 0; c < halves->columns; c++) {
        const char *a_end = field_end(a), *b_end = field_end(b);
        if (!halves->differs[c])
            halves->differs[c] = a_end - a != b_end - b || memcmp(a, b, (size_t)(a_end - a)) != 0;
        a = a_end;
        b = b_end;
    }
}

sp_status sp_halves_head(sp_halves *halves, sp_error *error)
{
    const char *const head = halves->shared.data;
    for (const char *c = head ? head : ""; *c; c++)
        halves->columns += *c == '\t';
    halves->differs = sp_alloc(halves->columns + 1, sizeof *halves->differs);
    return halves->differs ? sp_halves_add(halves, true, error)
                           : sp_fail(error, SP_ENOMEM, "%s: out of memory", halves->rows.path);
}

sp_status sp_halves_add(sp_halves *halves, bool first, sp_error *error)
{
    if (!first && !halves->before.failed && !halves->shared.failed)
        compare(halves);
    add_line(halves, 's', &halves->shared);
    if (first)
        add_line(halves, 'c', &halves->cell);
    add_line(halves, 'r', &halves->run);
    const sp_text before = halves->before;
    halves->before = halves->shared;
    halves->shared = before;
    halves->shared.length = halves->cell.length = halves->run.length = 0;
    return sp_atomic_file_pass(&halves->rows, error);
}

/* One line of a table: its own fields, those of `shared` that belong there, and the checksum. */
static sp_status join_lines(const sp_halves *halves, const char *own, const char *shared, bool runs, uint64_t *seed,
                            sp_atomic_file *to, sp_error *error)
{
    sp_text *out = &to->text;
    const size_t begin = out->length;
    sp_text_add_text(out, own);
    for (size_t c = 0; c < halves->columns; c++) {
        const char *end = field_end(shared);
        if (halves->differs[c] == runs)
            sp_text_add(out, shared, (size_t)(end - shared));
        shared = end;
    }
    sp_table_sum_line(out, begin, &seed[runs]);
    sp_text_add(out, "\n", 1);
    return sp_atomic_file_pass(to, error);
}

sp_status sp_halves_write(sp_halves *halves, sp_atomic_file *cells, sp_atomic_file *runs, sp_error *error)
{
    sp_status status = SP_OK;
    char *line = NULL, *shared = NULL;
    size_t room = 0, shared_room = 0;
    uint64_t seed[2] = { 0 }; /* of the checksums in cells.tsv and in runs.tsv */
    FILE *rows = NULL;
    SP_TRY(sp_atomic_file_flush(&halves->rows, error));
    rows = fopen(halves->rows.beside, "re");
    errno = rows ? 0 : errno;
    for (ssize_t length; rows && (length = getline(&line, &room, rows)) > 0;) {
        line[length - 1] = '\0';
        if (*line == 's') {
            char *const other = shared;
            const size_t other_room = shared_room;
            shared = line;
            shared_room = room;
            line = other;
            room = other_room;
        } else {
            SP_TRY(join_lines(halves, line + 1, shared + 1, *line == 'r', seed, *line == 'r' ? runs : cells, error));
        }
    }
    if (!rows || !feof(rows))
        SP_TRY(sp_fail(error, errno == ENOMEM ? SP_ENOMEM : SP_EIO, "%s: %s", halves->rows.path, strerror(errno)));
cleanup:
    if (rows)
        fclose(rows);
    free(line);
    free(shared);
    return status;
}

void sp_halves_free(sp_halves *halves)
{
    sp_atomic_file_drop(&halves->rows);
    sp_text_free(&halves->cell);
    sp_text_free(&halves->run);
    sp_text_free(&halves->shared);
    sp_text_free(&halves->before);
    free(halves->differs);
    *halves = (sp_halves){ 0 };
}
