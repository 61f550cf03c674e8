/* generate.h -- data sets made by a generator (generator.h). */
#ifndef SP_DATA_GENERATE_H
#define SP_DATA_GENERATE_H

#include "core/numeric/stream.h"
#include "core/data/dataset.h"
#include "core/data/domain.h"
#include "core/data/generator.h"

/* Are labels <w*, x> exactly, with w* certain to be in the domain (the whole space, or an l2 ball that reaches it)? */
bool sp_generator_realisable(const sp_generator *, const sp_values *, const sp_domain *);

/* A bound on every |x_ij| below the radius; 0: none is known. */
double sp_generator_largest(const sp_generator *, const sp_values *, size_t d);

/* What sp_generate refuses whatever the machine, known before a record is made: SP_EINVAL for values that do not fit d
 * and for sizes that cannot be held, SP_EUNSUPPORTED for a storage that this generator does not serve. */
sp_status sp_generate_check(const sp_generator *, const sp_values *, sp_storage, size_t n, size_t d, sp_error *);
/* What `content` of sp_generate's datasets is: a hash of all that determines them beside the generator's source. */
void sp_generated_content(const sp_generator *, const sp_values *, sp_storage, size_t n, size_t d, sp_stream_key truth,
                          sp_stream_key records, char out[SP_HASH_HEX]);
/* n records in the given storage (dense, indexed, signs and moments where the generator allows it). Record i comes from
 * its own substream of `records` (sp_stream_at), so the same record is the same whatever n and the storage: the first
 * 1000 of 10^6 records are the 1000 of another run. The values and the truth are copied where rows are made again
 * later. Moments are drawn from the law of the sum of n records, not of these, from the stream's first substream. */
sp_status sp_generate(const sp_generator *, const sp_values *, sp_storage, size_t n, size_t d, sp_stream_key truth,
                      sp_stream_key records, sp_dataset *out, sp_error *);
/* What stands for the distribution: where `exact` is asked for one record E x without a label, or E y x labelled +1
 * (SP_EUNSUPPORTED when neither is known), else m fresh records: as signs where the generator allows it, dense up to
 * 1 GiB, else indexed. */
sp_status sp_generate_population(const sp_generator *, const sp_values *, bool exact, size_t m, size_t d,
                                 sp_stream_key truth, sp_stream_key records, sp_dataset *out, sp_error *);

#endif
