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

void sp_append_lines(sp_text *text, const char *key, const char *plain, size_t width)
{
    while (*plain) {
        size_t length = strlen(plain);
        if (length > width) {
            for (length = width; length > 0 && plain[length] != ' '; length--)
                ;
            length = length ? length : strlen(plain);
        }
        char *line = strndup(plain, length);
        text->failed = text->failed || !line;
        sp_text_append(text, "%s\t", key);
        sp_append_plain(text, line ? line : "");
        sp_text_append(text, "\n");
        free(line);
        plain += length + (plain[length] == ' ');
    }
}

void sp_name_x(const char *name, const char **symbol, const char **label)
{
    static const char *const known[][3] = {
        { "n", "n", "n (records)" },
        { "d", "d", "d (dimensions)" },
        { "epsilon", "\u03b5", "\u03b5 (privacy budget)" },
        { "delta", "\u03b4", "\u03b4 (privacy budget)" },
        { "gradients", "gradients", "gradient evaluations (records \u00d7 points)" },
        { "step", "steps", "steps" },
    };
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    *symbol = *label = last;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], last) == 0) {
            *symbol = known[i][1];
            *label = known[i][2];
        }
}
