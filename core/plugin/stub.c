/* stub.c -- libstillpoint_plugin.a: the program's functions under their own names, for a plugin. Each calls the program
 * through the table that it was handed (plugin.h). */
#include "core/plugin/plugin.h"

#include <stdarg.h>
#include <stdio.h>

const char sp_plugin_built_with[] = "stillpoint " STILLPOINT_VERSION;

static const sp_host *host;

void sp_plugin_attach(const sp_host *table)
{
    host = table;
}

const sp_structure sp_plugin_structures[] = {
#define STRUCTURE(name) { #name, sizeof(name) },
    SP_HOST_STRUCTURES(STRUCTURE)
    { NULL, 0 }
};

#define CALL(type, name, parameters, arguments) \
    type name parameters                        \
    {                                           \
        return host->name arguments;            \
    }
#define NOTHING(type, name, parameters)
SP_HOST_FUNCTIONS(CALL, NOTHING)

sp_isa sp_isa_chosen = SP_ISAS; /* the plugin's own: sp_isa_in_use asks the program once */

/* What has a format is made a text here. */
enum { TEXT = sizeof((sp_error *)NULL)->text };
#define WRITE_TEXT                                \
    char text[TEXT];                              \
    va_list list;                                 \
    va_start(list, format);                       \
    vsnprintf(text, sizeof text, format, list);   \
    va_end(list);

sp_status sp_fail(sp_error *error, sp_status status, const char *format, ...)
{
    WRITE_TEXT
    return host->sp_fail(error, status, "%s", text);
}

void sp_warn(sp_oracle *o, const char *format, ...)
{
    WRITE_TEXT
    host->sp_warn(o, "%s", text);
}

void sp_warn_of(sp_oracle *o, sp_warning code, const char *format, ...)
{
    WRITE_TEXT
    host->sp_warn_of(o, code, "%s", text);
}

sp_status sp_refuse(sp_oracle *o, sp_status status, const char *format, ...)
{
    WRITE_TEXT
    return host->sp_refuse(o, status, "%s", text);
}
