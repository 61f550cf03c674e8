/* new.c -- `new`: writes a file to begin with, from templates/. */
#include "core/session/home.h"
#include "core/cli/verbs/verbs.h"

#include "core/base/files.h"
#include "core/base/memory.h"
#include "core/plan/plan.h"
#include "core/plan/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *in;
} arguments;

static const sp_option options[] = {
    { "in", '\0', SP_OPTION_TEXT, offsetof(arguments, in), "FOLDER",
      "Where it goes: a checkout, or a folder that `./bootstrap --with FOLDER` builds in (default: the current folder)",
      0, 0 },
    { 0 }
};

static bool is_algorithm(const char *name) { return sp_algorithm_find(name) != NULL; }
static bool is_loss(const char *name) { return sp_loss_find(name) != NULL; }
static bool is_measure(const char *name) { return sp_measure_find(name) != NULL; }
static bool is_generator(const char *name) { return sp_generator_find(name) != NULL; }

typedef struct kind {
    const char *name, *article, *ending; /* of the file */
    const char *folder; /* of a checkout */
    const char *extra;  /* of a folder that is built in; NULL: an experiment, which goes to the folder itself */
    bool (*taken)(const char *name); /* NULL: nothing is registered */
} kind;

static const kind kinds[] = {
    { "experiment", "an", "lua", "experiments", NULL, NULL },
    { "method", "a", "c", "algorithms", "algorithms", is_algorithm },
    { "loss", "a", "c", "losses", "losses", is_loss },
    { "measure", "a", "c", "measures", "measures", is_measure },
    { "generator", "a", "c", "core/data/generators", "generators", is_generator },
};

enum { KINDS = sizeof kinds / sizeof *kinds, NAME_MAX_LENGTH = 40 };

static const sp_usage usage = {
    .operands = "experiment|method|loss|measure|generator NAME",
    .about = "Writes a file to begin with, which runs as it stands; what to fill in is marked FILL.",
    .notes = "An experiment goes to experiments/ of a checkout, or else to the folder itself. A method, a loss, a measure "
             "or a generator is a file in C: it goes to its folder of a checkout, where the next build finds it, or into "
             "algorithms/, losses/, measures/ or generators/ of a folder of your own, which is made where it is missing. "
             "./bootstrap --with FOLDER builds such a folder in. A file that is there is never written over. A name is a "
             "lower-case letter, then lower-case letters, digits and _, 40 at most.",
    .option = options, .fewest = 2, .most = 2,
    .missing = "what, and what is its name? (stillpoint new experiment mine)",
    .excess = "one file at a time",
};

/* --- names ---------------------------------------------------------------------------------------------------- */

static sp_status find_kind(const char *word, const kind **out, sp_error *error)
{
    const char *names[KINDS];
    for (size_t k = 0; k < KINDS; k++) {
        names[k] = kinds[k].name;
        if (strcmp(word, names[k]) == 0) {
            *out = &kinds[k];
            return SP_OK;
        }
    }
    if (strcmp(word, "plugin") == 0)
        return sp_fail(error, SP_EINVAL, "new plugin: " SP_PLUGINS_REFUSED);
    const char *near = sp_nearest(word, names, KINDS);
    return sp_fail(error, SP_EINVAL, "new: unknown kind %s%s%s%s", word, near ? "; did you mean " : "",
                   near ? near : " (experiment, method, loss, measure or generator)", near ? "?" : "");
}

static sp_status check_name(const kind *k, const char *name, sp_error *error)
{
    const size_t length = strlen(name), fine = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || fine < length || name[0] < 'a' || length > NAME_MAX_LENGTH)
        return sp_fail(error, SP_EINVAL, "new %s: %s: a name is a lower-case letter, then lower-case letters, digits and "
                       "_, %d at most", k->name, length > 0 ? name : "\"\"", NAME_MAX_LENGTH);
    if (k->taken && k->taken(name))
        return sp_fail(error, SP_EINVAL, "new %s: there is %s %s called %s (stillpoint list %s)", k->name,
                       k->article, k->name, name, name);
    return SP_OK;
}

static bool is_there(const char *folder, const char *name)
{
    char *path = sp_format("%s/%s", folder ? folder : ".", name);
    const bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

static bool is_checkout(const char *folder)
{
    return is_there(folder, "algorithms/algorithm.h");
}

/* Where the file goes, a new string; a folder that is to be built in is made. `in` is NULL where none is named. */
static sp_status find_place(const kind *k, const char *in, const char *name, char **out, sp_error *error)
{
    sp_status status = SP_OK;
    const bool checkout = is_checkout(in);
    const char *below = checkout || (!k->extra && is_there(in, k->folder)) ? k->folder : k->extra;
    char *folder = sp_format("%s%s%s%s", in ? in : "", in ? "/" : "", below ? below : "", below ? "/" : "");
    *out = folder ? sp_format("%s%s.%s", folder, name, k->ending) : NULL;
    if (!*out)
        SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
    if (!in && !checkout && k->extra)
        SP_TRY(sp_fail(error, SP_EABSENT, "new %s: this is no checkout of Stillpoint (there is no algorithms/algorithm.h): "
                       "name a folder that is to be built in, --in FOLDER", k->name));
    if (!checkout && k->extra)
        SP_TRY(sp_make_directory(folder, error));
cleanup:
    free(folder);
    return status;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

/* Adds the text with every `word` replaced. */
static void add_replaced(sp_text *out, const char *text, const char *word, const char *by)
{
    for (const char *at; (at = strstr(text, word)); text = at + strlen(word)) {
        sp_text_add(out, text, (size_t)(at - text));
        sp_text_add_text(out, by);
    }
    sp_text_add_text(out, text);
}

/* The template with the name in it. */
static sp_status fill(const char *template, const char *name, sp_text *out, sp_error *error)
{
    char line[1024];
    FILE *file = fopen(template, "re");
    if (!file)
        return sp_fail(error, SP_EABSENT, "%s: %s", template, strerror(errno));
    while (fgets(line, sizeof line, file))
        add_replaced(out, line, "NAME", name);
    const bool bad = ferror(file);
    fclose(file);
    if (bad || out->failed)
        return sp_fail(error, bad ? SP_EIO : SP_ENOMEM, "%s: %s", template, bad ? "could not be read" : "out of memory");
    return SP_OK;
}

/* A new file: one that is there stays as it is. */
static sp_status write_new(const char *path, const sp_text *text, sp_error *error)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return sp_fail(error, errno == EEXIST ? SP_EINVAL : SP_EIO, "%s: %s", path,
                       errno == EEXIST ? "is there already; new writes over nothing" : strerror(errno));
    size_t done = 0;
    while (done < text->length) {
        const ssize_t written = write(file, text->data + done, text->length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    const int cause = errno;
    if (close(file) == 0 && done == text->length)
        return SP_OK;
    unlink(path);
    return sp_fail(error, SP_EIO, "%s: %s", path, strerror(cause));
}

/* A file from templates/TEMPLATE; its text is added to *text. */
static sp_status write_one(const char *template, const char *name, const char *path, sp_text *text, sp_error *error)
{
    sp_status status = SP_OK;
    char *place = NULL, *file = sp_format("templates/%s", template);
    if (!file)
        SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
    SP_TRY(sp_home_path(file, &place, error));
    SP_TRY(fill(place, name, text, error));
    SP_TRY(write_new(path, text, error));
cleanup:
    free(place);
    free(file);
    return status;
}

static sp_status say_next(const kind *k, const char *in, const char *name, const char *path, const char *text,
                          sp_error *error)
{
    size_t marks = 0;
    char *next = !k->extra         ? sp_format("stillpoint plan %s, then stillpoint run %s", path, path)
                 : is_checkout(in) ? sp_format("./bootstrap, then build/release/stillpoint audit %s", name)
                                   : sp_format("./bootstrap --with %s audit %s, in a checkout", in, name);
    if (!next)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    for (const char *at = text; (at = strstr(at, "FILL")); at += strlen("FILL"))
        marks++;
    printf("%s: %zu places marked FILL; next: %s\n", path, marks, next);
    free(next);
    return SP_OK;
}

static int run(int argc, char **argv)
{
    sp_status status = SP_OK;
    sp_error error = { 0 };
    const kind *k = NULL;
    char **word, *path = NULL, *file = NULL;
    size_t words;
    int code;
    sp_text text = { 0 };
    arguments a = { .in = NULL };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(find_kind(word[0], &k, &error));
    SP_TRY(check_name(k, word[1], &error));
    SP_TRY(find_place(k, a.in, word[1], &path, &error));
    code = SP_EXIT_FAILED;
    if (!(file = sp_format("%s.%s", k->name, k->ending)))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "new: out of memory"));
    SP_TRY(write_one(file, word[1], path, &text, &error));
    SP_TRY(say_next(k, a.in, word[1], path, text.data, &error));
    code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_text_free(&text);
    free(file);
    free(path);
    return code;
}

const sp_verb sp_verb_new = {
    "new", "a file to begin with: an experiment, a method, a loss, a measure, a generator", &usage, run
};
