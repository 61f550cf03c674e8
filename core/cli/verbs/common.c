/* common.c -- messages that the verbs share. */
#include "core/cli/verbs/verbs.h"

#include <stdio.h>

int sp_complain(const sp_error *error, int code)
{
    fprintf(stderr, "stillpoint: %s\n", error->text[0] ? error->text : sp_status_text(error->status));
    return code;
}

void sp_say(const char *line)
{
    puts(line);
    fflush(stdout);
}
