# core/accountant/composition.c  the failures of repeated (epsilon, delta)-DP releases count once
# killed by unit/charges
s/c\.approx_delta += r->count \* r->entry\.delta/c.approx_delta += r->entry.delta/
