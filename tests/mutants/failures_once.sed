# core/accountant/composition.c  the failures of repeated (epsilon, delta)-DP releases count once
# killed by unit/charges
s/product_above(r->count, r->entry\.delta)/product_above(1, r->entry.delta)/
