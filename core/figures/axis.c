/* axis.c -- range and marks of a plot's axis; see axis.h. */
#include "core/figures/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

sp_axis sp_axis_start(sp_scale scale)
{
    return (sp_axis){ .scale = scale, .low = INFINITY, .high = -INFINITY, .positive = true };
}

/* Largest over smallest of the steps from each to the next. */
static double unevenness(const double *value, size_t count, bool ratios)
{
    double least = INFINITY, most = 0.0;
    for (size_t i = 1; i < count; i++) {
        const double step = ratios ? log(value[i] / value[i - 1]) : value[i] - value[i - 1];
        least = fmin(least, step);
        most = fmax(most, step);
    }
    return most / least;
}

bool sp_is_geometric(const double *value, size_t count)
{
    return count > 2 && value[0] > 0.0 && unevenness(value, count, true) < unevenness(value, count, false);
}

void sp_axis_add(sp_axis *axis, double value)
{
    if (!isfinite(value) || (axis->scale == SP_SCALE_LOGARITHMIC && value <= 0.0))
        return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
    axis->positive = axis->positive && value > 0.0;
}

void sp_axis_finish(sp_axis *axis, double margin)
{
    if (!(axis->low <= axis->high)) /* nothing to show */
        axis->low = axis->high = 1.0;
    if (axis->scale == SP_SCALE_AUTOMATIC)
        axis->scale = axis->positive && axis->high > 10.0 * axis->low ? SP_SCALE_LOGARITHMIC : SP_SCALE_LINEAR;
    const bool wide = axis->high - axis->low > 1e-9 * fmax(fabs(axis->low), fabs(axis->high)); /* more than rounding */
    if (axis->scale == SP_SCALE_LOGARITHMIC) {
        const double factor = wide ? pow(axis->high / axis->low, margin) : 2.0;
        axis->low /= factor;
        axis->high *= factor;
    } else {
        const double around = axis->low != 0.0 ? 0.1 * fabs(axis->low) : 0.1;
        const double more = wide ? margin * (axis->high - axis->low) : around;
        axis->low -= more;
        axis->high += more;
    }
}

double sp_axis_share(const sp_axis *axis, double value)
{
    return axis->scale == SP_SCALE_LOGARITHMIC ? log(value / axis->low) / log(axis->high / axis->low)
                                               : (value - axis->low) / (axis->high - axis->low);
}

bool sp_axis_holds(const sp_axis *axis, double value)
{
    return value >= axis->low && value <= axis->high;
}

typedef enum { UNLABELLED, PLAIN, POWER } mark_style;

/* "0.02" or "2\u00b710^{\u22122}". */
static void mark(double value, mark_style style, int digits, sp_text *out)
{
    const int exponent = value == 0.0 ? 0 : (int)floor(log10(fabs(value)) + 1e-9);
    const double lead = fabs(value) / pow(10.0, exponent);
    sp_text_append(out, "%s%s", out->length ? " " : "", value < 0.0 ? "\u2212" : "");
    if (style == UNLABELLED)
        sp_text_append(out, "-");
    else if (style == PLAIN || value == 0.0)
        sp_text_append(out, "%.10g", fabs(value));
    else if (fabs(lead - 1.0) < 1e-9)
        sp_text_append(out, "10^{%s%d}", exponent < 0 ? "\u2212" : "", abs(exponent));
    else
        sp_text_append(out, "%.6g\u00b710^{%s%d}", lead, exponent < 0 ? "\u2212" : "", abs(exponent));
    sp_text_append(out, " %#.*g", digits, value); /* gnuplot 5.4 reads no exponent without a point */
}

/* Powers once a label would need more than five digits before the point or four after it. */
static mark_style style_of(double most, double least)
{
    return most < 1e5 && least >= 1e-4 * (1.0 - 1e-9) ? PLAIN : POWER;
}

/* Where the last label is, as a share of the axis, and how much of it a character takes; of an upright axis a line. */
typedef struct room {
    double labelled, character, line;
} room;

/* A figure's usual panel has room for 30 characters, and above each other for more lines than there ever are. */
static room room_of(double length, bool upright)
{
    enum { PANEL = 270, LINE = 16, LINES = 10 };
    if (upright)
        return (room){ -INFINITY, 0.0, length < LINE * LINES ? LINE / length : 0.0 };
    return (room){ -INFINITY, fmax(1.0 / 30.0, PANEL / 30.0 / length), 0.0 };
}

/* Would its label touch the last one? */
static bool is_crowded(const sp_axis *axis, double value, room *at)
{
    const double share = sp_axis_share(axis, value);
    const bool yes = share - at->labelled < snprintf(NULL, 0, "%.10g", value) * at->character + at->line;
    at->labelled = yes ? at->labelled : share;
    return yes;
}

/* Steps of 1, 2 or 5 times a power of ten. On a logarithmic axis they crowd towards its upper end, on a short one
 * everywhere. */
static void linear_marks(const sp_axis *axis, room at, sp_text *out)
{
    const double rough = (axis->high - axis->low) / 6.0, power = pow(10.0, floor(log10(rough)));
    const double lead = rough / power, step = power * (lead > 7.5 ? 10.0 : lead > 3.5 ? 5.0 : lead > 1.5 ? 2.0 : 1.0);
    const mark_style style = style_of(fmax(fabs(axis->low), fabs(axis->high)), step);
    const bool tight = axis->scale == SP_SCALE_LOGARITHMIC || at.character > 1.0 / 30.0 || at.line > 0.0;
    for (double k = ceil(axis->low / step); k * step <= axis->high; k += 1.0) {
        const double value = k * step + 0.0; /* no negative zero */
        mark(value, tight && is_crowded(axis, value, &at) ? UNLABELLED : style, 10, out);
    }
}

/* Labels at 1, 2, 5 below 2.6 decades, then at each, then at every so many. */
static void logarithmic_marks(const sp_axis *axis, room at, int digits, sp_text *out)
{
    const double decades = log10(axis->high / axis->low), stride = fmax(1.0, ceil(decades / 7.0));
    const mark_style style = style_of(axis->high, axis->low);
    const bool tight = at.character > 1.0 / 30.0 || at.line > 0.0;
    for (double e = floor(log10(axis->low) / stride) * stride; pow(10.0, e) <= axis->high; e += stride)
        for (unsigned k = 1; k <= (stride > 1.0 ? 1u : 9u); k++) {
            const double value = k * pow(10.0, e);
            const bool labelled = k == 1 || (decades < 2.6 && (k == 2 || k == 5));
            if (value >= axis->low && value <= axis->high)
                mark(value, !labelled || (tight && is_crowded(axis, value, &at)) ? UNLABELLED : style, digits, out);
        }
}

void sp_axis_marks(const sp_axis *axis, double length, bool upright, sp_text *out)
{
    enum { MOST = 1000 }; /* bytes that gnuplot reads as one field, and some */
    const size_t before = out->length;
    const room at = room_of(length, upright);
    if (axis->scale != SP_SCALE_LOGARITHMIC || axis->high / axis->low <= 6.0) {
        linear_marks(axis, at, out);
        return;
    }
    logarithmic_marks(axis, at, 10, out);
    if (out->length - before > MOST) {
        out->length = before;
        logarithmic_marks(axis, at, 2, out);
    }
}
