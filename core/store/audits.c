/* audits.c -- see audits.h. */
#include "core/store/audits.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/store/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_budget(const sp_cell *cell)
{
    return cell->privacy.private && cell->privacy.noise;
}

/* --- the methods of a plan ---------------------------------------------------------------------------------- */

/* The one that is the cell's method, or NULL; then `key` is that of the method. */
static sp_audited *find_audited(const sp_plan *plan, sp_audited *all, size_t count, const sp_method *method,
                                char key[SP_HASH_HEX])
{
    for (size_t k = 0; k < count; k++)
        if (sp_audit_same(&all[k].method, method))
            return &all[k];
    sp_audit_key(plan, method, SP_AUDITED_RUNS, SP_AUDITED_SEED, key);
    for (size_t k = 0; k < count; k++)
        if (strcmp(all[k].key, key) == 0)
            return &all[k];
    return NULL;
}

sp_status sp_audited_methods(const sp_plan *plan, sp_audited **out, size_t *count, sp_error *error)
{
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < plan->cells; i++) {
        const sp_cell *cell = &plan->cell[i];
        char key[SP_HASH_HEX];
        if (cell->skip || !has_budget(cell))
            continue;
        const sp_method *method = cell->method;
        sp_audited *found = find_audited(plan, *out, *count, method, key);
        if (!found) {
            sp_audited *grown = realloc(*out, (*count + 1) * sizeof *grown);
            if (!grown)
                return sp_fail(error, SP_ENOMEM, "%s: out of memory", plan->path);
            *out = grown;
            found = &grown[(*count)++];
            *found = (sp_audited){ .method = *method, .left_out = true };
            memcpy(found->key, key, sizeof found->key);
        }
        found->left_out = found->left_out && cell->left_out;
    }
    return SP_OK;
}

/* --- in the store ------------------------------------------------------------------------------------------- */

sp_status sp_store_put_audit(sp_store *store, const char *key, const char *row, sp_error *error)
{
    sp_row r;
    const sp_status status = sp_row_prepare(&store->database, PUT_AUDIT, &r, error);
    if (status != SP_OK)
        return status;
    sp_put_text(&r, key);
    sp_put_text(&r, row);
    sp_put_checksum(&r);
    return sp_row_run(&r, "storing what an audit found", error);
}

sp_status sp_store_get_audit(sp_store *store, const char *key, sp_text *row, sp_error *error)
{
    static const char lost[] = "a row of the table audits differs from its checksum, or cannot be read";
    sp_row r;
    sp_status status = SP_EABSENT;
    if (!store->audits)
        return status;
    status = sp_row_prepare(&store->database, AUDIT, &r, error);
    if (status == SP_OK) {
        sp_put_text(&r, key);
        status = sp_row_next(&r, error);
    }
    if (status == SP_EDATA)
        return sp_store_note(store, "", lost, error);
    SP_TRY(status);
    sp_take_text(&r);
    const size_t before = row->length;
    sp_text_add_text(row, sp_take_text(&r));
    if (!sp_take_checksum(&r)) {
        row->length = before;
        status = sp_store_note(store, "", lost, error);
    } else if (row->failed) {
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", store->database.path);
    }
    sqlite3_reset(r.at);
cleanup:
    return status;
}

sp_status sp_store_audited(sp_store *store, const sp_plan *plan, const sp_cell *cell, char out[SP_AUDITED_SIZE],
                           sp_error *error)
{
    char key[SP_HASH_HEX];
    sp_text row = { 0 };
    sp_status status = SP_OK;
    strcpy(out, has_budget(cell) ? "no" : "-");
    if (!has_budget(cell))
        return SP_OK;
    const sp_method *method = cell->method;
    sp_audit_key(plan, method, SP_AUDITED_RUNS, SP_AUDITED_SEED, key);
    status = sp_store_get_audit(store, key, &row, error);
    const size_t length = row.data ? strcspn(row.data, "\t") : 0;
    if (status == SP_OK && length < SP_AUDITED_SIZE) {
        memcpy(out, row.data, length);
        out[length] = '\0';
    }
    sp_text_free(&row);
    return status == SP_EABSENT ? SP_OK : status;
}

/* --- the table ---------------------------------------------------------------------------------------------- */

/* A column that names methods, and what stands in it in some row. */
typedef struct name {
    char *column; /* "algorithm.first" */
    const char *method;
    size_t row;
} name;

typedef struct names {
    name *name;
    size_t count;
} names;

static sp_status add_names(names *all, const char *column, const sp_method *method, size_t row)
{
    name *grown = realloc(all->name, (all->count + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    all->name = grown;
    all->name[all->count] = (name){ sp_copy_text(column), method->algorithm->name, row };
    if (!all->name[all->count++].column)
        return SP_ENOMEM;
    for (size_t i = 0; i < method->values.count; i++) {
        const sp_method *inner = sp_submethod(&method->values, i);
        char *below = inner ? sp_format("%s.%s", column, method->values.params[i].key) : NULL;
        const sp_status status = !inner ? SP_OK : below ? add_names(all, below, inner, row) : SP_ENOMEM;
        free(below);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static int by_column(const void *a, const void *b)
{
    const name *x = a, *y = b;
    const int order = strcmp(x->column, y->column);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void free_names(names *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->name[i].column);
    free(all->name);
}

static bool new_column(const names *all, size_t i)
{
    return i == 0 || strcmp(all->name[i - 1].column, all->name[i].column) != 0;
}

static void write_names(const names *all, size_t row, sp_text *out)
{
    for (size_t i = 0; i < all->count; i++)
        if (new_column(all, i)) {
            size_t k = i;
            while (k < all->count && strcmp(all->name[k].column, all->name[i].column) == 0 && all->name[k].row != row)
                k++;
            const bool named = k < all->count && strcmp(all->name[k].column, all->name[i].column) == 0;
            sp_table_write(out, named ? all->name[k].method : NULL);
            sp_text_add(out, "\t", 1);
        }
}

/* *any: the store holds something of some method. */
static sp_status write_rows(sp_store *store, const sp_audited *method, size_t count, const names *all, sp_text *out,
                            bool *any, sp_error *error)
{
    for (size_t i = 0; i < all->count; i++)
        if (new_column(all, i)) {
            sp_table_write(out, all->name[i].column);
            sp_text_add(out, "\t", 1);
        }
    sp_text_append(out, "key\t%s\n", SP_AUDIT_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        write_names(all, i, out);
        sp_text_append(out, "%s\t", method[i].key);
        const sp_status status = sp_store_get_audit(store, method[i].key, out, error);
        if (status == SP_EABSENT) {
            sp_text_append(out, "no");
            for (const char *c = SP_AUDIT_COLUMNS; *c; c++)
                sp_text_append(out, "%s", *c == '\t' ? "\t-" : "");
        } else if (status != SP_OK) {
            return status;
        }
        *any = *any || status == SP_OK;
        sp_text_append(out, "\n");
    }
    return SP_OK;
}

sp_status sp_export_audits(const sp_plan *plan, sp_store *store, const char *directory, sp_error *error)
{
    sp_status status = SP_OK;
    sp_audited *method = NULL;
    size_t count = 0;
    names all = { 0 };
    sp_text text = { 0 };
    bool any = false;
    char *path = sp_format("%s/audits.tsv", directory);
    if (!path)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", directory));
    SP_TRY(sp_audited_methods(plan, &method, &count, error));
    for (size_t i = 0; i < count; i++)
        if (add_names(&all, "algorithm", &method[i].method, i) != SP_OK)
            SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    if (all.count > 0)
        qsort(all.name, all.count, sizeof *all.name, by_column);
    SP_TRY(write_rows(store, method, count, &all, &text, &any, error));
    if (text.failed)
        SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
    if (any)
        SP_TRY(sp_write_file(path, text.data, text.length, error));
    else if (unlink(path) != 0 && errno != ENOENT)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)));
cleanup:
    sp_text_free(&text);
    free_names(&all);
    free(method);
    free(path);
    return status;
}
