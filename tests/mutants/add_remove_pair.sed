# core/accountant/composition.c  a Poisson sample's pair is that of add-remove where one record is replaced
# killed by unit/charges
s/neighbours == SP_REPLACE_ONE ? SP_PAIR_OPPOSED : swapped/swapped/
