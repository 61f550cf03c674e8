/* seal.c -- reads, writes and checks SEAL files (seal.h has the format). */
#include "core/base/seal.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/base/table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char sp_seal_file[] = "SEAL";
static const char first_word[] = "stillpoint seal";

/* In the order of their lines. */
static const struct {
    const char *name;
    bool derives; /* what is derived from the tables depends on it */
} sealed[] = { { "cells.tsv", true },  { "runs.tsv", true },   { "skipped.tsv", true },
               { "tuning.tsv", true }, { "claims.tsv", true }, { "keys.tsv", false } };
enum { SEALED = sizeof sealed / sizeof *sealed };

static sp_status out_of_memory(const char *folder, sp_error *error)
{
    return sp_fail(error, SP_ENOMEM, "%s/%s: out of memory", folder, sp_seal_file);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The next word of a line, up to a tab or its end; NULL: there is none. */
static char *next_word(char **at)
{
    char *word = *at;
    if (!word)
        return NULL;
    char *tab = strchr(word, '\t');
    if (tab)
        *tab++ = '\0';
    *at = tab;
    return word;
}

static bool read_count(const char *word, size_t *out)
{
    char *end;
    if (!word || *word < '0' || *word > '9')
        return false;
    *out = strtoul(word, &end, 10);
    return *end == '\0';
}

static bool is_hash(const char *word)
{
    return word && strlen(word) == SP_HASH_HEX - 1 && strspn(word, "0123456789abcdef") == SP_HASH_HEX - 1;
}

/* One line behind the first. */
static bool take_line(sp_seal *s, char *line)
{
    const char *kind = next_word(&line), *name = next_word(&line), *hash = next_word(&line);
    const sp_seal_line named = { name, hash };
    const struct { const char *kind; size_t *count; const char **digest; } counts[] = {
        { "asked", &s->asked, &s->asked_digest }, { "present", &s->present, &s->present_digest }
    };
    if (line || !kind || !name)
        return false;
    if (strcmp(kind, "failed") == 0)
        return !hash && read_count(name, &s->failed);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(kind, counts[i].kind) == 0) {
            *counts[i].digest = hash;
            return is_hash(hash) && read_count(name, counts[i].count);
        }
    if (!is_hash(hash))
        return false;
    if (strcmp(kind, "script") == 0)
        s->script = named;
    else if (strcmp(kind, "include") == 0)
        s->include[s->includes++] = named;
    else if (strcmp(kind, "table") == 0)
        s->table[s->tables++] = named;
    else
        return false;
    return true;
}

static sp_status read_first(const char *folder, char *line, sp_seal *s, sp_error *error)
{
    size_t format = 0;
    const char *word = next_word(&line), *number = next_word(&line);
    if (!word || strcmp(word, first_word) != 0 || !read_count(number, &format) || format == 0 || format > 1000000)
        return sp_fail(error, SP_EDATA, "%s/%s:1: not \"%s\" and the number of its format", folder, sp_seal_file,
                       first_word);
    s->format = (unsigned)format;
    return format <= SP_SEAL_FORMAT
               ? SP_OK
               : sp_fail(error, SP_EVERSION,
                         "%s/%s: format %zu, and this program reads up to %d: use a newer stillpoint", folder,
                         sp_seal_file, format, SP_SEAL_FORMAT);
}

static size_t table_index(const char *name)
{
    size_t i = 0;
    while (i < SEALED && strcmp(sealed[i].name, name) != 0)
        i++;
    return i;
}

static void make_digest(sp_seal *s)
{
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, s->script.hash);
    for (size_t i = 0; i < s->includes; i++)
        sp_hash_text(&hash, s->include[i].hash);
    for (size_t i = 0; i < s->tables; i++) {
        const size_t at = table_index(s->table[i].name);
        if (at < SEALED && !sealed[at].derives)
            continue;
        sp_hash_text(&hash, s->table[i].name);
        sp_hash_text(&hash, s->table[i].hash);
    }
    sp_hash_end_hex(&hash, s->digest);
}

static sp_status take_lines(const char *folder, sp_seal *s, sp_error *error)
{
    sp_status status = SP_OK;
    size_t lines = 1;
    for (const char *c = s->text; *c; c++)
        lines += *c == '\n';
    s->include = sp_alloc(lines, sizeof *s->include);
    s->table = sp_alloc(lines, sizeof *s->table);
    if (!s->include || !s->table)
        return out_of_memory(folder, error);
    char *at = s->text;
    for (size_t number = 1; *at; number++) {
        char *line = at, *end = strchrnul(at, '\n');
        at = end + (*end != '\0');
        if (end > line && end[-1] == '\r')
            end--;
        *end = '\0';
        if (number == 1)
            SP_TRY(read_first(folder, line, s, error));
        else if (!take_line(s, line))
            SP_TRY(sp_fail(error, SP_EDATA, "%s/%s:%zu: not a line of a seal", folder, sp_seal_file, number));
    }
    if (!s->script.name || !s->asked_digest || !s->present_digest)
        SP_TRY(sp_fail(error, SP_EDATA, "%s/%s: cut short: no line %s", folder, sp_seal_file,
                       !s->script.name ? "script" : !s->asked_digest ? "asked" : "present"));
    make_digest(s);
cleanup:
    return status;
}

sp_status sp_seal_read(const char *folder, sp_seal *s, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char *path = sp_format("%s/%s", folder, sp_seal_file);
    *s = (sp_seal){ 0 };
    if (!path)
        return out_of_memory(folder, error);
    if (sp_packed_there(path)) {
        SP_TRY(sp_packed_text(path, &text, error));
        s->text = text.data;
        text = (sp_text){ 0 };
        SP_TRY(take_lines(folder, s, error));
    }
cleanup:
    if (status != SP_OK)
        sp_seal_free(s);
    sp_text_free(&text);
    free(path);
    return status;
}

void sp_seal_free(sp_seal *s)
{
    free(s->include);
    free(s->table);
    free(s->text);
    *s = (sp_seal){ 0 };
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

bool sp_seal_take(void *hash, const void *bytes, size_t count)
{
    for (const char *at = bytes, *end = at + count; at < end; at++) {
        const char *cr = memchr(at, '\r', (size_t)(end - at));
        sp_hash_add(hash, at, (size_t)((cr ? cr : end) - at));
        at = cr ? cr : end - 1;
    }
    return true;
}

sp_status sp_seal_hash(const char *path, char out[SP_HASH_HEX], sp_error *error)
{
    sp_hash hash;
    sp_hash_start(&hash);
    const sp_status status = sp_packed_read(path, sp_seal_take, &hash, error);
    sp_hash_end_hex(&hash, out);
    return status;
}

void sp_seal_begin(sp_text *head)
{
    sp_text_append(head, "%s\t%d\n", first_word, SP_SEAL_FORMAT);
}

void sp_seal_add(sp_text *head, const char *kind, const char *name, const char *hash)
{
    sp_text_append(head, "%s\t%s\t%s\n", kind, name, hash);
}

void sp_seal_add_count(sp_text *head, const char *kind, size_t count, const char *hash)
{
    sp_text_append(head, hash ? "%s\t%zu\t%s\n" : "%s\t%zu\n", kind, count, hash);
}

sp_status sp_seal_write(const char *folder, const sp_text *head, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char hash[SP_HASH_HEX], *path = NULL;
    if (!head->failed)
        sp_text_add(&text, head->data, head->length);
    for (size_t i = 0; i < SEALED; i++) {
        free(path);
        if (!(path = sp_format("%s/%s", folder, sealed[i].name)))
            SP_TRY(out_of_memory(folder, error));
        if (!sp_packed_there(path))
            continue;
        SP_TRY(sp_seal_hash(path, hash, error));
        sp_seal_add(&text, "table", sealed[i].name, hash);
    }
    free(path);
    path = sp_format("%s/%s", folder, sp_seal_file);
    if (!path || head->failed || text.failed)
        SP_TRY(out_of_memory(folder, error));
    SP_TRY(sp_write_file(path, text.data, text.length, error));
cleanup:
    free(path);
    sp_text_free(&text);
    return status;
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

char *sp_seal_root(const char *folder)
{
    char real[PATH_MAX];
    static const char results[] = "/results/";
    char *found = NULL;
    if (!realpath(folder, real))
        return NULL;
    for (char *at = real; (at = strstr(at, results)) != NULL; at++)
        found = at;
    if (!found)
        found = strrchr(real, '/');
    *found = '\0';
    return sp_copy_text(real);
}

char *sp_seal_path(const char *folder, const char *path)
{
    char real[PATH_MAX];
    char *root = sp_seal_root(folder);
    sp_text up = { 0 };
    if (!root || !realpath(path, real)) {
        free(root);
        return NULL;
    }
    size_t same = 0; /* the folders at the begin of both, with the '/' behind each */
    const size_t length = strlen(root);
    for (size_t i = 0;; i++) {
        if (i < length ? root[i] != real[i] : real[i] != '/')
            break;
        if (real[i] == '/')
            same = i + 1;
        if (i == length)
            break;
    }
    for (const char *at = same <= length ? root + same : NULL; at && *at;
         at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        sp_text_add_text(&up, "../");
    sp_text_add_text(&up, real + same);
    free(root);
    if (up.failed)
        sp_text_free(&up);
    return up.data;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

/* The rows of runs.tsv are too many or too few: the first that stands there twice, or before which one is missing. */
static sp_status name_run(const char *path, const sp_table *t, size_t present, sp_error *error)
{
    const size_t cell = sp_table_column(t, "cell"), replicate = sp_table_column(t, "replicate");
    size_t wanted = 0;
    for (size_t row = 0; row < t->rows && cell < t->columns && replicate < t->columns; row++) {
        const char *of = sp_table_text(t, row, cell), *name = sp_table_text(t, row, 0);
        const bool same = row > 0 && strcmp(of, sp_table_text(t, row - 1, cell)) == 0;
        const double found = sp_table_number(t, row, replicate);
        wanted = same ? wanted : 0;
        if (same && found < (double)wanted)
            return sp_fail(error, SP_EDATA, "%s:%zu: run %s stands there twice: replicate %g of cell %s", path, row + 2,
                           name, found, of);
        if (found > (double)wanted)
            return sp_fail(error, SP_EDATA,
                           "%s:%zu: before run %s replicate %zu of cell %s is missing: %zu rows, and %s has %zu", path,
                           row + 2, name, wanted, of, t->rows, sp_seal_file, present);
        wanted++;
    }
    return sp_fail(error, SP_EDATA, "%s:%zu: %zu rows, and %s has %zu", path, t->rows + 1, t->rows, sp_seal_file,
                   present);
}

/* What is wrong with a table that is not as it was: a row, where one can be named. */
static sp_status name_row(const char *path, const sp_seal *s, bool runs, const char *found, const char *hash,
                          sp_error *error)
{
    sp_table t = { 0 };
    sp_status status = sp_table_read(path, &t, error);
    if (status == SP_OK && runs && t.rows != s->present)
        status = name_run(path, &t, s->present, error);
    else if (status == SP_OK)
        status = sp_fail(error, SP_EDATA,
                         "%s: not as it was when the folder was sealed (SHA-256 %.12s, and %s has %.12s): restore "
                         "it, or write all tables again with `stillpoint export`",
                         path, found, sp_seal_file, hash);
    sp_table_free(&t);
    return status;
}

static sp_status check_table(const char *folder, const sp_seal *s, size_t which, sp_error *error)
{
    sp_status status = SP_OK;
    char found[SP_HASH_HEX], *path = sp_format("%s/%s", folder, sealed[which].name);
    const char *hash = NULL;
    if (!path)
        return out_of_memory(folder, error);
    for (size_t i = 0; i < s->tables; i++)
        if (strcmp(s->table[i].name, sealed[which].name) == 0)
            hash = s->table[i].hash;
    if (!sp_packed_there(path)) {
        if (hash)
            status = sp_fail(error, SP_EDATA, "%s: missing: %s lists it", path, sp_seal_file);
        goto cleanup;
    }
    if (!hash)
        SP_TRY(
            sp_fail(error, SP_EDATA, "%s: %s does not list it: it does not belong to these runs", path, sp_seal_file));
    SP_TRY(sp_seal_hash(path, found, error));
    if (strcmp(found, hash) != 0)
        status = name_row(path, s, strcmp(sealed[which].name, "runs.tsv") == 0, found, hash, error);
cleanup:
    free(path);
    return status;
}

sp_status sp_seal_check(const char *folder, sp_error *error)
{
    sp_seal s;
    sp_status status = sp_seal_read(folder, &s, error);
    for (size_t i = 0; i < SEALED && status == SP_OK && s.format > 0; i++)
        status = check_table(folder, &s, i, error);
    sp_seal_free(&s);
    return status;
}
