/* options.h -- the command line of a verb as a table: its options, where their values go, and what --help says.
 *
 * Options may stand before, between and behind the other words ("--" ends them), a value behind "=" or as the next
 * word; a long name may be cut where it stays unique. Nothing is allocated. */
#ifndef SP_CLI_OPTIONS_H
#define SP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

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

typedef struct sp_words {
    const char **word;
    size_t count;
} sp_words;

typedef struct sp_usage {
    const char *operands;     /* "EXPERIMENT.lua [RUN]"; other ways to call the verb in further lines */
    const char *about;        /* what the verb does, in front of the options */
    const char *notes;        /* more, behind them; NULL: none. Lines that start with a blank stay as they are */
    const sp_option *option;  /* ends with { 0 }; NULL: none */
    bool common;              /* the arguments start with an sp_common (verbs.h), which has options too */
    size_t fewest, most;      /* operands */
    const char *missing, *excess; /* messages for fewer and for more of them */
} sp_usage;

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
