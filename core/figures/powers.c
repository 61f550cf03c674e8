/* powers.c -- where a claimed power stands: beside its curve, for it says nothing but a slope; see figures_internal.h. */
#include "core/figures/figures_internal.h"

/* Height of an item at the pixel x by straight lines between its points; NAN beside them. */
static double height_at(const sp_canvas *c, const sp_item *e, size_t p, double x)
{
    const sp_series *series = &e->in[p].series;
    const size_t points = e->guide ? sp_guide_points(e, p) : series->points;
    double before[2] = { NAN, NAN };
    for (size_t i = 0; i < points; i++) {
        const double at = e->guide ? e->in[p].verdict->curve.x[i] : series->x[i];
        const double y = e->guide ? sp_guide_value(e, p, i) : series->mean[i].estimate;
        const double pixel[2] = { sp_pixel_x(c, p, at), sp_pixel_y(c, p, y) };
        if (pixel[0] == x)
            return pixel[1];
        if (before[0] < x && x < pixel[0])
            return before[1] + (x - before[0]) / (pixel[0] - before[0]) * (pixel[1] - before[1]);
        before[0] = pixel[0];
        before[1] = pixel[1];
    }
    return NAN;
}

/* How far the line, moved down by `shift`, is from the curves and from the guides before it; to the frame it may come
 * nearer by EDGE. */
static double clearance(const sp_canvas *c, const sp_item *line, size_t p, double shift)
{
    enum { EDGE = 6 };
    double least = INFINITY;
    for (size_t i = 0; i < sp_guide_points(line, p); i++) {
        const double x = sp_pixel_x(c, p, line->in[p].verdict->curve.x[i]);
        const double y = sp_pixel_y(c, p, sp_guide_value(line, p, i)) + shift;
        least = fmin(least, EDGE + fmin(y, c->frame[p].height - y));
        for (const sp_item *e = c->item; e < line; e++)
            least = fmin(least, fabs(height_at(c, e, p, x) - y)); /* not a number: none there */
    }
    return least;
}

/* Beside its curve: as near as leaves it clear of the others, or else where it is least near to any. */
void sp_place_powers(sp_canvas *c, size_t p)
{
    enum { BESIDE = 13, STEP = 5, FARTHEST = 38, CLEAR = 8 };
    const double length = log(c->y[p].high / c->y[p].low);
    for (sp_item *e = c->item + c->curves; e < c->item + c->curves + c->guides; e++) {
        double best = 0.0, found = -INFINITY;
        if (e->guide != SP_POWER || c->kind != SP_RATE || !e->in[p].verdict)
            continue;
        e->constant = 1.0;
        for (double shift = BESIDE; shift <= FARTHEST; shift += STEP)
            for (double sign = -1.0; sign < 2.0; sign += 2.0) {
                const double clear = fmin(CLEAR, clearance(c, e, p, sign * shift));
                if (clear > found) {
                    found = clear;
                    best = sign * shift;
                }
            }
        e->constant *= exp(-best / c->frame[p].height * length);
    }
}
