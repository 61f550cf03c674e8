/* generated.h -- generators by name with some parameters, and datasets made from them, for tests. */
#ifndef SP_TESTS_GENERATED_H
#define SP_TESTS_GENERATED_H

#include "core/base/memory.h"
#include "core/data/generate.h"
#include "core/data/rows.h"
#include "core/plan/registry.h"
#include "tests/check.h"

#include <stdlib.h>

typedef struct made {
    const sp_generator *generator;
    sp_values values;
} made;

/* "scale=4.5 design=gaussian drawn=true"; a value that is no number is set as a text, but for "true". */
static inline made generator_with(const char *name, const char *settings)
{
    made m = { .generator = sp_generator_find(name) };
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    sp_values_start(&m.values, m.generator->params);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '='), *end = NULL;
        *value++ = '\0';
        const double number = strtod(value, &end);
        sp_error error = { 0 };
        const sp_status status =
            !*end                         ? sp_values_set_number(&m.values, name, key, number, &error)
            : strcmp(value, "true") == 0 ? sp_values_set_flag(&m.values, name, key, true, &error)
                                          : sp_values_set_text(&m.values, name, key, value, &error);
        SP_CHECK_REPORT(status == SP_OK, "%s", error.text);
    }
    return m;
}

static inline sp_stream_key truth_key(uint64_t seed)
{
    return sp_stream_key_of(seed, "generated", 0, SP_STREAM_TRUTH);
}

static inline sp_stream_key records_key(uint64_t replicate)
{
    return sp_stream_key_of(2385, "generated", replicate, SP_STREAM_DATA);
}

static inline sp_dataset generated(const made *m, sp_storage storage, size_t n, size_t d, uint64_t truth,
                                   uint64_t replicate)
{
    sp_dataset dataset;
    sp_error error = { 0 };
    const sp_status status = sp_generate(m->generator, &m->values, storage, n, d, truth_key(truth),
                                         records_key(replicate), &dataset, &error);
    SP_CHECK_REPORT(status == SP_OK, "%s: %s", m->generator->name, error.text);
    if (status != SP_OK)
        exit(sp_check_done());
    return dataset;
}

/* What the records share; free it. */
static inline double *truth_of(const made *m, size_t d, uint64_t truth)
{
    sp_stream place;
    double *out = sp_alloc_doubles(m->generator->truth ? m->generator->truth(&m->values, d) : 1);
    if (m->generator->truth)
        m->generator->draw_truth(&m->values, d, sp_stream_place(&place, truth_key(truth)), out);
    return out;
}

#endif
