/* new.c -- `new`: a file to begin with, or a folder, from templates/. */
#include "core/session/home.h"
#include "core/cli/verbs/verbs.h"

#include "core/base/memory.h"
#include "core/plan/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *root;
} arguments;

static const sp_option options[] = {
    { "root", '\0', SP_OPTION_TEXT, offsetof(arguments, root), "DIR",
      "The checkout, or where an experiment goes (default: the current folder)", 0, 0 },
    { 0 }
};

static bool is_algorithm(const char *name) { return sp_algorithm_find(name) != NULL; }
static bool is_loss(const char *name) { return sp_loss_find(name) != NULL; }
static bool is_measure(const char *name) { return sp_measure_find(name) != NULL; }

typedef struct kind {
    const char *name, *article;
    const char *folder; /* of a checkout, which it goes to */
    const char *header; /* that the folder has to hold; NULL: without the folder it goes to the root itself */
    const char *ending; /* of the file; NULL: it is the folder `pieces` */
    bool (*taken)(const char *name); /* NULL: nothing is registered */
    const char *next; /* what to do then, with NAME and PATH */
} kind;

static const kind kinds[] = {
    { "experiment", "an", "experiments", NULL, "lua", NULL, "stillpoint plan PATH, then stillpoint run PATH" },
    { "algorithm", "an", "algorithms", "algorithm.h", "c", is_algorithm,
      "cmake --build build/release, then ctest --test-dir build/release -R 'conformance/(algorithm|audit)/NAME$'" },
    { "loss", "a", "losses", "loss.h", "c", is_loss,
      "cmake --build build/release, then build/release/stillpoint test NAME, then "
      "ctest --test-dir build/release -R 'conformance/loss/NAME$'" },
    { "plugin", "a", "", NULL, NULL, is_algorithm,
      "make -C PATH (or cmake), then stillpoint run PATH/NAME.lua" },
    { "measure", "a", "measures", "measure.h", "c", is_measure,
      "cmake --build build/release, then ctest --test-dir build/release -R 'conformance/measure/NAME$'" },
};

/* A plugin's files: the template and what it becomes. */
static const struct { const char *template, *file; } pieces[] = {
    { "algorithm.c", "NAME.c" },
    { "plugin/plugin.c", "plugin.c" },
    { "plugin/CMakeLists.txt", "CMakeLists.txt" },
    { "plugin/Makefile", "Makefile" },
    { "plugin/experiment.lua", "NAME.lua" },
    { "plugin/README.md", "README.md" },
};
enum { PIECES = sizeof pieces / sizeof *pieces };

enum { KINDS = sizeof kinds / sizeof *kinds, NAME_MAX_LENGTH = 40 };

static const sp_usage usage = {
    .operands = "experiment|algorithm|loss|measure|plugin NAME",
    .about = "Writes a file to begin with, or a plugin's folder, which runs as it stands; what to fill in is marked FILL.",
    .notes = "An experiment goes to experiments/ of a checkout, or else to the folder itself; an algorithm, a loss and a "
             "measure go to their folder of a checkout, where the next build finds them; a plugin, which needs no "
             "checkout, is a new folder. A file that is there is never written over. A name is a lower-case letter, then lower-case letters, digits and _, 40 at most.",
    .option = options, .fewest = 2, .most = 2, .missing = "what, and what is its name? (stillpoint new experiment mine)",
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
    const char *near = sp_nearest(word, names, KINDS);
    return sp_fail(error, SP_EINVAL, "new: unknown kind %s%s%s%s", word, near ? "; did you mean " : "",
                   near ? near : " (experiment, algorithm, loss, measure or plugin)", near ? "?" : "");
}

static sp_status check_name(const kind *k, const char *name, sp_error *error)
{
    const size_t length = strlen(name), fine = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || fine < length || name[0] < 'a' || length > NAME_MAX_LENGTH)
        return sp_fail(error, SP_EINVAL, "new %s: %s: a name is a lower-case letter, then lower-case letters, digits and "
                       "_, %d at most", k->name, length > 0 ? name : "\"\"", NAME_MAX_LENGTH);
    if (k->taken && k->taken(name))
        return sp_fail(error, SP_EINVAL, "new %s: there is %s %s called %s (stillpoint describe %s)", k->name,
                       k->ending ? k->article : "an", k->ending ? k->name : "algorithm", name, name);
    return SP_OK;
}

/* Where the file goes, a new string. */
static sp_status find_place(const kind *k, const char *root, const char *name, char **out, sp_error *error)
{
    sp_status status = SP_OK;
    if (!k->ending) {
        *out = strcmp(root, ".") == 0 ? sp_copy_text(name) : sp_format("%s/%s", root, name);
        return *out ? SP_OK : sp_fail(error, SP_ENOMEM, "new: out of memory");
    }
    char *folder = sp_format("%s/%s", root, k->folder);
    char *mark = sp_format("%s/%s/%s", root, k->folder, k->header ? k->header : "");
    *out = NULL;
    if (!folder || !mark)
        SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
    const bool there = access(mark, F_OK) == 0;
    if (!there && k->header)
        SP_TRY(sp_fail(error, SP_EABSENT, "new %s: %s is no checkout of Stillpoint: there is no %s", k->name, root, mark));
    *out = strcmp(root, ".") == 0 ? sp_format("%s%s%s.%s", there ? k->folder : "", there ? "/" : "", name, k->ending)
                                  : sp_format("%s/%s.%s", there ? folder : root, name, k->ending);
    if (!*out)
        SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
cleanup:
    free(folder);
    free(mark);
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

/* One file from templates/TEMPLATE; its text is added to `all`. */
static sp_status write_one(const char *template, const char *name, const char *path, sp_text *all, sp_error *error)
{
    sp_status status = SP_OK;
    sp_text text = { 0 };
    char *place = NULL, *file = sp_format("templates/%s", template);
    if (!file)
        SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
    SP_TRY(sp_home_path(file, &place, error));
    SP_TRY(fill(place, name, &text, error));
    SP_TRY(write_new(path, &text, error));
    sp_text_add_text(all, text.data ? text.data : "");
cleanup:
    sp_text_free(&text);
    free(place);
    free(file);
    return status;
}

/* All of it or nothing. */
static sp_status write_folder(const char *name, const char *path, sp_text *all, sp_error *error)
{
    sp_status status = SP_OK;
    char *made[PIECES] = { NULL };
    size_t count = 0;
    if (mkdir(path, 0777) != 0)
        return sp_fail(error, errno == EEXIST ? SP_EINVAL : SP_EIO, "%s: %s", path,
                       errno == EEXIST ? "is there already; new writes over nothing" : strerror(errno));
    for (; count < PIECES; count++) {
        sp_text file = { 0 };
        add_replaced(&file, pieces[count].file, "NAME", name);
        made[count] = file.failed ? NULL : sp_format("%s/%s", path, file.data);
        sp_text_free(&file);
        if (!made[count])
            SP_TRY(sp_fail(error, SP_ENOMEM, "new: out of memory"));
        SP_TRY(write_one(pieces[count].template, name, made[count], all, error));
    }
cleanup:
    for (size_t i = 0; i < PIECES; i++) {
        if (status != SP_OK && i < count)
            unlink(made[i]);
        free(made[i]);
    }
    if (status != SP_OK)
        rmdir(path);
    return status;
}

static sp_status say_next(const kind *k, const char *name, const char *path, const char *made, sp_error *error)
{
    size_t marks = 0;
    sp_text named = { 0 }, next = { 0 };
    for (const char *at = made; (at = strstr(at, "FILL")); at += strlen("FILL"))
        marks++;
    add_replaced(&named, k->next, "NAME", name);
    add_replaced(&next, named.data ? named.data : "", "PATH", path);
    const bool failed = named.failed || next.failed;
    if (!failed)
        printf("%s: %zu places marked FILL; next: %s\n", path, marks, next.data);
    sp_text_free(&named);
    sp_text_free(&next);
    return failed ? sp_fail(error, SP_ENOMEM, "%s: out of memory", path) : SP_OK;
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
    arguments a = { .root = "." };
    if (!sp_parse(&usage, argc, argv, &a, &word, &words, &code))
        return code;
    code = SP_EXIT_USAGE;
    SP_TRY(find_kind(word[0], &k, &error));
    SP_TRY(check_name(k, word[1], &error));
    SP_TRY(find_place(k, a.root, word[1], &path, &error));
    code = SP_EXIT_FAILED;
    if (k->ending && !(file = sp_format("%s.%s", k->name, k->ending)))
        SP_TRY(sp_fail(&error, SP_ENOMEM, "new: out of memory"));
    SP_TRY(file ? write_one(file, word[1], path, &text, &error) : write_folder(word[1], path, &text, &error));
    SP_TRY(say_next(k, word[1], path, text.data, &error));
    code = SP_EXIT_OK;
cleanup:
    if (status != SP_OK)
        sp_complain(&error, code);
    sp_text_free(&text);
    free(file);
    free(path);
    return code;
}

const sp_verb sp_verb_new = { "new", "a file to begin with: an experiment, an algorithm, a loss, a measure, a plugin", &usage, run };
