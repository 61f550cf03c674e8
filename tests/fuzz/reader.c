/* reader.c -- records of any format, from any bytes: refused, or finite, and the same ones dense and sparse. The first byte
 * chooses format and options; of IDX the second one says where the labels begin. What is guessed of them
 * fits together. */
#include "core/data/guess.h"

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

static void check_guess(const sp_source *source, size_t count)
{
    const unsigned all = SP_OPEN_FORMAT | SP_OPEN_DELIMITER | SP_OPEN_HEADER | SP_OPEN_LABEL | SP_OPEN_POSITIVE;
    sp_arena arena = { 0 };
    /* sparse: what cannot be held is beyond the limit, so that SP_EINVAL says that options do not fit */
    sp_read_options o = { .limit = (size_t)32 << 20, .missing = SP_MISSING_CATEGORY, .storage = SP_STORE_SPARSE };
    sp_seen seen;
    sp_dataset dataset = { 0 };
    sp_error error = { 0 };
    const sp_status status = sp_guess(source, count, all, &arena, &o, &seen, &error);
    FUZZ_CHECK((status == SP_OK) == (error.text[0] == '\0'));
    if (o.format != SP_FORMAT_CSV)
        o.missing = SP_MISSING_REFUSE;
    if (status == SP_OK && count == (o.format == SP_FORMAT_IDX ? 2 : 1))
        FUZZ_CHECK(sp_read_dataset(source, count, &o, &dataset, &error) != SP_EINVAL);
    sp_dataset_free(&dataset);
    sp_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    const uint8_t how = bytes[0];
    const size_t cut = bytes[1] < size - 2 ? bytes[1] : size - 2;
    const char *text = (const char *)bytes + 2;
    const sp_data_format format = (sp_data_format)(how % 4);
    const sp_source source[] = { { "a", text, format == SP_FORMAT_IDX ? cut : size - 2 },
                                 { "b", text + cut, size - 2 - cut } };
    sp_read_options o = { .format = format, .limit = (size_t)32 << 20, .regression = (how & 4) != 0,
                          .header = format == SP_FORMAT_CSV && (how & 8),
                          .categorical = format == SP_FORMAT_CSV && (how & 16) ? "1" : NULL,
                          .missing = format == SP_FORMAT_CSV ? (sp_missing)((how >> 6) % 3) : SP_MISSING_REFUSE,
                          .positive = (how & 36) == 32 ? "1" : NULL, .d = how & 64 ? 3 : 0 };
    const size_t count = format == SP_FORMAT_IDX ? 2 : 1;
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
    check_guess(source, count);
    return 0;
}
