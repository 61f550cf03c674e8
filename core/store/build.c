/* build.c -- see build.h. Weak: the program has its own. */
#include "core/store/build.h"

__attribute__((weak)) const char sp_build_commit[] = "unknown";
__attribute__((weak)) const int sp_build_changed = 0;
