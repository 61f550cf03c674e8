/* philox_words.c -- words of a step against Random123's Philox, on every instruction set; numbers below n.
 *
 * Streams are fixed; each statistical check allows 1e-6, two-sided, and there are 8. */
#include "core/numeric/philox_words.c" /* the kernels of each set */

#include "tests/check.h"

#include <Random123/philox.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>

static sp_stream_key key_of(uint64_t replicate)
{
    return sp_stream_key_of(2385, "words test", replicate, SP_STREAM_SAMPLING);
}

/* Word number i of a step by the definition in words.h. */
static uint32_t word_of(sp_stream_key key, uint64_t step, uint32_t i)
{
    const uint64_t rest = key.word[1] + (step >> 32);
    const philox4x32_ctr_t counter = { { 8 * (i / 32) + i % 8, (uint32_t)step, (uint32_t)rest,
                                         (uint32_t)(rest >> 32) } };
    const philox4x32_key_t k = { { (uint32_t)key.word[0], (uint32_t)(key.word[0] >> 32) } };
    return philox4x32_R(10, counter, k).v[i / 8 % 4];
}

static void test_definition(void)
{
    static const uint64_t steps[] = { 0, 1, 2385, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX };
    gsl_rng *stream = sp_stream_open(key_of(0));
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        sp_philox_words w;
        sp_stream_at(stream, steps[s]);
        for (uint64_t more = 0; more < 3; more++) { /* each opening has the next step */
            sp_philox_words_open(&w, stream);
            for (uint32_t i = 0; i < 3 * SP_WORDS + 5; i++)
                CHECK(sp_philox_words_next(&w) == word_of(key_of(0), steps[s] + more, i));
        }
        sp_philox_words_fill(&w); /* the rest of the last ones is lost */
        CHECK(sp_philox_words_next(&w) == word_of(key_of(0), steps[s] + 2, 4 * SP_WORDS));
    }
    gsl_rng_free(stream);
}

static void test_sets(void)
{
    static sp_philox_words a, b;
    for (sp_isa isa = SP_ISA_AVX2; isa < SP_ISAS; isa++) {
        if (!sp_isa_known(sp_isa_name(isa)))
            continue;
        a.next = b.next = sp_philox_at(key_of(1), 3, 70001);
        fill_on[SP_ISA_BASELINE](&a);
        fill_on[isa](&b);
        CHECK(memcmp(&a.word, &b.word, sizeof a.word) == 0);
    }
}

/* Neither too large nor too small to be a draw. */
static void check_chi2(double chi2, double freedom)
{
    CHECK_LESS_EQUAL(5e-7, gsl_cdf_chisq_Q(chi2, freedom));
    CHECK_LESS_EQUAL(5e-7, gsl_cdf_chisq_P(chi2, freedom));
}

/* Where a quarter of the words are refused, and where hardly any: CELLS ranges of equal length. */
static void test_below(void)
{
    enum { DRAWS = 200000, CELLS = 97 };
    static const uint32_t sizes[] = { 97, 970, 97 * 44278013u - 1, 97 * 33207828u, 97 * 22139018u, UINT32_MAX };
    gsl_rng *stream = sp_stream_open(key_of(2));
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double cell[CELLS] = { 0 }, chi2 = 0.0;
        sp_philox_words w;
        sp_philox_words_open(&w, stream);
        for (size_t i = 0; i < DRAWS; i++) {
            const uint32_t drawn = sp_philox_words_below(&w, sizes[k]);
            CHECK(drawn < sizes[k]);
            cell[(uint64_t)drawn * CELLS / sizes[k]] += 1.0;
        }
        for (size_t i = 0; i < CELLS; i++)
            chi2 += gsl_pow_2(cell[i] - (double)DRAWS / CELLS) / ((double)DRAWS / CELLS);
        check_chi2(chi2, CELLS - 1.0);
    }
    for (size_t i = 0; i < 1000; i++) {
        sp_philox_words w;
        sp_philox_words_open(&w, stream);
        CHECK(sp_philox_words_below(&w, 1) == 0);
    }
    gsl_rng_free(stream);
}

/* The bias that the refusals take away: without them a third of the numbers below 3 * 2^30 came twice as often. */
static void test_refusals(void)
{
    enum { DRAWS = 300000 };
    gsl_rng *stream = sp_stream_open(key_of(3));
    double residue[3] = { 0 }, chi2 = 0.0;
    sp_philox_words w;
    sp_philox_words_open(&w, stream);
    for (size_t i = 0; i < DRAWS; i++)
        residue[sp_philox_words_below(&w, UINT32_C(3) << 30) % 3] += 1.0;
    for (size_t i = 0; i < 3; i++)
        chi2 += gsl_pow_2(residue[i] - DRAWS / 3.0) / (DRAWS / 3.0);
    check_chi2(chi2, 2.0);
    gsl_rng_free(stream);
}

int main(void)
{
    test_definition();
    test_sets();
    test_below();
    test_refusals();
    return sp_check_done();
}
