# core/accountant/composition.c  the record is in the first data set alone
# killed by unit/charges
s/const bool both_orders = .*/const bool both_orders = false;/
