/* One look a method: every registered one has its own, and those that are shown together are told apart with any colour
 * vision. */
#include "algorithms/algorithm.h"
#include "core/figures/look.h"
#include "core/plan/registry.h"
#include "tests/check.h"

/* A method that fails here has no row yet in the table of core/figures/look.c: it is drawn in grey until it has one. */
static void test_registry(void)
{
    for (size_t i = 0; i < sp_algorithm_count; i++) {
        sp_look a = { 0 }, b = { 0 };
        if (!sp_look_of_method(sp_algorithms[i]->name, &a))
            CHECK_TEXT(sp_algorithms[i]->name, "a method with a look");
        for (size_t k = 0; k < i; k++)
            if (sp_look_of_method(sp_algorithms[k]->name, &b) && a.colour == b.colour && a.shape == b.shape)
                CHECK_TEXT(sp_algorithms[i]->name, sp_algorithms[k]->name);
        CHECK(a.shape % 2 == 1 && a.shape > 4 && a.dash == 0);
        CHECK((a.colour == 0) == (sp_algorithms[i]->non_private_only || sp_algorithms[i]->ignores_data));
    }
    sp_look none;
    CHECK(!sp_look_of_method("my_own", &none));
}

/* --- colours as they are seen -------------------------------------------------------------------------------- */

/* CIE Lab, D65, of linear RGB. */
static void to_lab(const double rgb[3], double lab[3])
{
    static const double to_xyz[3][3] = { { 0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505 },
                                         { 0.2126, 0.7152, 0.0722 },
                                         { 0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089 } };
    double f[3];
    for (size_t i = 0; i < 3; i++) {
        const double t = to_xyz[i][0] * rgb[0] + to_xyz[i][1] * rgb[1] + to_xyz[i][2] * rgb[2];
        f[i] = t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
    }
    lab[0] = 116.0 * f[1] - 16.0;
    lab[1] = 500.0 * (f[0] - f[1]);
    lab[2] = 200.0 * (f[1] - f[2]);
}

/* Distance of two colours in Lab (1976) as seen without loss, or by who lacks long or medium cones (Machado, Oliveira &
 * Fernandes 2009, severity 1). */
static double distance(unsigned a, unsigned b, int sight)
{
    static const double seen[3][3][3] = {
        { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
        { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
        { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
    };
    double lab[2][3], sum = 0.0;
    for (size_t k = 0; k < 2; k++) {
        double rgb[3], out[3];
        for (size_t i = 0; i < 3; i++) {
            const double s = (double)((k ? b : a) >> (16 - 8 * i) & 0xFF) / 255.0;
            rgb[i] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
        }
        for (size_t i = 0; i < 3; i++) {
            out[i] = 0.0;
            for (size_t j = 0; j < 3; j++)
                out[i] += seen[sight][i][j] * rgb[j];
            out[i] = fmax(0.0, fmin(1.0, out[i]));
        }
        to_lab(out, lab[k]);
    }
    for (size_t i = 0; i < 3; i++)
        sum += (lab[0][i] - lab[1][i]) * (lab[0][i] - lab[1][i]);
    return sqrt(sum);
}

static void test_together(void)
{
    static const char *const groups[][6] = {
        { "gd", "dp_gd", "dp_sgd", "dp_spider", "dp_nsgd" }, { "kl_gd", "kl_spider" },
        { "jl_glm", "dp_spider", "dp_gd" },
        { "warm_start", "dp_spider", "dp_gd" }, { "spider_sosp", "dp_spider", "dp_gd_sosp" },
        { "em_mcmc", "em_net", "em_product", "em_reject", "em_zoom" }, { "trust_region", "dp_tr", "dp_str", "dp_srm" },
        { "noisy_fw", "nsfw", "poly_sfw" }, { "normalised_sgd", "dp_ngd", "dp_nsgd", "sr_nsgd", "fb_sr_ngd" },
        { "adaptive_gd", "adaptive_spider", "dp_gd", "dp_spider" }, { "dp_ftrl", "dp_sgd", "dp_spider" },
        { "tree_spider", "dp_spider", "dp_gd" }, { "dp_sgd", "dp_sgd_hp", "dp_sgd_poisson" },
        { "spider", "dp_spider", "fixed_spider", "kl_spider" },
    };
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t i = 0; i < 6 && groups[g][i]; i++)
            for (size_t k = 0; k < i; k++)
                for (int sight = 0; sight < 3; sight++) {
                    sp_look a = { 0 }, b = { 0 };
                    CHECK(sp_look_of_method(groups[g][i], &a) && sp_look_of_method(groups[g][k], &b));
                    const double apart = distance(a.colour, b.colour, sight);
                    if (!(apart >= (a.shape == b.shape ? 15.0 : 10.0)))
                        fprintf(stderr, "%s and %s, sight %d: %.1f apart\n", groups[g][i], groups[g][k], sight, apart);
                    CHECK(apart >= (a.shape == b.shape ? 15.0 : 10.0));
                }
}

/* --- labels -------------------------------------------------------------------------------------------------- */

static sp_plan plan_of(sp_cell *cell, size_t count)
{
    return (sp_plan){ .cell = cell, .cells = count };
}

static bool looks(const sp_plan *plan, const char *label, unsigned colour, unsigned shape, unsigned dash)
{
    const sp_look look = sp_look_of_label(plan, label);
    return look.colour == colour && look.shape == shape && look.dash == dash;
}

static void test_labels(void)
{
    static const sp_algorithm spider = { .name = "dp_spider" }, mine = { .name = "mine" }, yours = { .name = "yours" };
    static const sp_method method[] = { { .algorithm = &spider }, { .algorithm = &mine }, { .algorithm = &yours } };
    static char off[] = "off", tuned[] = "tuned", plain[] = "dp_spider", third[] = "third", a[] = "mine", b[] = "yours";
    sp_cell cell[] = {
        { .label = off, .method = &method[0], .privacy = { .private = true } }, /* without noise */
        { .label = tuned, .method = &method[0], .privacy = { .private = true, .noise = true } },
        { .label = tuned, .method = &method[0], .privacy = { .private = true, .noise = true } },
        { .label = a, .method = &method[1] },
        { .label = plain, .method = &method[0], .privacy = { .private = true, .noise = true } },
        { .label = b, .method = &method[2] },
        { .label = third, .method = &method[0], .privacy = { .private = true, .noise = true } },
    };
    sp_look spiders = { 0 };
    CHECK(sp_look_of_method("dp_spider", &spiders));
    sp_plan plan = plan_of(cell, 7);
    CHECK(looks(&plan, "dp_spider", spiders.colour, spiders.shape, 0));
    CHECK(looks(&plan, "tuned", spiders.colour, spiders.shape - 1, 0));
    CHECK(looks(&plan, "third", spiders.colour, 2, 1));
    CHECK(looks(&plan, "off", spiders.colour, 1, 2));
    const sp_look first = sp_look_of_label(&plan, "mine"), second = sp_look_of_label(&plan, "yours");
    CHECK(first.colour != second.colour && first.shape != second.shape);
    plan = plan_of(cell, 3); /* none is named as the method is */
    CHECK(looks(&plan, "tuned", spiders.colour, spiders.shape, 0));
    CHECK(looks(&plan, "off", spiders.colour, spiders.shape - 1, 0));
}

int main(void)
{
    test_registry();
    test_together();
    test_labels();
    CHECK_EQUAL(sp_look_ink(0x0072B2), 0x0072B2u);
    CHECK_EQUAL(sp_look_ink(0xFFFFFF), 0x696969u);
    return sp_check_done();
}
