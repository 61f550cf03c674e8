# core/oracle/noise.c  half the noise on a Hessian's diagonal
s/H\[i \* d + i\] += noise_std/H[i * d + i] += 0.5 * noise_std/
