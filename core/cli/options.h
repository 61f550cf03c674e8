/* options.h -- the command line of a verb as a table: its options, where their values go, and what --help says.
 *
 * Options may stand before, between and behind the other words ("--" ends them), a value behind "=" or as the next
 * word; a long name may be cut where it stays unique. Nothing is allocated. */
#ifndef SP_CLI_OPTIONS_H
#define SP_CLI_OPTIONS_H

#include "core/session/common.h"

typedef enum {
    SP_OPTION_SET,   /* no value; a bool becomes true */
    SP_OPTION_CLEAR, /* no value; a bool becomes false */
    SP_OPTION_TEXT,  /* a const char * */
    SP_OPTION_LIST,  /* an sp_words, to which every value is added: the option may be repeated */
    SP_OPTION_REAL,  /* a double */
    SP_OPTION_COUNT  /* a whole number, a uint64_t */
} sp_option_kind;

typedef struct sp_option {
    const char *name;    /* "jobs": --jobs */
    char letter;         /* 'j': -j; '\0': none */
    sp_option_kind kind;
    size_t offset;       /* of the member that gets the value, in the arguments of the verb */
    const char *value;   /* what --help calls the value: "N" */
    const char *help;
    double low, high;    /* the least and the largest number accepted */
} sp_option;

typedef struct sp_usage {
    const char *operands;     /* "EXPERIMENT.lua [RUN]"; other ways to call the verb in further lines */
    const char *about;        /* what the verb does, in front of the options */
    const char *notes;        /* more, behind them; NULL: none. Lines that start with a blank stay as they are */
    const sp_option *option;  /* ends with { 0 }; NULL: none */
    bool common;              /* the arguments start with an sp_common, which has options too */
    size_t fewest, most;      /* operands */
    const char *missing, *excess; /* messages for fewer and for more of them */
} sp_usage;

/* Options of several verbs, whose arguments have an sp_picked (core/session/session.h), and an sp_common `common`. */
#define SP_PICKED_OPTIONS(type, member)                                                                               \
    { "only", '\0', SP_OPTION_LIST, offsetof(type, member.only), "LABEL",                                             \
      "Only the cells of this label; may be repeated", 0, 0 },                                                        \
    { "where", '\0', SP_OPTION_LIST, offsetof(type, member.where), "KEY=VALUE",                                       \
      "Only the cells that have it: n=1000, epsilon=1, loss=logistic, sweep=NAME; may be repeated", 0, 0 }
#define SP_DISCARD_OPTION(type)                                                                                       \
    { "discard", '\0', SP_OPTION_SET, offsetof(type, common.discard), NULL,                                           \
      "Drop the runs that the experiment no longer asks for from the tables (the store keeps them)", 0, 0 }

/* Reads the command line into `arguments`; argv[0] is the verb, and argv is put in order: operand[0..operands) are the
 * words that are no options. An sp_words needs room for argc words. False when the verb has nothing more to do: --help
 * was asked for, or a message names the option and its value; *code is what the program returns then, and SP_EXIT_OK
 * otherwise. */
bool sp_parse(const sp_usage *, int argc, char **argv, void *arguments, char ***operand, size_t *operands, int *code);

/* The options of a verb in the order of --help, which is the last of them; at most SP_OPTIONS_MAX. How many there are. */
enum { SP_OPTIONS_MAX = 32 };
size_t sp_usage_options(const sp_usage *, const sp_option *list[SP_OPTIONS_MAX]);

/* "stillpoint VERB: message" and how to get help, on the standard error; returns SP_EXIT_USAGE. */
int sp_misused(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
