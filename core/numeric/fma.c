/* fma.c -- fma() where the compiler makes a call of it: the linker's --wrap=fma (CMakeLists.txt) leads it here.
 *
 * Outside kernels code is compiled for what every x86-64 processor has, and sp_fma (math.h) becomes such a call. libm
 * would answer it in software, for pin.h masks FMA there; here the processor's own instruction does, where it has one.
 * The result is the rounded exact one either way. On aarch64 sp_fma is an instruction, and nothing is called. */
#include "core/numeric/isa.h"

#ifdef SP_ISA_X86
double __wrap_fma(double a, double b, double c);
double __real_fma(double a, double b, double c);

__attribute__((target("fma"))) static double by_instruction(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

double __wrap_fma(double a, double b, double c)
{
    return __builtin_cpu_supports("fma") ? by_instruction(a, b, c) : __real_fma(a, b, c);
}
#endif
