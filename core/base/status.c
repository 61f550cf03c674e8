/* status.c -- the names and texts of statuses, and the messages of errors. */
#include "core/base/status.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} statuses[] = {
#define STATUS_ROW(name, text) { "SP_" #name, text },
    SP_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static int known(sp_status status)
{
    return (unsigned)status < SP_STATUS_COUNT;
}

const char *sp_status_name(sp_status status)
{
    return known(status) ? statuses[status].name : "SP_UNKNOWN";
}

const char *sp_status_text(sp_status status)
{
    return known(status) ? statuses[status].text : "unknown status";
}

static void store(sp_error *error, const char *text)
{
    size_t length = strnlen(text, sizeof error->text - 1);
    while (length > 0 && text[length - 1] == '\n') /* messages of libraries may end in one */
        length--;
    memcpy(error->text, text, length);
    error->text[length] = '\0';
}

sp_status sp_fail(sp_error *error, sp_status status, const char *format, ...)
{
    if (!error)
        return status;
    char text[sizeof error->text]; /* apart, for the arguments may point into the old message */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error->status = status;
    store(error, text);
    return status;
}

void sp_fail_prefix(sp_error *error, const char *format, ...)
{
    if (!error)
        return;
    char text[2 * sizeof error->text + sizeof ": "];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof error->text, format, arguments);
    va_end(arguments);
    strcat(text, ": ");
    strcat(text, error->text);
    store(error, text);
}
