/*
 * fixed_spider.c -- adaptive_spider with batches of a fixed size, as in the methods before it.
 *
 * In the letters of adaptive_spider.c: a difference uses B = m kap fresh records, however short the step was. This is
 * enough for every step, because the length of a step is limited to kap / beta,
 *
 *   w <- Proj_W( w - min{ eta, kap / (beta ||vt||) } vt ),
 *
 * which lowers F by at least step = min{ 3.9 g^2 / beta, 1.3 g kap / beta }; a longer move (a jump, a kick) begins a
 * new segment. In U, B / step replaces m beta_data / (1.3 g) + 1 / step. Everything else is as in adaptive_spider.
 *
 * When: to measure the gain of adaptive batches. For use, take adaptive_spider.
 *
 * Letters  those of algorithms/algorithm.h.
 * Source   Liu & Talwar 2024, the fixed batches that theirs are compared with. The method of Ganesh, Liu, Oh & Thakurta
 *          2023 itself (independent noise, sum of squared steps) is spider_sosp with mode = population.
 * Privacy  as adaptive_spider, with s = max{ 2 L_data / b, 2 min(kap, 2 L_data) / B }.
 * Differs  Steps are shortened if the fixed batch would be too small for them.
 * Output   the chosen iterate.
 * Cost     as adaptive_spider.
 */
#include "algorithms/algorithm.h"
#include "algorithms/parts/escape.h"
#include "algorithms/parts/segments.h"

static sp_status run(sp_oracle *o, const sp_values *v, double *w)
{
    return sp_segments_run(o, v, true, w);
}

const sp_algorithm sp_algorithm_fixed_spider = {
    .name = "fixed_spider",
    .summary = "one pass of SPIDER with batches of a fixed size: what adaptive_spider is compared with",
    .when = "to see what adaptive batches are worth; to be used, adaptive_spider",
    .source = "Liu & Talwar 2024; Ganesh, Liu, Oh & Thakurta 2023",
    .releases = "one block of a binary tree, or one step of a square-root filter, an estimate: sums of gradients, "
                "sensitivity 2 L_data / b, and differences over B records, 2 min(kap, 2 L_data) / B for steps of at "
                "most kap / beta, all of fresh records; Hessians of fresh records; one choice among the iterates on "
                "another half",
    .uses = "parts/escape parts/fits parts/segments parts/sosp parts/theory",
    .params = sp_segments_params,
    .follows_answers = true,
    .fits = sp_escape_fits,
    .run = run,
};
