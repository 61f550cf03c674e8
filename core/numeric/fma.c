/* fma.c -- the function fma() for code in which the compiler calls it: the linker's --wrap=fma (CMakeLists.txt)
 * redirects the call to this file.
 *
 * Code outside kernels (isa.h) is compiled for every x86-64 processor, and there sp_fma (math.h) becomes such a call.
 * libm would compute it in software, because pin.h hides FMA from libm; this file uses the processor's own instruction
 * if it has one. Both give the correctly rounded result. On aarch64 sp_fma is an instruction, and nothing is called. */
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
