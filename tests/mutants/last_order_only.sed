# core/accountant/composition.c  the record is in the second data set alone
# killed by unit/charges
s/\*out = swapped ? fmax(\*out, one) : one;/*out = one;/
