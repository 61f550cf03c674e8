/* generator.h -- synthetic records, a pure function of (parameters, n, d, stream). */
#ifndef SP_DATA_GENERATOR_H
#define SP_DATA_GENERATOR_H

#include "core/base/param.h"
#include "core/data/dataset.h"

typedef struct sp_generator {
    const char *name, *summary;
    const sp_param *params;
    double (*radius)(const sp_values *, size_t d);      /* public bound on ||x|| */
    double (*label_bound)(const sp_values *, size_t d); /* public bound on |y| */
    bool labels;
    bool binary; /* labels are -1 and +1 */
    bool (*realisable)(const sp_values *); /* are labels an exact function of <w*, x>? NULL: never */
    /* X is n x d without gaps; y and the random direction u (d entries, unit length) are NULL without labels. */
    void (*fill)(const sp_values *, size_t n, size_t d, gsl_rng *stream, const double *u, double *X, double *y);
} sp_generator;

extern const sp_generator sp_generators[];
extern const size_t sp_generator_count;
const sp_generator *sp_generator_find(const char *name);
bool sp_generator_realisable(const sp_generator *, const sp_values *);

sp_status sp_generate(const sp_generator *, const sp_values *, size_t n, size_t d, gsl_rng *stream, sp_dataset *out,
                      sp_error *);

#endif
