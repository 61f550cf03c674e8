/* common.c -- options and messages that the verbs share. */
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 1000 };

static const struct argp_option options[] = {
    { "root", ROOT, "DIR", 0, "Folder of results/ and plots/ (default: the current one)", 10 },
    { "scale", 's', "NAME", 0, "smoke, default or full: an entry of the experiment's scales", 10 },
    { "quiet", 'q', NULL, 0, "Say nothing but errors", 10 },
    { 0 }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    sp_common *common = state->input;
    switch (key) {
    case ROOT:
        common->root = argument;
        return 0;
    case 's':
        common->scale = argument;
        return 0;
    case 'q':
        common->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sp_common_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

void sp_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    char name[64], *const verb = argv[0];
    snprintf(name, sizeof name, "stillpoint %s", verb);
    argv[0] = name; /* argp names the program by it */
    argp_err_exit_status = SP_EXIT_USAGE;
    argp_parse(argp, argc, argv, 0, NULL, input);
    argv[0] = verb;
}

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
