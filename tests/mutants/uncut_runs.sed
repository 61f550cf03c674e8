# core/accountant/composition.c  that the number of runs is cut costs nothing
# killed by unit/repetitions
s/c\.cut += r->count \*/c.cut += 0.0 * r->count */
