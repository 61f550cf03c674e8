/* derived.c -- reads, writes and checks DERIVED files (derived.h has the format). */
#include "core/base/derived.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/packed.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char sp_derived_file[] = "DERIVED";
static const char first_word[] = "stillpoint derived";
static const char drawn[] = "plots/"; /* begins what lies in the folder of figures */

static sp_status out_of_memory(const char *folder, sp_error *error)
{
    return sp_fail(error, SP_ENOMEM, "%s/%s: out of memory", folder, sp_derived_file);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static sp_derived_line *find(const sp_derived *d, const char *file)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->line[i].file, file) == 0)
            return &d->line[i];
    return NULL;
}

/* The line of a file, a new one where there is none; NULL when out of memory. */
static sp_derived_line *line_of(sp_derived *d, const char *file)
{
    sp_derived_line *line = find(d, file);
    if (line)
        return line;
    sp_derived_line *grown = realloc(d->line, (d->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    d->line = grown;
    grown[d->count] = (sp_derived_line){ .file = sp_copy_text(file) };
    return grown[d->count].file ? &grown[d->count++] : NULL;
}

static void remove_line(sp_derived *d, size_t i)
{
    free(d->line[i].file);
    d->line[i] = d->line[--d->count];
}

static bool read_line(sp_derived *d, char *text)
{
    char file[512];
    sp_derived_line read = { 0 };
    int end = 0;
    if (sscanf(text, "%511[^\t]\t%64[0-9a-f]\t%64[0-9a-f]%n", file, read.hash, read.of, &end) != 3 ||
        text[end] != '\0' || strlen(read.hash) != SP_HASH_HEX - 1 || strlen(read.of) != SP_HASH_HEX - 1 ||
        strstr(file, ".."))
        return false;
    sp_derived_line *line = line_of(d, file);
    if (!line)
        return false;
    memcpy(line->hash, read.hash, sizeof line->hash);
    memcpy(line->of, read.of, sizeof line->of);
    return true;
}

static sp_status read_first(const char *folder, const char *text, sp_error *error)
{
    const size_t length = sizeof first_word - 1;
    char *end;
    const bool begins = strncmp(text, first_word, length) == 0 && text[length] == '\t';
    const unsigned long format = begins ? strtoul(text + length, &end, 10) : 0;
    if (format == 0 || *end != '\0')
        return sp_fail(error, SP_EDATA, "%s/%s:1: not \"%s\" and the number of its format", folder, sp_derived_file,
                       first_word);
    return format <= SP_DERIVED_FORMAT
               ? SP_OK
               : sp_fail(error, SP_EVERSION,
                         "%s/%s: format %lu, and this program reads up to %d: use a newer stillpoint", folder,
                         sp_derived_file, format, SP_DERIVED_FORMAT);
}

sp_status sp_derived_read(const char *folder, sp_derived *d, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char *path = sp_format("%s/%s", folder, sp_derived_file);
    *d = (sp_derived){ 0 };
    if (!path)
        return out_of_memory(folder, error);
    status = access(path, F_OK) == 0 ? sp_packed_text(path, &text, error) : SP_EABSENT;
    char *at = text.data;
    for (size_t number = 1; status == SP_OK && (*at || number == 1); number++) {
        char *line = at, *end = strchrnul(at, '\n');
        at = end + (*end != '\0');
        if (end > line && end[-1] == '\r')
            end--;
        *end = '\0';
        if (number == 1)
            status = read_first(folder, line, error);
        else if (!read_line(d, line))
            status = sp_fail(error, SP_EDATA, "%s/%s:%zu: not a file, its hash and the digest of its tables", folder,
                             sp_derived_file, number);
    }
    if (status == SP_EABSENT)
        status = SP_OK;
    if (status != SP_OK)
        sp_derived_free(d);
    sp_text_free(&text);
    free(path);
    return status;
}

sp_status sp_derived_put(sp_derived *d, const char *file, const char *path, const char *digest, sp_error *error)
{
    char hash[SP_HASH_HEX];
    const sp_status status = sp_seal_hash(path, hash, error);
    sp_derived_line *line = status == SP_OK ? line_of(d, file) : find(d, file);
    if (status != SP_OK) { /* the line of an earlier file says nothing about this one */
        if (line)
            remove_line(d, (size_t)(line - d->line));
        return status;
    }
    if (!line)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    snprintf(line->of, sizeof line->of, "%s", digest);
    memcpy(line->hash, hash, sizeof line->hash);
    line->now = true;
    return SP_OK;
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const sp_derived_line *)a)->file, ((const sp_derived_line *)b)->file);
}

sp_status sp_derived_write(sp_derived *d, const char *folder, sp_error *error)
{
    sp_text text = { 0 };
    char *path = sp_format("%s/%s", folder, sp_derived_file);
    if (d->count > 0)
        qsort(d->line, d->count, sizeof *d->line, by_file);
    sp_text_append(&text, "%s\t%d\n", first_word, SP_DERIVED_FORMAT);
    for (size_t i = 0; i < d->count; i++)
        sp_text_append(&text, "%s\t%s\t%s\n", d->line[i].file, d->line[i].hash, d->line[i].of);
    const sp_status status = path && !text.failed ? sp_write_file(path, text.data, text.length, error)
                                                  : out_of_memory(folder, error);
    sp_text_free(&text);
    free(path);
    return status;
}

void sp_derived_free(sp_derived *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->line[i].file);
    free(d->line);
    *d = (sp_derived){ 0 };
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_figure(const char *name, bool plots)
{
    if (*name == '.' || strstr(name, ".timings."))
        return false;
    return plots ? ends_in(name, ".svg") || ends_in(name, ".pdf") || ends_in(name, ".png")
                 : ends_in(name, ".tsv") || ends_in(name, ".tsv.gz");
}

/* Calls `take` with each derived file that is there, by its name in DERIVED, until it fails. */
typedef sp_status take_file(void *context, const char *file, const char *path, sp_error *);

static sp_status each_in(const char *folder, const char *below, bool plots, take_file *take, void *context,
                         sp_error *error)
{
    sp_status status = SP_OK;
    DIR *open = opendir(folder);
    if (!open && errno != ENOENT)
        return sp_fail(error, errno == ENOMEM ? SP_ENOMEM : SP_EIO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry = open ? readdir(open) : NULL; entry && status == SP_OK; entry = readdir(open)) {
        const size_t length = strlen(entry->d_name) - (ends_in(entry->d_name, ".gz") ? 3 : 0);
        char *file = sp_format("%s%.*s", below, (int)length, entry->d_name);
        char *path = sp_format("%s/%.*s", folder, (int)length, entry->d_name);
        if (!file || !path)
            status = out_of_memory(folder, error);
        else if (is_figure(entry->d_name, plots))
            status = take(context, file, path, error);
        free(file);
        free(path);
    }
    if (open)
        closedir(open);
    return status;
}

static sp_status each_file(const char *folder, const char *plots, take_file *take, void *context, sp_error *error)
{
    static const char *const tables[] = { "summary.tsv", "fits.tsv" };
    sp_status status = SP_OK;
    char *path = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        free(path);
        if (!(path = sp_format("%s/%s", folder, tables[i])))
            SP_TRY(out_of_memory(folder, error));
        if (sp_packed_there(path))
            SP_TRY(take(context, tables[i], path, error));
    }
    free(path);
    if (!(path = sp_format("%s/figures", folder)))
        SP_TRY(out_of_memory(folder, error));
    SP_TRY(each_in(path, "figures/", false, take, context, error));
    if (plots)
        SP_TRY(each_in(plots, drawn, true, take, context, error));
cleanup:
    free(path);
    return status;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

typedef struct checking {
    const sp_derived *derived;
    const char *folder, *digest;
} checking;

static sp_status check_file(void *context, const char *file, const char *path, sp_error *error)
{
    const checking *c = context;
    const sp_derived_line *line = find(c->derived, file);
    char found[SP_HASH_HEX];
    if (!line)
        return sp_fail(error, SP_EDATA,
                       "%s: %s/%s does not say which runs it was made from: `stillpoint plot` makes it again, or "
                       "remove it",
                       path, c->folder, sp_derived_file);
    if (strcmp(line->of, c->digest) != 0)
        return sp_fail(error, SP_EDATA,
                       "%s: made from other runs or by another script than those of %s/%s: `stillpoint plot` "
                       "makes it again",
                       path, c->folder, sp_seal_file);
    const sp_status status = sp_seal_hash(path, found, error);
    if (status == SP_OK && strcmp(found, line->hash) != 0)
        return sp_fail(error, SP_EDATA,
                       "%s: changed since it was made (SHA-256 %.12s, and %s has %.12s): `stillpoint plot` makes it "
                       "again",
                       path, found, sp_derived_file, line->hash);
    return status;
}

sp_status sp_derived_check(const char *folder, const char *plots, sp_error *error)
{
    sp_status status = SP_OK;
    sp_seal seal = { 0 };
    sp_derived derived = { 0 };
    SP_TRY(sp_seal_read(folder, &seal, error));
    SP_TRY(sp_derived_read(folder, &derived, error));
    if (seal.format > 0)
        status = each_file(folder, plots, check_file, &(checking){ &derived, folder, seal.digest }, error);
    for (size_t i = 0; i < derived.count && status == SP_OK && seal.format > 0; i++) {
        const char *file = derived.line[i].file;
        char *path = sp_format("%s/%s", folder, file);
        if (!path)
            status = out_of_memory(folder, error);
        else if (strncmp(file, drawn, sizeof drawn - 1) != 0 && !sp_packed_there(path))
            status = sp_fail(error, SP_EDATA, "%s: missing: %s lists it: `stillpoint plot` makes it again", path,
                             sp_derived_file);
        free(path);
    }
cleanup:
    sp_derived_free(&derived);
    sp_seal_free(&seal);
    return status;
}

/* --- dropping ----------------------------------------------------------------------------------------------------- */

static sp_status remove_file(const char *path, sp_error *error)
{
    return unlink(path) == 0 || errno == ENOENT ? SP_OK : sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno));
}

static sp_status drop_file(void *context, const char *file, const char *path, sp_error *error)
{
    const checking *c = context;
    const sp_derived_line *line = find(c->derived, file);
    if (line && strcmp(line->of, c->digest) == 0)
        return SP_OK;
    char *packed = sp_format("%s.gz", path);
    sp_status status = packed ? remove_file(packed, error) : out_of_memory(c->folder, error);
    if (status == SP_OK)
        status = remove_file(path, error);
    free(packed);
    return status;
}

sp_status sp_derived_drop(const char *folder, const char *digest, sp_error *error)
{
    sp_status status = SP_OK;
    sp_derived derived = { 0 };
    SP_TRY(sp_derived_read(folder, &derived, error));
    SP_TRY(each_file(folder, NULL, drop_file, &(checking){ &derived, folder, digest }, error));
    const size_t before = derived.count;
    for (size_t i = derived.count; i-- > 0;)
        if (strcmp(derived.line[i].of, digest) != 0)
            remove_line(&derived, i);
    if (derived.count < before)
        SP_TRY(sp_derived_write(&derived, folder, error));
cleanup:
    sp_derived_free(&derived);
    return status;
}
