/* report.c -- `report`: one HTML file of what experiments have shown, from their tables and figures. */
#include "core/cli/verbs/verbs.h"
#include "core/session/folders.h"
#include "core/session/sealed.h"
#include "core/session/session.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/base/packed.h"
#include "core/report/report.h"
#include "core/store/build.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    sp_common common;
    const char *output, *manual;
} arguments;

static const sp_option options[] = {
    { "output", 'o', SP_OPTION_TEXT, offsetof(arguments, output), "FILE",
      "Where it is written (default: report.html)", 0, 0 },
    { "manual", 'm', SP_OPTION_TEXT, offsetof(arguments, manual), "URL",
      "Where the manual is, as a URL or a path from the file: the page then links to docs/README.html and others there", 0, 0 },
    { 0 }
};

static const sp_usage usage = {
    .operands = "EXPERIMENT.lua...",
    .about = "Writes one HTML file that needs no network and nothing beside it: how the claims of each paper came "
             "out, what contradicts a theorem, and every claim in a table that sorts and filters; of experiments that "
             "draw a performance profile over their problems, which method stands where; each experiment with its "
             "question, figures (the numbers stand under the pointer), tables, parameters, privacy, audit, provenance and "
             "text; each method with its formula, theorem, privacy, source, what differs from print, and where it stands.",
    .notes = "It is made from the tables in results/ and the figures in plots/ alone; the same ones give the same "
             "bytes. Tables that were changed since they were sealed (docs/reference/files.md), figures of other runs, and tables of another text "
             "of the script are named, with exit code 1 and no page.",
    .option = options, .common = true, .fewest = 1, .most = SIZE_MAX, .missing = "needs experiments: experiments/*.lua",
};

static void say(const char *line)
{
    fprintf(stderr, "stillpoint: report: %s\n", line);
}

static bool has_tables(const char *results)
{
    char *path = sp_format("%s/runs.tsv", results);
    const bool there = path && sp_packed_there(path);
    free(path);
    return there;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    sp_session *session = NULL;
    sp_reported *of = NULL;
    sp_text page = { 0 };
    char **word;
    size_t words = 0, count = 0;
    int code;
    arguments a = { .common = SP_COMMON_DEFAULTS, .output = "report.html" };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    session = sp_alloc(words, sizeof *session);
    of = sp_alloc(words, sizeof *of);
    if (!session || !of)
        SP_TRY(sp_fail(&error, SP_ENOMEM, "out of memory"));
    for (size_t i = 0; i < words; i++) {
        SP_TRY(sp_session_open(word[i], &a.common, NULL, false, &session[i], &error));
        if (has_tables(session[i].results)) {
            code = SP_EXIT_FAILED;
            SP_TRY(sp_need_sealed(session[i].results, session[i].plots, &error));
            SP_TRY(sp_need_script(session[i].results, &session[i].plan, &error));
            code = SP_EXIT_USAGE;
            of[count++] = (sp_reported){ &session[i].plan, session[i].results, session[i].plots };
        } else if (!a.common.quiet)
            fprintf(stderr, "stillpoint: report: left out: %s was not run (no %s/runs.tsv)\n", word[i],
                    session[i].results);
    }
    if (count == 0)
        SP_TRY(sp_fail(&error, SP_EABSENT, "none of these experiments was run yet: `stillpoint run` makes the tables"));
    code = SP_EXIT_FAILED;
    SP_TRY(sp_report(of, count, "Made by stillpoint " STILLPOINT_VERSION " from exported tables.", a.manual,
                     a.common.quiet ? NULL : say, &page, &error));
    SP_TRY(sp_write_file(a.output, page.data, page.length, &error));
    if (!a.common.quiet)
        printf("%s: %zu experiments, %.1f MB\n", a.output, count, (double)page.length / 1e6);
    code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    for (size_t i = 0; session && i < words; i++)
        sp_session_close(&session[i]);
    free(session);
    free(of);
    sp_text_free(&page);
    return code;
}

const sp_verb sp_verb_report = { "report", "one HTML file of what was shown", &usage, run };
