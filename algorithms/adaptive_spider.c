/*
 * adaptive_spider.c -- one pass of SPIDER over fresh records, with batch sizes proportional to the length of the step
 * and correlated noise.
 *
 *   a segment   v = mean of b fresh gradients at w, then v <- v + mean of m c fresh grad f(w) - grad f(w'), one at
 *               least, where w' was before w, c = min(beta_data ||w - w'||, 2 L_data); a new segment begins after a
 *               path of length kap / beta or more, after N estimates, after a jump, and when psgd begins another round
 *   release     vt = v + noise that is correlated along the segment: noise = tree, N = 2^h - 1, the sum of the at most
 *               h blocks of estimates that make up this one; noise = sqrt, the square-root factorisation (banded.c)
 *   move        w <- Proj_W( w - eta vt ),  eta = 1 / beta; where ||vt|| <= 3 g an escape is tried (spider_sosp.c):
 *               hessian, of b_h fresh records, stops where its test passes or jumps; kick; psgd
 *   select      among the iterates, privately, on ceil(n/2) records of their own (parts/sosp.h), at level alpha = 4 g
 *
 * Suppose that the error of every estimate is at most g/5 and that of every Hessian at most sqrt(rho_H alpha) / 10.
 * Then each step lowers F by at least 1.3 g ||w - w'|| and at least step = 3.9 g^2 / beta, each jump by at least jump =
 * (13/120) alpha^(3/2) / sqrt(rho_H) (spider_sosp.c derives this), and all of them together by at most gap. So hessian
 * makes at most T = 1 + gap / min{ step, jump } updates, needs n_h = 1 + gap / jump Hessians, and uses
 *
 *   U = b + b_h + gap max{ m beta_data / (1.3 g) + 1 / step + b / min{ 1.3 g kap / beta, N step },
 *                          (b + b_h) / jump }
 *
 * records. The errors: let mu be 1 / the noise multiplier of one release, and s = max{ 2 L_data / b, 2 / m } a bound on
 * how much a record of a segment moves v. A coordinate of the noise has deviation at most f s / mu: f = h of a tree,
 * since a record is in h blocks; for square-root noise f^2 is what the first record pays for all N estimates together,
 * times the variance of the N-th, both for unit noise (1.40, 2.04, 2.71, 3.38 for N = 3, 15, 127, 1023, where a tree
 * has 2, 4, 7, 10). With l = ln(8 T / zeta) and k = l, or l + ln N under square-root noise, where the run decides at
 * which of N equally noisy estimates a segment ends, the norm of the noise is at most f s (sqrt d + sqrt(2 k)) / mu,
 * the sampling error (Pinelis 1994) at most sqrt(8 l (L_data^2 / b + kap / m)), each of them within g/10 for
 *
 *   b = batch_scale max{ 2 L_data / q, 1600 l L_data^2 / g^2 },  m = batch_scale max{ 2 / q, 1600 l kap / g^2 },
 *   q = g mu / (10 f (sqrt d + sqrt(2 k))),
 *
 * and b_h as required by E_h of spider_sosp. kap (on a grid of factors sqrt 2) and N (h) minimise U; g is the smallest
 * with U <= the records that the choice leaves, by bisection. With probability 1 - zeta the output of selection = none
 * is then an alpha-SOSP of the population loss; the choice has its own additional guarantee. For kick and psgd nothing
 * is proved; they use T = 4 beta gap / g^2 [+ rounds q of psgd] and a path of length 4 gap / g instead.
 *
 * The constants are worst cases: at d = 10, epsilon = 1, delta = 1e-8, all loss constants 1 (hessian_frobenius sqrt 2)
 * alpha is 1.52, .78, .41 for n = 1e6, 1e7, 1e8, under either noise: here the sampling error dominates. If noise
 * dominates, square-root noise gives a smaller alpha: at epsilon = .01 and n = 1e8 kick has .62, and .75 under the
 * tree. If alpha would not be below half of the level that the start has, alpha is set to that half, all batches are
 * reduced in proportion so that the records suffice, and a warning states what the records allow.
 *
 * When: saddles of the population loss matter, and there are 1e7 records or more. Else spider_sosp (erm): its level on
 * the records, alpha_g of the gradient and alpha_h of the Hessian, is for the population, up to constants,
 * max{ alpha_g + L sqrt(d/n), (sqrt(rho_H alpha_h) + beta sqrt(d/n))^2 / rho_H } by uniform convergence.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Liu & Talwar 2024, Alg. 2 and 3; hessian after their second version, psgd after Tao et al. 2025.
 * Privacy  (epsilon, delta), replace-one. Each record is in one estimate of one segment. Under a tree it moves at most
 *          h released blocks by s each: noise_std = sqrt(h) s / mu, mu of the whole budget. Under square-root noise it
 *          pays at its release for all later releases of the segment; the first record pays most: noise_std = sqrt(C) s
 *          / mu, C = sp_node_cost (1.31, 1.62, 2.34, 3.01 for N = 3, 15, 127, 1023). Hessians of b_h fresh records and
 *          the choice have records of their own: in parallel.
 * Differs  noise = sqrt is not theirs. A new tree with each segment (printed: the new gradient as an increment of one
 *          long stream, which depends on records through v). c belongs to the move that was made (printed: the next
 *          estimate). A tree has 2^h - 1 estimates, because 2^h would need h + 1 blocks. Escapes use the estimate at w
 *          (printed: the one before). After a kick the length of the path is kept (printed: it restarts at 0, as if
 *          there were a new gradient). The printed escape is kick, whose lemma is false: it assumes only that the error
 *          of v has norm <= g, and such an error can cancel the kick permanently (spider_sosp.c). So the paper's
 *          statement about saddles is proved here for hessian only. Noise, b, m and T by the accountant and the
 *          inequalities above (printed: up to logarithms, without which alpha would be .138 at n = 1e4).
 * Output   the chosen iterate; selection = none: the last one, where hessian stopped.
 * Cost     n/2 gradients at most, with differences twice that; T h / 2 ledger entries, T under square-root noise; n/2
 *          gradients and Hessians a candidate.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/escape.h"
#include "algorithms/parts/segments.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return sp_segments_run(o, v, false, w);
}

const sp_algorithm sp_algorithm_adaptive_spider = {
    .name = "adaptive_spider",
    .summary = "one pass of SPIDER, batches in proportion to the way, correlated noise: the population's second-order "
               "points",
    .when = "saddles of the population loss matter and there are 1e7 records or more; with fewer, spider_sosp; noise "
            "= sqrt where epsilon is small or batches are given",
    .source = "Liu & Talwar 2024",
    .releases = "one block of a binary tree, or one step of a square-root filter, an estimate: sums of gradients, "
                "sensitivity 2 L_data / b, and differences, 2 / m, of fresh records; Hessians of fresh records; one "
                "choice among the iterates on another half",
    .uses = "parts/escape parts/fits parts/segments parts/sosp parts/theory",
    .params = sp_segments_params,
    .follows_answers = true,
    .fits = sp_escape_fits,
    .run = run,
};
