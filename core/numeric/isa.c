/* isa.c -- finds the instruction sets of this processor and chooses one, once. */
#include "core/numeric/isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[SP_ISAS] = { "baseline", "avx2", "avx512" };

int sp_isa_fma(void)
{
#ifdef SP_ISA_X86
    return __builtin_cpu_supports("fma") != 0;
#else
    return 1;
#endif
}

static int here(sp_isa isa)
{
#ifdef SP_ISA_X86
    if (isa == SP_ISA_AVX512)
        return here(SP_ISA_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (isa == SP_ISA_AVX2)
        return __builtin_cpu_supports("avx2") && sp_isa_fma();
#endif
    return isa == SP_ISA_BASELINE;
}

const char *sp_isa_name(sp_isa isa)
{
    return names[isa];
}

int sp_isa_known(const char *word)
{
    for (sp_isa isa = SP_ISA_BASELINE; isa < SP_ISAS; isa++)
        if (strcmp(word, names[isa]) == 0)
            return here(isa);
    return 0;
}

sp_isa sp_isa_chosen = SP_ISAS; /* setting it twice sets the same */

sp_isa sp_isa_choose(void)
{
    const char *word = getenv("STILLPOINT_ISA");
    sp_isa isa = SP_ISA_AVX512;
    while (word && sp_isa_known(word) ? strcmp(word, names[isa]) != 0 : !here(isa))
        isa--;
    return sp_isa_chosen = isa;
}
