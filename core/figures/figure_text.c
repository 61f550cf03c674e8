/* figure_text.c -- see figure_text.h. */
#include "core/figures/figure_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sp_append_plain(sp_text *text, const char *plain)
{
    for (; *plain; plain++)
        if (strchr("_^{}@&~\\", *plain))
            sp_text_append(text, "\\\\%c", *plain);
        else if ((unsigned char)*plain < ' ')
            sp_text_append(text, " ");
        else
            sp_text_append(text, "%c", *plain == '"' ? '\'' : *plain);
}

void sp_append_exponent(sp_text *text, double value)
{
    const char *sign = value < 0.0 ? "\u2212" : "";
    for (int q = 1; q <= 12; q++) {
        const double p = fabs(value) * q;
        if (fabs(p - round(p)) < 1e-9) {
            sp_text_append(text, q == 1 ? "%s%.0f" : "%s%.0f/%d", sign, round(p), q);
            return;
        }
    }
    sp_text_append(text, "%s%.3g", sign, fabs(value));
}

void sp_append_rounded(sp_text *text, double value)
{
    sp_text_append(text, "%s%.2f", value <= -0.005 ? "\u2212" : "", fabs(value));
}

void sp_append_magnitude(sp_text *text, double value, int digits)
{
    const int exponent = value == 0.0 ? 0 : (int)floor(log10(fabs(value)) + 1e-9);
    const double lead = value / pow(10.0, exponent), unit = 0.5 * pow(10.0, 1 - digits);
    if (abs(exponent) < 4) {
        sp_text_append(text, "%.*g", digits, value);
        return;
    }
    if (!(fabs(lead - 1.0) < unit))
        sp_text_append(text, "%.*g\u00b7", digits, lead);
    sp_text_append(text, "10^{%s%d}", exponent < 0 ? "\u2212" : "", abs(exponent));
}

void sp_append_probability(sp_text *text, double p)
{
    const bool tiny = p < 1e-9;
    sp_text_append(text, "{/:Italic p}" SP_SPACE "%s" SP_SPACE, tiny ? "<" : "=");
    sp_append_magnitude(text, tiny ? 1e-9 : p, 2);
}

#define F "{/:Italic F}"
#define P "{/:Italic P}"
#define W "{/:Italic w}"
void sp_append_unit(sp_text *text, const char *unit)
{
    static const char *const known[][2] = {
        { "F", F "(" W ")" },
        { "F - F*", F "(" W ")" SP_SPACE "\u2212" SP_SPACE F "*" },
        { "P - P*", P "(" W ")" SP_SPACE "\u2212" SP_SPACE P "*" },
        { "||grad F||", "\u2016\u2207" F "(" W ")\u2016" },
        { "||grad P||", "\u2016\u2207" P "(" W ")\u2016" },
        { "lambda_min(hess F)", "{/:Italic \u03bb}_{min}(\u2207\u00b2" F "(" W "))" },
        { "||w - w*||", "\u2016" W SP_SPACE "\u2212" SP_SPACE W "*\u2016" },
        { "||w - prox(w)||", "\u2016" W SP_SPACE "\u2212" SP_SPACE "prox(" W ")\u2016" },
        { "||w - prox_P(w)||", "\u2016" W SP_SPACE "\u2212" SP_SPACE "prox_{" P "}(" W ")\u2016" },
        { "||grad F_{1/(2 rho_w)}||", "\u2016\u2207" F "_{1/(2{/:Italic \u03c1}_{w})}(" W ")\u2016" },
        { "SOSP level alpha", "second-order level" SP_SPACE "{/:Italic \u03b1}" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], unit) == 0) {
            sp_text_append(text, "%s", known[i][1]);
            return;
        }
    sp_append_plain(text, unit);
}
#undef F
#undef P
#undef W

void sp_name_x(const char *name, const char **symbol, const char **label)
{
    static const char *const known[][3] = {
        { "n", "{/:Italic n}", "number of records" SP_SPACE "{/:Italic n}" },
        { "d", "{/:Italic d}", "dimension" SP_SPACE "{/:Italic d}" },
        { "epsilon", "{/:Italic \u03b5}", "privacy budget" SP_SPACE "{/:Italic \u03b5}" },
        { "delta", "{/:Italic \u03b4}", "privacy budget" SP_SPACE "{/:Italic \u03b4}" },
        { "mu", "{/:Italic \u03bc}", "privacy budget" SP_SPACE "{/:Italic \u03bc}" SP_SPACE "(Gaussian DP)" },
        { "rho", "{/:Italic \u03c1}", "privacy budget" SP_SPACE "{/:Italic \u03c1}" SP_SPACE "(zCDP)" },
        { "gradients", "gradients", "gradient evaluations (records \u00d7 points)" },
        { "step", "steps", "steps" },
        { "oracle_calls", "oracle calls", "oracle calls (records \u00d7 points)" },
        { "seconds", "seconds", "seconds of one thread on this machine" },
        { "points", "points", "points of the grid that are tried" },
        { "ratio", "{/:Italic \u03c4}", "ratio" SP_SPACE "{/:Italic \u03c4}" SP_SPACE "to the best" },
    };
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    *symbol = *label = last;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], last) == 0) {
            *symbol = known[i][1];
            *label = known[i][2];
        }
}

/* Of a character, in hundredths of an em of DejaVu Sans; one of more bytes counts as wide as most of those that
 * are here (0xC2: a space that is not broken, a dot, an exponent). */
static unsigned advance(const char *byte)
{
    static const unsigned char ascii[] = { /* from the space on */
        32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
        60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
        63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
    };
    const unsigned char c = (unsigned char)*byte;
    if (c >= 0xC0)
        return strncmp(byte, "\u200b", 3) == 0 ? 0 : c == 0xC2 ? 35 : 70;
    return c >= ' ' && c < ' ' + sizeof ascii ? ascii[c - ' '] : 0;
}

/* One character, or what changes how those behind it look, of an enhanced text: its bytes, and its width in ems. */
static size_t step(const char *c, bool *raised, double *ems)
{
    enum { SCRIPT = 80 }; /* size of what is raised or lowered, in per cent */
    size_t bytes = 1;
    *ems = 0.0;
    if (*c == '\\' && c[1] == '\\' && c[2]) {
        *ems = advance(c + 2) / 100.0;
        bytes = 3;
    } else if (*c == '{' && c[1] == '/') {
        bytes = strcspn(c, " ");
        bytes += c[bytes] == ' ';
    } else if ((*c == '^' || *c == '_') && c[1] == '{') {
        *raised = true;
    } else if (*c == '}') {
        *raised = false;
    } else if (*c != '{') {
        *ems = advance(c) / 100.0 * (*raised ? SCRIPT / 100.0 : 1.0);
    }
    return bytes;
}

double sp_text_ems(const char *enhanced)
{
    double ems = 0.0, more;
    bool raised = false;
    for (const char *c = enhanced; *c && *c != '\n'; ems += more)
        c += step(c, &raised, &more);
    return ems;
}

size_t sp_text_piece(const char *enhanced, double ems)
{
    double width = 0.0, more;
    size_t space = 0, length = 0, bytes;
    bool raised = false;
    int braces = 0;
    for (; enhanced[length] && enhanced[length] != '\n' && (width <= ems || space == 0); length += bytes) {
        const char c = enhanced[length];
        braces += (c == '{') - (c == '}');
        bytes = step(enhanced + length, &raised, &more);
        space = c == ' ' && braces == 0 && length > 0 ? length : space;
        width += more;
    }
    return width > ems && space > 0 ? space : length;
}

size_t sp_text_line(const char *plain, double ems)
{
    double width = 0.0;
    size_t space = 0, length = 0;
    for (; plain[length] && (width <= ems || space == 0); length++) {
        space = plain[length] == ' ' ? length : space;
        width += advance(plain + length) / 100.0;
    }
    return plain[length] || width > ems ? (space ? space : length) : length;
}
