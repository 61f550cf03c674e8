# core/oracle/mechanisms/accumulator.c  blocks that end at the same step have the same noise
# killed by unit/charges
s/^    sp_noise_gaussian(o->noise, noise_std, d, value);/    static sp_stream_key key;\n    static uint64_t step;\n    static size_t last;\n    if (last != o->cost.releases)\n        step = sp_stream_step(o->noise, \&key);\n    last = o->cost.releases;\n    sp_normal_add(key, step, 0, d, noise_std, value);/
s/^#include "core\/oracle\/noise.h"/&\n#include "core\/numeric\/normal.h"/
