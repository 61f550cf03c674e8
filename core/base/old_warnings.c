/* old_warnings.c -- recognises old warning sentences (old_warnings.h) by their fixed parts. */
#include "core/base/old_warnings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sp_warning_set sp_old_warning_codes(const char *warning)
{
    static const struct { const char *words; sp_warning code; } said[] = {
        { "the bound ", SP_WARNED_VACUOUS_BOUND },
        { "warm_start: vacuous parameters", SP_WARNED_VACUOUS_BOUND },
        { "vacuous parameters: accuracy", SP_WARNED_VACUOUS_PARAMETERS },
        { "vacuous parameters: estimates", SP_WARNED_VACUOUS_PARAMETERS },
        { "vacuous parameters: by their noise", SP_WARNED_VACUOUS_PARAMETERS },
        { "no bound: ", SP_WARNED_NO_BOUND },
        { "promises no risk at these parameters", SP_WARNED_NO_BOUND },
        { "uncertified: ", SP_WARNED_UNCERTIFIED },
        { "uncertified parameters: ", SP_WARNED_UNCERTIFIED_PARAMETERS },
        { "the records ran out", SP_WARNED_RECORDS_RAN_OUT },
        { "stopped after", SP_WARNED_STOPPED_EARLY },
        { "rounds = ", SP_WARNED_PARAMETER_CUT },
        { "there is no grid to search", SP_WARNED_PARAMETER_CUT },
        { "the records are not projected", SP_WARNED_PARAMETER_UNUSED },
        { " is not used: noise = ", SP_WARNED_PARAMETER_UNUSED },
        { "kl_prox: inner_steps", SP_WARNED_INEXACT },
        { "measures that need it are NaN", SP_WARNED_NO_REFERENCE },
        { "the trace was cut short", SP_WARNED_TRACE_CUT },
        { "is not stored", SP_WARNED_RESOLVED_CUT },
        { "a memory limit of", SP_WARNED_MEMORY_LIMIT },
    };
    sp_warning_set set = 0;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strstr(warning, said[i].words))
            set |= sp_warning_bit(said[i].code);
    return set || !*warning ? set : sp_warning_bit(SP_WARNED_METHOD);
}

void sp_old_promise(const char *warning, double *promise, double *at_start)
{
    const char *said = strstr(warning, "the bound ");
    *promise = *at_start = NAN;
    if (said && sscanf(said, "the bound %lf is not below %lf", promise, at_start) != 2)
        *promise = *at_start = NAN;
}
