/* isa.h -- the instruction set that the kernels run on. Every kernel is compiled once per set from the same body. All
 * variants perform the same IEEE operations in the same order (a fixed number of lanes, FMA only where it is written),
 * so the choice changes the speed and never a bit. baseline is what every processor of a kind has: SSE2 on x86-64; NEON
 * on aarch64, which has no other set here. avx2 requires AVX2 and FMA (x86-64-v3). avx512 and NEON include FMA. A
 * processor with AVX2 but without FMA runs on baseline, where an FMA is a call (fma.c).
 *
 *   static inline double body(...) { ... }             the loop, plain C
 *   SP_KERNEL(double, sum, (size_t n, const double *x), body(n, x))
 *
 * defines static functions sum_baseline, sum_avx2 and sum_avx512 that inline the body, and sum(), which calls the one
 * for the set in use. A loop over blocks of records makes this choice once per block, not once per record. */
#ifndef SP_NUMERIC_ISA_H
#define SP_NUMERIC_ISA_H

typedef enum { SP_ISA_BASELINE, SP_ISA_AVX2, SP_ISA_AVX512, SP_ISAS } sp_isa;

/* The widest set of this processor, or less where STILLPOINT_ISA = baseline | avx2 | avx512 says so (a set that the
 * processor lacks, or another word, is as if it were not there; main refuses it). Fixed at the first call. */
static inline sp_isa sp_isa_in_use(void);
const char *sp_isa_name(sp_isa); /* "baseline", "avx2", "avx512" */
/* For tests and main: is this word a set that this processor has? */
int sp_isa_known(const char *word);
/* Has this processor an instruction for FMA? Without one every FMA takes as long as a hundred products. */
int sp_isa_fma(void);

/* What sp_isa_in_use chose; SP_ISAS before. For it, and for tests that choose in its place. */
extern sp_isa sp_isa_chosen;
sp_isa sp_isa_choose(void);

static inline sp_isa sp_isa_in_use(void)
{
    return sp_isa_chosen != SP_ISAS ? sp_isa_chosen : sp_isa_choose();
}

#if defined(__x86_64__) && defined(__GNUC__)
#define SP_ISA_X86
#define SP_TARGET_avx2 __attribute__((target("avx2,fma")))
#ifdef __clang__ /* which takes the widest vectors unasked, and does not know the word */
#define SP_TARGET_avx512 __attribute__((target("fma,avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define SP_TARGET_avx512 __attribute__((target("fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")))
#endif
#else
#define SP_TARGET_avx2
#define SP_TARGET_avx512
#endif
#define SP_TARGET_baseline

/* flatten: whatever the body calls is compiled for the set too, however large it is; clang: what it calls itself, and
 * what these call if it is SP_INLINE or small */
#define SP_INLINE static inline __attribute__((always_inline))
#define SP_KERNEL_ON(set, type, name, parameters, call)                          \
    SP_TARGET_##set __attribute__((flatten)) static type name##_##set parameters \
    {                                                                            \
        return call;                                                             \
    }
/* The picked function as a pointer: const name##_kernel kernel = name##_pick(); */
#define SP_KERNEL(type, name, parameters, call)                                                        \
    SP_KERNEL_ON(baseline, type, name, parameters, call)                                               \
    SP_KERNEL_ON(avx2, type, name, parameters, call)                                                   \
    SP_KERNEL_ON(avx512, type, name, parameters, call)                                                 \
    typedef type(*name##_kernel) parameters;                                                           \
    static inline name##_kernel name##_pick(void)                                                      \
    {                                                                                                  \
        static const name##_kernel table[SP_ISAS] = { name##_baseline, name##_avx2, name##_avx512 };   \
        return table[sp_isa_in_use()];                                                                 \
    }
/* name##_call(), a kernel of the function `name` and the call of the picked one; arguments: (x, y, ...) */
#define SP_KERNEL_CALL(type, name, parameters, arguments)  \
    SP_KERNEL(type, name##_on, parameters, name arguments) \
    static type name##_call parameters                     \
    {                                                      \
        return name##_on_pick() arguments;                 \
    }

#endif
