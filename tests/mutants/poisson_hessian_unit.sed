# core/oracle/release.c  a Hessian's noise on a Poisson sample is relative to the Frobenius sensitivity of a subset's
# killed by unit/charges
s/unit = resolved\.kind == SP_SAMPLE_POISSON ? .*/unit = sensitivity;/
