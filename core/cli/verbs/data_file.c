/* data_file.c -- `data info FILE`: a file of the user's own as training would see it. */
#include "core/cli/verbs/data_file.h"

#include "core/base/memory.h"
#include "core/numeric/stream.h"
#include "core/cli/verbs/verbs.h"
#include "core/data/rows.h"
#include "core/problem/own_file.h"

#include <gsl/gsl_math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 }; /* columns or features listed, at most */

typedef struct preview {
    sp_arena *arena;
    const sp_node *given, *resolved;
    sp_own_file file;
    sp_shape shape;
    sp_dataset raw, train, test;
    sp_error *error;
} preview;

/* "true", "3" and "yes" as an experiment would have them. */
static sp_node *value_of(sp_arena *arena, const char *path, const char *text)
{
    double number;
    const bool flag = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (!flag && !sp_read_number(text, &number))
        return sp_node_text(arena, path, text);
    sp_node *node = sp_node_number(arena, path, flag ? *text == 't' : number);
    if (node && flag)
        node->kind = SP_NODE_FLAG;
    return node;
}

static sp_status read_words(preview *p, char **word, size_t words)
{
    sp_node *node = sp_node_object(p->arena, "data"), *file = sp_node_text(p->arena, "data.file", word[0]);
    if (node && file)
        node = sp_node_with(p->arena, node, "file", file);
    for (size_t i = 1; node && i < words; i++) {
        const char *equals = strchr(word[i], '=');
        if (!equals || equals == word[i])
            return sp_fail(p->error, SP_EINVAL, "data info: %s: must be KEY=VALUE, a key of problem.data", word[i]);
        const char *key = sp_arena_format(p->arena, "%.*s", (int)(equals - word[i]), word[i]);
        const char *path = key ? sp_arena_format(p->arena, "data.%s", key) : NULL;
        node = path ? sp_node_with(p->arena, node, key, value_of(p->arena, path, equals + 1)) : NULL;
    }
    p->given = node;
    return node ? SP_OK : sp_fail(p->error, SP_ENOMEM, "data info: out of memory");
}

static sp_status look(preview *p)
{
    sp_status status = SP_OK;
    sp_values values;
    bool resample;
    gsl_rng *stream = NULL;
    SP_TRY(sp_data_spell(p->arena, &p->given, p->error));
    sp_values_start(&values, sp_file_keys);
    SP_TRY(sp_tree_read(p->given, &values, p->error));
    SP_TRY(sp_values_check(&values, "data", p->error));
    SP_TRY(sp_shape_read(&values, (size_t)(sp_shape_keys - sp_file_keys), "data", &p->shape, &resample, p->error));
    SP_TRY(sp_own_file_look(p->arena, "", "data", &values, &p->file, p->error));
    p->file.options.choose_storage = p->shape.scale == SP_SCALE_NONE;
    SP_TRY(sp_data_open_file(p->file.path, &p->file.options, p->file.fingerprint, &p->raw, p->error));
    p->shape.choose = true;
    stream = sp_stream_open(sp_stream_key_of(0, "data info", 0, SP_STREAM_DATA));
    p->resolved = sp_own_file_resolve(p->arena, &p->file, p->given);
    if (!stream || !p->resolved)
        SP_TRY(sp_fail(p->error, SP_ENOMEM, "data info: out of memory"));
    SP_TRY(sp_dataset_shape(&p->raw, &p->shape, stream, &p->train, &p->test, p->error));
cleanup:
    if (stream)
        gsl_rng_free(stream);
    return status;
}

/* --- printing ---------------------------------------------------------------------------------------------------- */

static void print_values(const sp_seen_column *c, size_t most)
{
    for (size_t i = 0; i < c->values && i < most; i++)
        printf("%s%s (%zu)", i > 0 ? ", " : "", c->value[i].text, c->value[i].count);
    puts(c->more || c->values > most ? ", ..." : "");
}

static void print_column(size_t place, const sp_seen_column *c)
{
    static const char *const kinds[] = { [SP_COLUMN_NUMBERS] = "numbers", [SP_COLUMN_WORDS] = "words",
                                         [SP_COLUMN_LABEL] = "label", [SP_COLUMN_OMITTED] = "omitted" };
    char missing[32] = "", low[SP_NUMBER_SIZE], high[SP_NUMBER_SIZE];
    if (c->missing > 0)
        snprintf(missing, sizeof missing, "%zu missing; ", c->missing);
    printf("  %4zu  %-20s %-8s %s", place, c->name, kinds[c->kind], missing);
    if (c->kind == SP_COLUMN_NUMBERS)
        printf("%s to %s\n", sp_number(c->low, low), sp_number(c->high, high));
    else
        print_values(c, 6);
}

/* A feature and what it reaches in the records that store it. */
typedef struct range {
    size_t feature, records;
    double low, high;
} range;

/* Of the first features that occur, in ascending order: their ranges, at most SHOWN. */
static size_t measure_features(const sp_dataset *s, range out[SHOWN])
{
    const bool sparse = s->storage == SP_STORE_SPARSE;
    size_t count = 0;
    double *x = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const size_t numbers = sparse ? (size_t)(s->start[i + 1] - s->start[i]) : s->d < SHOWN ? s->d : SHOWN;
        x = (double *)(sparse ? s->entry + s->start[i] : s->X + i * s->stride);
        for (size_t k = 0, at = 0; k < numbers; k++) {
            const size_t feature = sparse ? s->column[s->start[i] + k] : k;
            while (at < count && out[at].feature < feature)
                at++;
            if (at == SHOWN)
                break; /* columns ascend */
            if (at == count || out[at].feature != feature) {
                count += count < SHOWN;
                memmove(&out[at + 1], &out[at], (count - 1 - at) * sizeof *out);
                out[at] = (range){ feature, 0, x[k], x[k] };
            }
            out[at].low = fmin(out[at].low, x[k]);
            out[at].high = fmax(out[at].high, x[k]);
            out[at].records++;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (out[i].records < s->n) { /* the others hold 0 */
            out[i].low = fmin(out[i].low, 0.0);
            out[i].high = fmax(out[i].high, 0.0);
        }
    return count;
}

/* Of a file without columns of its own: its features, as they were read. */
static void print_features(const preview *p)
{
    range shown[SHOWN];
    const size_t count = measure_features(&p->raw, shown);
    char low[SP_NUMBER_SIZE], high[SP_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++)
        printf("  %4zu  %s to %s\n", shown[i].feature + 1, sp_number(shown[i].low, low), sp_number(shown[i].high, high));
    if (p->raw.d > count)
        printf("  and %zu more features\n", p->raw.d - count);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sp_status print_norms(const preview *p, const char *what, const sp_dataset *s)
{
    double *norm = sp_alloc_doubles(s->n);
    if (!norm)
        return sp_fail(p->error, SP_ENOMEM, "data info: out of memory");
    memcpy(norm, s->norm, s->n * sizeof *norm);
    qsort(norm, s->n, sizeof *norm, by_size);
    printf("  norms %s: %.6g to %.6g, median %.6g\n", what, norm[0], norm[s->n - 1], norm[s->n / 2]);
    free(norm);
    return SP_OK;
}

static void print_labels(const sp_dataset *s, bool binary)
{
    size_t positive = 0;
    double low = s->y[0], high = s->y[0];
    for (size_t i = 0; i < s->n; i++) {
        positive += s->y[i] > 0.0;
        low = fmin(low, s->y[i]);
        high = fmax(high, s->y[i]);
    }
    const double share = (double)positive / (double)s->n;
    if (binary)
        printf("  labels: +1 %.3f (%zu), -1 %.3f (%zu); the majority class alone has accuracy %.3f\n", share, positive,
               1.0 - share, s->n - positive, fmax(share, 1.0 - share));
    else
        printf("  labels: numbers from %.6g to %.6g\n", low, high);
}

static sp_status print(const preview *p)
{
    sp_status status = SP_OK;
    const sp_seen *seen = &p->file.seen;
    sp_text line = { 0 }, advice = { 0 }, guessed = { 0 };
    sp_own_file_print(p->resolved, NULL, &line);
    sp_own_file_print(p->resolved, p->given, &guessed);
    sp_own_file_advise(&p->file, &advice);
    if (line.failed || guessed.failed || advice.failed)
        SP_TRY(sp_fail(p->error, SP_ENOMEM, "data info: out of memory"));
    printf("%s: %zu records, %zu features\n", p->file.path, p->raw.n, p->raw.d);
    if (guessed.length > 0)
        printf("guessed: %s\n", guessed.data);
    puts(seen->columns > 0 ? "columns" : "features");
    for (size_t i = 0; i < seen->columns && i < SHOWN; i++)
        print_column(i + 1, &seen->column[i]);
    if (seen->columns > SHOWN)
        printf("  and %zu more columns\n", seen->columns - SHOWN);
    if (seen->columns == 0)
        print_features(p);
    if (seen->columns == 0 && seen->label.values > 0) {
        printf("  label ");
        print_values(&seen->label, 6);
    }
    puts("what training would see");
    printf("  n = %zu, d = %zu, stored %s", p->train.n, p->train.d, sp_storage_names[p->train.storage]);
    printf(p->test.n > 0 ? "; %zu records held out\n" : "\n", p->test.n);
    SP_TRY(print_norms(p, "in the file", &p->raw));
    SP_TRY(print_norms(p, "in training", &p->train));
    print_labels(&p->train, !p->file.options.regression && p->train.label_bound == 1.0);
    if (advice.length > 0)
        printf("%s", advice.data);
    printf("in an experiment\n  data = { %s }\n", line.data);
cleanup:
    sp_text_free(&line);
    sp_text_free(&advice);
    sp_text_free(&guessed);
    return status;
}

int sp_data_file_info(char **word, size_t words)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_arena arena = { 0 };
    preview p = { .arena = &arena, .error = &error };
    SP_TRY(read_words(&p, word, words));
    SP_TRY(look(&p));
    SP_TRY(print(&p));
cleanup:
    sp_dataset_free(&p.raw);
    sp_dataset_free(&p.train);
    sp_dataset_free(&p.test);
    sp_arena_free(&arena);
    return status == SP_OK ? SP_EXIT_OK : sp_complain(&error, status == SP_EINVAL ? SP_EXIT_USAGE : SP_EXIT_FAILED);
}
