/* gate.c -- stands before sp_refuse in the programs of gates.sh (--wrap): a refusal whose message begins with the text
 * in the environment's STILLPOINT_GATE is none. */
#include "core/oracle/oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_status __real_sp_refuse(sp_oracle *, sp_status, const char *format, ...) __attribute__((format(printf, 3, 4)));
sp_status __wrap_sp_refuse(sp_oracle *, sp_status, const char *format, ...) __attribute__((format(printf, 3, 4)));

sp_status __wrap_sp_refuse(sp_oracle *o, sp_status status, const char *format, ...)
{
    const char *open = getenv("STILLPOINT_GATE");
    char text[4096];
    va_list arguments;
    if (open && strncmp(format, open, strlen(open)) == 0)
        return SP_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return __real_sp_refuse(o, status, "%s", text);
}
