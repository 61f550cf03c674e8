/* generator.h -- the interface of a generator of synthetic records. Record i is a pure function of (parameters, d,
 * truth, i, its own stream), where the truth is what all records of a data set share (w*, ...). There is one generator
 * per file in core/data/generators/. */
#ifndef SP_DATA_GENERATOR_H
#define SP_DATA_GENERATOR_H

#include "core/base/param.h"
#include "core/numeric/rng.h"

/* What storage = "moments" (moments.h) needs to know: records of independent parts, each of which takes one of a few
 * values. A loss's record map acts on each part by itself. */
typedef struct sp_parts {
    size_t (*values)(const sp_values *, size_t d);         /* that a part can take; of some parts fewer */
    size_t (*part)(const sp_values *, size_t d, size_t j); /* to which feature j belongs: from 0, rising with j */
    /* The record that has value k in every part; y as in `record`. */
    void (*record)(const sp_values *, size_t d, const double *truth, size_t k, double *restrict x, double *y);
    /* count[parts * values]: how many of n records have value k in part p, drawn from its law. */
    void (*draw)(const sp_values *, size_t n, size_t d, sp_rng *stream, double *count);
    bool whole; /* whatever d is, there is one part: the values are records, of which any loss can be summed */
} sp_parts;

typedef struct sp_generator {
    const char *name, *summary;
    const sp_param *params;
    double (*radius)(const sp_values *, size_t d);      /* public bound on ||x|| */
    double (*label_bound)(const sp_values *, size_t d); /* public bound on |y| */
    bool labels;
    bool binary; /* labels are -1 and +1 */
    bool opposites; /* record 2 i + 1 is that of 2 i with -x in the place of x */
    bool signs;  /* x_j = +-radius/sqrt(d), which bounds every |x_j|: may be stored as signs */
    bool (*realisable)(const sp_values *); /* are labels <w*, x>, exactly? NULL: never */
    double (*truth_norm)(const sp_values *, size_t d); /* with realisable: ||w*||_2 */
    const char *(*fits)(const sp_values *, size_t d);   /* NULL, or why there are no such records; may be NULL */
    /* What all records share (w*, a basis, ...): `truth` doubles, drawn once for a problem, the same for every
     * replicate and for the population. Both may be NULL. */
    size_t (*truth)(const sp_values *, size_t d);
    void (*draw_truth)(const sp_values *, size_t d, sp_rng *stream, double *truth);
    /* A record: a pure function of (values, truth, the record's own stream), features first, then the label. y is NULL
     * where there is none or it is not asked for. */
    void (*record)(const sp_values *, size_t d, const double *truth, sp_rng *stream, double *restrict x, double *y);
    /* In place of `record`, where nothing is drawn for a record: record i. */
    void (*nth)(const sp_values *, size_t d, const double *truth, size_t i, double *restrict x, double *y);
    /* E x, exactly (d entries); NULL: not known in closed form. */
    void (*mean)(const sp_values *, size_t d, const double *truth, double *restrict out);
    /* E y x, exactly, of labels -1 and +1, in the place of E x: what a GLM needs whose loss is affine in y <w, x> */
    void (*class_mean)(const sp_values *, size_t d, const double *truth, double *restrict out);
    const sp_parts *parts; /* NULL: there are no moments of such records */
} sp_generator;

#endif
