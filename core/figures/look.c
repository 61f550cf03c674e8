/* look.c -- see look.h. */
#include "core/figures/look.h"

#include <string.h>

/* Okabe & Ito 2008 without yellow, and three dark ones of Tol 2021 ("muted"): told apart with any colour vision. */
enum {
    BLACK = 0x000000, BLUE = 0x0072B2, GREEN = 0x009E73, INDIGO = 0x332288, OLIVE = 0x999933, ORANGE = 0xE69F00,
    PURPLE = 0xCC79A7, SKY = 0x56B4E9, VERMILION = 0xD55E00, WINE = 0x882255, GREY = 0x7F7F7F, BROWN = 0x8C510A
};
enum { PLUS = 1, CROSS = 2, STAR = 3, SQUARE = 5, CIRCLE = 7, TRIANGLE = 9, WEDGE = 11, DIAMOND = 13, PENTAGON = 15 };

static const struct { const char *algorithm; unsigned colour, shape; } looks[] = {
    /* descent on all records */
    { "gd", BLACK, CIRCLE }, { "dp_gd", BLUE, CIRCLE }, { "adaptive_gd", GREEN, CIRCLE }, { "kl_gd", SKY, CIRCLE },
    { "kl_prox", OLIVE, CIRCLE },
    { "dp_gd_sosp", WINE, CIRCLE }, { "langevin", PURPLE, CIRCLE },
    /* on batches, and in one pass */
    { "sgd", BLACK, TRIANGLE }, { "dp_sgd", GREEN, TRIANGLE }, { "dp_sgd_poisson", OLIVE, TRIANGLE },
    { "dp_sgd_hp", PURPLE, TRIANGLE }, { "dp_ftrl", SKY, TRIANGLE }, { "phased_sgd", INDIGO, TRIANGLE },
    { "rrsgd", WINE, TRIANGLE },
    /* coordinate by coordinate, and by losses alone */
    { "dp_adam", VERMILION, TRIANGLE }, { "dp_sign", ORANGE, TRIANGLE }, { "dp_zero", BLUE, TRIANGLE },
    /* by differences of gradients */
    { "spider", BLACK, SQUARE }, { "dp_spider", VERMILION, SQUARE }, { "adaptive_spider", PURPLE, SQUARE },
    { "fixed_spider", SKY, SQUARE }, { "kl_spider", ORANGE, SQUARE }, { "spider_sosp", INDIGO, SQUARE },
    { "tree_spider", WINE, SQUARE },
    /* by directions alone */
    { "normalised_sgd", BLACK, DIAMOND }, { "dp_ngd", PURPLE, DIAMOND }, { "dp_nsgd", ORANGE, DIAMOND },
    { "sr_nsgd", SKY, DIAMOND }, { "fb_sr_ngd", INDIGO, DIAMOND },
    /* trust regions, Frank-Wolfe, proximal steps: each step has a problem of its own */
    { "trust_region", BLACK, WEDGE }, { "dp_tr", BLUE, WEDGE }, { "dp_str", ORANGE, WEDGE }, { "dp_srm", WINE, WEDGE },
    { "dp_newton", VERMILION, WEDGE }, { "dp_2ns", INDIGO, WEDGE },
    { "noisy_fw", SKY, WEDGE }, { "nsfw", PURPLE, WEDGE }, { "poly_sfw", GREEN, WEDGE }, { "prox_md", OLIVE, WEDGE },
    /* a choice among points, and what runs another method */
    { "em_mcmc", BLUE, PENTAGON }, { "em_net", ORANGE, PENTAGON }, { "em_reject", GREEN, PENTAGON },
    { "em_product", INDIGO, PENTAGON }, { "em_zoom", WINE, PENTAGON }, { "jl_glm", SKY, PENTAGON }, { "private_tuning", VERMILION, PENTAGON },
    { "warm_start", PURPLE, PENTAGON },
    /* what is not a descent on these records */
    { "start", BLACK, PENTAGON },
};

bool sp_look_of_method(const char *algorithm, sp_look *out)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (strcmp(looks[i].algorithm, algorithm) == 0) {
            *out = (sp_look){ looks[i].colour, looks[i].shape, 0 };
            return true;
        }
    return false;
}

static const char *method_of(const sp_plan *plan, size_t cell)
{
    return plan->cell[cell].method->algorithm->name;
}

/* Has no cell before this one its label, or with `method` its method? */
static bool is_first(const sp_plan *plan, size_t cell, bool method)
{
    bool first = true;
    for (size_t k = 0; k < cell && first; k++)
        first = method ? strcmp(method_of(plan, k), method_of(plan, cell)) != 0
                       : strcmp(plan->cell[k].label, plan->cell[cell].label) != 0;
    return first;
}

/* How many methods without a look of their own come before this one in the plan. */
static unsigned stranger(const sp_plan *plan, const char *algorithm)
{
    unsigned count = 0;
    sp_look known;
    for (size_t c = 0; c < plan->cells && strcmp(method_of(plan, c), algorithm) != 0; c++)
        count += is_first(plan, c, true) && !sp_look_of_method(method_of(plan, c), &known);
    return count;
}

/* Its place among the labels of its method: the method's own name, private ones, those without noise. */
static unsigned variant(const sp_plan *plan, const char *algorithm, const char *label)
{
    unsigned place = 0;
    for (size_t pass = 0; pass < 3; pass++)
        for (size_t c = 0; c < plan->cells; c++) {
            const sp_cell *cell = &plan->cell[c];
            const bool silent = cell->privacy.private && !cell->privacy.noise, named = !strcmp(cell->label, algorithm);
            if (strcmp(method_of(plan, c), algorithm) != 0 || pass != (named ? 0 : silent ? 2 : 1) ||
                !is_first(plan, c, false))
                continue;
            if (strcmp(cell->label, label) == 0)
                return place;
            place++;
        }
    return place;
}

sp_look sp_look_of_label(const sp_plan *plan, const char *label)
{
    static const unsigned shapes[] = { CIRCLE, SQUARE, TRIANGLE, DIAMOND, WEDGE, PENTAGON };
    static const unsigned marks[] = { CROSS, PLUS, STAR };
    size_t cell = 0;
    sp_look look;
    while (cell + 1 < plan->cells && strcmp(plan->cell[cell].label, label) != 0)
        cell++;
    const char *algorithm = method_of(plan, cell);
    if (!sp_look_of_method(algorithm, &look)) {
        const unsigned k = stranger(plan, algorithm);
        look = (sp_look){ k % 2 ? BROWN : GREY, shapes[k % (sizeof shapes / sizeof *shapes)], 0 };
    }
    const unsigned place = variant(plan, algorithm, label);
    if (place == 1)
        look.shape--;
    if (place > 1) {
        look.shape = marks[(place - 2) % (sizeof marks / sizeof *marks)];
        look.dash = place - 1;
    }
    return look;
}

unsigned sp_look_ink(unsigned colour)
{
    const double red = colour >> 16, green = colour >> 8 & 0xFF, blue = colour & 0xFF;
    const double luma = 0.299 * red + 0.587 * green + 0.114 * blue, share = fmin(1.0, 105.0 / luma);
    return (unsigned)(share * red) << 16 | (unsigned)(share * green) << 8 | (unsigned)(share * blue);
}
