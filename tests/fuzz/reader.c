/* reader.c -- records of any format, from any bytes: refused, or finite, and the same ones dense and sparse. The first
 * four bytes choose format and options; of IDX the next one says where the labels begin. What is guessed of them, with
 * some of the options said, fits together. */
#include "core/data/read/guess.h"

#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void check_alike(const sp_dataset *a, const sp_dataset *b)
{
    FUZZ_CHECK(a->n == b->n && a->d == b->d && a->n > 0 && a->d > 0);
    FUZZ_CHECK(memcmp(a->y, b->y, a->n * sizeof *a->y) == 0);
    for (size_t i = 0; i < a->n; i++)
        FUZZ_CHECK(isfinite(a->y[i]) && isfinite(a->norm[i]) && fabs(a->norm[i] - b->norm[i]) <= 1e-12 * a->norm[i]);
}

/* The options that four bytes choose. */
static sp_read_options choose(const uint8_t how[4])
{
    static const char delimiters[] = { 0, ';', '\t', ' ', ',', '|', ':', 'a' };
    static const char *const labels[] = { NULL, "1", "-1", "y", "-2", "2", "a", "\"" };
    static const char *const lists[] = { NULL, "1", "2,1", "a", "\"a\",3", "a,a", "-2", "," };
    static const char *const words[] = { NULL, "-", "1,2", "x" };
    const sp_data_format format = (sp_data_format)(how[0] % 5);
    const bool columns = format == SP_FORMAT_CSV || format == SP_FORMAT_ARFF, csv = format == SP_FORMAT_CSV;
    sp_read_options o = { .format = format, .limit = (size_t)32 << 20, .regression = (how[0] & 8) != 0,
                          .d = how[0] & 16 ? 3 : 0, .choose_storage = (how[0] & 32) != 0,
                          .zero_based = format == SP_FORMAT_LIBSVM && (how[0] & 64) };
    if (!o.regression && (how[0] & 128)) {
        o.positive = how[3] & 1 ? "1" : "a";
        o.negative = how[3] & 2 ? "0" : NULL;
    }
    if (csv) {
        o.delimiter = delimiters[how[1] % 8];
        o.header = (how[1] & 8) != 0;
        o.comment = how[1] & 16 ? '#' : '\0';
        o.decimal_comma = (how[1] & 32) != 0;
    }
    if (columns) {
        o.missing = (sp_missing)((how[1] >> 6) % 3);
        o.label = labels[how[2] % 8];
        o.categorical = lists[how[2] / 8 % 8];
        o.missing_words = words[how[2] / 64];
        o.omit = lists[how[3] / 4 % 8];
        o.index = how[3] & 32 ? "1" : NULL;
        o.bounds = how[3] & 64 ? "a:0:1" : how[3] & 128 ? "2:-1:3,1:0:2" : NULL;
    }
    return o;
}

/* What `open` names of the options is guessed, the rest is said. */
static void check_guess(const sp_source *source, size_t count, sp_read_options o, unsigned open)
{
    sp_arena arena = { 0 };
    sp_seen seen;
    sp_dataset dataset = { 0 };
    sp_error error = { 0 };
    if (open & SP_OPEN_FORMAT) /* options of a format that is not known may not fit it */
        o = (sp_read_options){ .limit = o.limit, .missing = o.missing };
    open |= (o.label ? 0u : SP_OPEN_LABEL) | (o.delimiter ? 0u : SP_OPEN_DELIMITER);
    if (open & SP_OPEN_DELIMITER)
        o.delimiter = 0;
    if (open & SP_OPEN_LABEL)
        o.label = NULL;
    if (open & SP_OPEN_POSITIVE)
        o.positive = o.negative = NULL, o.regression = false;
    /* what cannot be held is beyond the limit, so that SP_EINVAL says that options do not fit */
    o.storage = SP_STORE_SPARSE;
    const sp_status status = sp_guess(source, count, open, &arena, &o, &seen, &error);
    FUZZ_CHECK((status == SP_OK) == (error.text[0] == '\0'));
    if (o.format != SP_FORMAT_CSV && o.format != SP_FORMAT_ARFF)
        o.missing = SP_MISSING_REFUSE;
    if (status == SP_OK && count == (o.format == SP_FORMAT_IDX ? 2 : 1))
        FUZZ_CHECK(sp_read_dataset(source, count, &o, &dataset, &error) != SP_EINVAL);
    sp_dataset_free(&dataset);
    sp_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { HEAD = 5 };
    if (size < HEAD)
        return 0;
    const size_t cut = bytes[4] < size - HEAD ? bytes[4] : size - HEAD;
    const char *text = (const char *)bytes + HEAD;
    sp_read_options o = choose(bytes);
    const bool idx = o.format == SP_FORMAT_IDX;
    const sp_source source[] = { { "a", text, idx ? cut : size - HEAD }, { "b", text + cut, size - HEAD - cut } };
    const size_t count = idx ? 2 : 1;
    sp_dataset dense, sparse;
    sp_error error = { 0 };
    const sp_status status = sp_read_dataset(source, count, &o, &dense, &error);
    FUZZ_CHECK((status == SP_OK) == (dense.mapping != NULL) && (status == SP_OK) == (error.text[0] == '\0'));
    o.storage = SP_STORE_SPARSE;
    const sp_status other = sp_read_dataset(source, count, &o, &sparse, NULL);
    FUZZ_CHECK(status == other || status == SP_ELIMIT || other == SP_ELIMIT);
    if (status == SP_OK && other == SP_OK)
        check_alike(&dense, &sparse);
    sp_dataset_free(&dense);
    sp_dataset_free(&sparse);
    check_guess(source, count, o, bytes[4] % 2 ? ~0u : bytes[4] / 2);
    return 0;
}
