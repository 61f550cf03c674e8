/* manual_verbs.c -- writes docs/reference/verbs.md from the same tables of options with which the command line is
 * parsed. */
#include "core/cli/manual/manual_pages.h"
#include "core/cli/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

/* Paragraphs; lines that begin with a blank are an example. */
static void paragraphs(const char *text)
{
    bool example = false;
    for (;;) {
        const size_t length = strcspn(text, "\n");
        if ((*text == ' ') != example) {
            example = !example;
            puts(example ? "\n```" : "```");
        }
        printf("%s%.*s\n", example ? "" : "\n", (int)length, text);
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (example)
        puts("```");
}

static void ways(const sp_verb *verb)
{
    puts("\n```");
    for (const char *way = verb->usage->operands; way;) {
        const size_t length = strcspn(way, "\n");
        printf("stillpoint %s [OPTION...]%s%.*s\n", verb->name, length > 0 ? " " : "", (int)length, way);
        way = way[length] ? way + length + 1 : NULL;
    }
    puts("```");
}

/* Within a cell of a table */
static void cell(const char *text)
{
    for (; *text; text++)
        printf("%s%c", *text == '|' ? "\\" : "", *text);
}

static void options(const sp_verb *verb)
{
    const sp_option *option[SP_OPTIONS_MAX];
    const size_t count = sp_usage_options(verb->usage, option);
    if (count < 2) /* all have --help */
        return;
    puts("\n| option | what it does |\n|---|---|");
    for (size_t i = 0; i + 1 < count; i++) {
        const sp_option *o = option[i];
        const bool value = o->kind != SP_OPTION_SET && o->kind != SP_OPTION_CLEAR;
        printf("| ");
        if (o->letter)
            printf("`-%c`, ", o->letter);
        printf("`--%s%s%s` | ", o->name, value ? "=" : "", value ? o->value : "");
        cell(o->help);
        puts(" |");
    }
}

static const struct { const char *title, *anchor, *summary; const sp_manual_item *item; } lists[] = {
    { "Exit status", "exit-status", "what the program returns", sp_manual_exits },
    { "Environment", "environment", "variables that it reads", sp_manual_environment },
    { "Files", "files", "folders that it writes to", sp_manual_files },
};
enum { LISTS = sizeof lists / sizeof *lists };

/* The heading as links name it: "compare---score" */
static void anchor(const char *name)
{
    for (; *name; name++)
        putchar(*name == ' ' ? '-' : *name);
}

void sp_manual_verbs_page(void)
{
    puts("# Verbs\n\nMade by `stillpoint_manual verbs` from the tables by which the verbs read their words; do not edit. Options may "
         "stand before, between and behind the other words, and long names may be cut where they stay unique. A verb that is "
         "written as two words (`account epsilon`, `compare --score`) has options of its own.\n");
    for (size_t i = 0; i < sp_verb_count; i++) {
        printf("* [%s](#", sp_verbs[i]->name);
        anchor(sp_verbs[i]->name);
        printf("): %s\n", sp_verbs[i]->summary);
    }
    for (size_t i = 0; i < LISTS; i++)
        printf("* [%s](#%s): %s\n", lists[i].title, lists[i].anchor, lists[i].summary);
    for (size_t i = 0; i < sp_verb_count; i++) {
        printf("\n## %s\n", sp_verbs[i]->name);
        ways(sp_verbs[i]);
        paragraphs(sp_verbs[i]->usage->about);
        options(sp_verbs[i]);
        if (sp_verbs[i]->usage->notes)
            paragraphs(sp_verbs[i]->usage->notes);
    }
    for (size_t i = 0; i < LISTS; i++) {
        printf("\n## %s\n\n", lists[i].title);
        for (const sp_manual_item *item = lists[i].item; item->name; item++)
            printf("* `%s`: %s\n", item->name, item->meaning);
    }
}
