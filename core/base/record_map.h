/* record_map.h -- the map that a loss applies to the features of every record on storage: a clip of their parts.
 *
 * A part of a record (one number, or a pair) is clipped to the interval or disc around 0 of the radius that sp_disc
 * gives. The radius is a factor 1 - 2^-40 (1e-12) below 1 / sqrt(parts), so that bounds which follow from 1 /
 * sqrt(parts) also hold in floating point for every record: rounding errors are smaller than that. */
#ifndef SP_BASE_RECORD_MAP_H
#define SP_BASE_RECORD_MAP_H

#include <math.h>
#include <stddef.h>

typedef struct sp_record_map {
    const char *name; /* of the map, with the records' content in the keys of what is kept */
    /* Of the d features of one record. No feature and no norm becomes larger; reentrant. */
    void (*apply)(size_t d, double *restrict x);
} sp_record_map;

/* The radius for each of so many parts. */
static inline double sp_disc(size_t parts)
{
    return (1.0 - 0x1p-40) / sqrt((double)parts);
}

#endif
