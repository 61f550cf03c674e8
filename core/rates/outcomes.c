/* outcomes.c -- counts the outcomes of claims and writes the sentence about them (outcomes.h). */
#include "core/rates/outcomes.h"

#include <string.h>

const sp_verdict_kind sp_outcome_order[SP_OUTCOMES] = { SP_AGREES, SP_NOT_RESOLVED, SP_VACUOUS, SP_STEEPER,
                                                        SP_SHALLOWER };

const char *sp_outcome_word(sp_verdict_kind kind)
{
    static const char *const word[SP_OUTCOMES] = { [SP_AGREES] = "agree", [SP_NOT_RESOLVED] = "not resolved",
                                                   [SP_VACUOUS] = "vacuous", [SP_STEEPER] = "steeper",
                                                   [SP_SHALLOWER] = "shallower" };
    return word[kind];
}

bool sp_verdict_named(const char *name, sp_verdict_kind *out)
{
    for (int kind = 0; kind < SP_OUTCOMES; kind++)
        if (strcmp(sp_verdict_name((sp_verdict_kind)kind), name) == 0) {
            *out = (sp_verdict_kind)kind;
            return true;
        }
    return false;
}

bool sp_outcome_contradicts(sp_verdict_kind kind, bool tight)
{
    return kind == SP_SHALLOWER || (kind == SP_STEEPER && tight);
}

const char *sp_outcome_reason(sp_verdict_kind kind, const char *reason)
{
    if (*reason)
        return reason;
    if (kind == SP_SHALLOWER)
        return "the 90 % interval of the exponent lies beyond the tolerance, on the worse side";
    return kind == SP_STEEPER ? "the 90 % interval of the exponent lies beyond the tolerance, on the better side" : "";
}

void sp_outcomes_add(sp_outcomes *o, sp_verdict_kind kind)
{
    o->claims++;
    o->of[kind]++;
}

void sp_outcomes_text(const sp_outcomes *o, sp_text *out)
{
    const char *between = " (";
    sp_text_append(out, "%zu", o->claims);
    for (size_t i = 0; i < SP_OUTCOMES; i++) {
        const size_t count = o->of[sp_outcome_order[i]];
        if (count > 0) {
            sp_text_append(out, "%s%zu %s", between, count, sp_outcome_word(sp_outcome_order[i]));
            between = ", ";
        }
    }
    sp_text_append(out, "%s", o->claims > 0 ? ")" : "");
}

size_t sp_source_paper(const char *source)
{
    for (size_t i = 0; source[i]; i++)
        if (strspn(source + i, "0123456789") == 4 && source[i + 4] != '.' && i > 0 && source[i - 1] == ' ')
            return i + 4;
    return strcspn(source, ",");
}
