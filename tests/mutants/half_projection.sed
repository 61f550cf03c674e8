# core/data/project.c  who is outside of a polytope comes to half of the nearest point, which brings points further apart
s/w\[j\] = mean(domain, weight, j);/w[j] = 0.5 * mean(domain, weight, j);/
