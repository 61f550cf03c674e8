/*
 * adaptive_spider.c -- one pass of SPIDER over fresh records: batches in proportion to the way, correlated noise.
 *
 *   a segment   v = mean of b fresh gradients at w, then v <- v + mean of m c fresh grad f(w) - grad f(w'), one at
 *               least, where w' was before w, c = min(beta_data ||w - w'||, 2 L_data); a new segment begins after a way
 *               of kap / beta or more, after N estimates, after a jump, and where psgd begins a round again
 *   release     vt = v + noise that is correlated along the segment: noise = tree, N = 2^h - 1, the sum of the at most
 *               h blocks of estimates that make up this one; noise = sqrt, the square-root factorisation (banded.c)
 *   move        w <- Proj_W( w - eta vt ),  eta = 1 / beta; where ||vt|| <= 3 g an escape is tried (spider_sosp.c):
 *               hessian, of b_h fresh records, stops where its test passes or jumps; kick; psgd
 *   select      among the iterates, privately, on ceil(n/2) records of their own (parts/sosp.h), at level alpha = 4 g
 *
 * Where all estimates err by g/5 and all Hessians by sqrt(rho_H alpha) / 10 at most, each step lowers F by 1.3 g ||w -
 * w'|| or more and by step = 3.9 g^2 / beta or more, each jump by jump = (13/120) alpha^(3/2) / sqrt(rho_H) or more
 * (spider_sosp.c derives it), and all of them by no more than gap. So hessian makes T = 1 + gap / min{ step, jump }
 * updates at most, asks for n_h = 1 + gap / jump Hessians, and takes
 *
 *   U = b + b_h + gap max{ m beta_data / (1.3 g) + 1 / step + b / min{ 1.3 g kap / beta, N step },
 *                          (b + b_h) / jump }
 *
 * records. The errors: let mu be 1 / the noise multiplier of one release, and s = max{ 2 L_data / b, 2 / m } what a
 * record of a segment moves v by at most. A coordinate of the noise has deviation f s / mu at most: f = h of a tree,
 * whose record is in h blocks; of square-root noise f^2 is what the first record pays, all N estimates together, times
 * the variance of the N-th, both for unit noise (1.40, 2.04, 2.71, 3.38 for N = 3, 15, 127, 1023, where a tree has 2,
 * 4, 7, 10). With l = ln(8 T / zeta) and k = l, or l + ln N under square-root noise, where the run decides at which of
 * N equally noisy estimates a segment ends, the noise is within f s (sqrt d + sqrt(2 k)) / mu, the sampling error
 * (Pinelis 1994) within sqrt(8 l (L_data^2 / b + kap / m)), each of them within g/10 for
 *
 *   b = batch_scale max{ 2 L_data / q, 1600 l L_data^2 / g^2 },  m = batch_scale max{ 2 / q, 1600 l kap / g^2 },
 *   q = g mu / (10 f (sqrt d + sqrt(2 k))),
 *
 * and b_h as spider_sosp's E_h asks. kap (a grid of factors sqrt 2) and N (h) are those of the smallest U, g the
 * smallest with U <= the records that the choice leaves, by bisection. With probability 1 - zeta the answer of
 * selection = none is then an alpha-SOSP of the population loss; the choice's own guarantee comes on top of that. kick
 * and psgd, of which nothing is proved, take T = 4 beta gap / g^2 [+ rounds q of psgd] and a way of 4 gap / g in place
 * of these.
 *
 * The constants are worst cases: at d = 10, epsilon = 1, delta = 1e-8, all loss constants 1 (hessian_frobenius sqrt 2)
 * alpha is 1.52, .78, .41 for n = 1e6, 1e7, 1e8, under either noise: it is the sampling error that binds. Square-root
 * noise has lower ones where the noise binds: at epsilon = .01 and n = 1e8 kick has .62, and .75 under the tree. Where
 * it is not below half of the level that holds at the start, alpha is that half, at which the start itself is hardly an
 * answer, all batches are cut in proportion so that the records last, and a warning says what the records allow.
 *
 * When: saddles of the population loss matter, and there are 1e7 records or more. Else spider_sosp (erm): its level on
 * the records, alpha_g of the gradient and alpha_h of the Hessian, is for the population, up to constants,
 * max{ alpha_g + L sqrt(d/n), (sqrt(rho_H alpha_h) + beta sqrt(d/n))^2 / rho_H } by uniform convergence.
 *
 * Source   Liu & Talwar 2024, Alg. 2 and 3; hessian after their second version, psgd after Tao et al. 2025.
 * Privacy  (epsilon, delta), replace-one. Each record is in one estimate of one segment. Under a tree it moves at most
 *          h released blocks by s each: noise_std = sqrt(h) s / mu, mu of the whole budget. Under square-root noise it
 *          pays at its release for all that may follow in the segment, the first the most: noise_std = sqrt(C) s / mu,
 *          C = sp_node_cost (1.31, 1.62, 2.34, 3.01 for N = 3, 15, 127, 1023). Hessians of b_h fresh records and the
 *          choice have records of their own: in parallel.
 * Differs  noise = sqrt is not theirs. A new tree with each segment (printed: the new gradient as an increment of one
 *          long stream, which depends on records through v). c is of the move that was made (printed: the next
 *          estimate). 2^h - 1 estimates a tree, for 2^h take h + 1 blocks. Escapes look at the estimate at w (printed:
 *          at the one before). After a kick the way goes on (printed: it begins at 0, as if a new gradient had been
 *          asked for). The printed escape is kick, whose lemma is false: it asks of v an error of norm <= g alone,
 *          which can cancel the kick for good (spider_sosp.c), so that what the paper says of saddles is proved here
 *          for hessian alone. Noise, b, m and T by the accountant and the inequalities above (printed: up to
 *          logarithms, without which alpha would be .138 at n = 1e4).
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
