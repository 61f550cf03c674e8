/* command.c -- the words of a command, the program that it names, and the hash of all files that decide what it does: the
 * program, what runs it if it is a script, whatever words of its command are files, and those that are named besides. */
#include "core/methods/external_internal.h"

#include "core/base/files.h"
#include "core/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 256 };

#define NEED(pointer)                                              \
    do {                                                           \
        if (!(pointer)) {                                          \
            status = sp_fail(error, SP_ENOMEM, "out of memory");   \
            goto cleanup;                                          \
        }                                                          \
    } while (0)

char *sp_external_word(sp_arena *arena, const char *word)
{
    if (*word && word[strcspn(word, " \"\\")] == '\0')
        return sp_arena_copy(arena, word);
    char *out = sp_arena_text(arena, 2 * strlen(word) + 3), *at = out;
    if (!out)
        return NULL;
    *at++ = '"';
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            *at++ = '\\';
        *at++ = *word;
    }
    *at++ = '"';
    *at = '\0';
    return out;
}

/* Words of a text, NULL behind the last one. */
static sp_status split(sp_arena *arena, const char *text, const char *place, char ***out, sp_error *error)
{
    sp_status status = SP_OK;
    size_t count = 0;
    char **words = sp_arena_alloc(arena, WORDS_MAX + 1, sizeof *words);
    NEED(words);
    while (*(text += strspn(text, " "))) {
        if (count == WORDS_MAX)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: more than %d words", place, WORDS_MAX));
        char *word = sp_arena_text(arena, strlen(text) + 1), *at = word;
        NEED(word);
        bool quoted = false;
        for (; *text && (quoted || *text != ' '); text++) {
            if (*text == '"')
                quoted = !quoted;
            else
                *at++ = *text == '\\' && text[1] ? *++text : *text;
        }
        if (quoted)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: a quote is not closed", place));
        *at = '\0';
        words[count++] = word;
    }
    *out = words;
cleanup:
    return status;
}

/* SHA-256 of a file, and what the system says of it. */
static sp_status read_content(const char *path, const char *place, struct stat *seen, char content[SP_HASH_HEX],
                              sp_error *error)
{
    sp_status status = SP_OK;
    char bytes[1 << 14];
    int file = -1;
    size_t size = 0;
    sp_hash hash;
    const char *why = sp_open_file(path, &file, &size);
    if (why)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s: %s", place, path, why));
    sp_hash_start(&hash);
    for (ssize_t got = 1; got != 0;) {
        got = read(file, bytes, sizeof bytes);
        if (got < 0 && errno != EINTR)
            SP_TRY(sp_fail(error, SP_EIO, "%s: %s: %s", place, path, strerror(errno)));
        if (got > 0)
            sp_hash_add(&hash, bytes, (size_t)got);
    }
    sp_hash_end_hex(&hash, content);
    if (fstat(file, seen) != 0)
        SP_TRY(sp_fail(error, SP_EIO, "%s: %s: %s", place, path, strerror(errno)));
cleanup:
    if (file >= 0)
        close(file);
    return status;
}

/* One file more that counts. */
static sp_status add_file(sp_arena *arena, sp_program *program, sp_hash *hash, const char *path, const char *place,
                          sp_error *error)
{
    sp_status status = SP_OK;
    sp_program_file *file = sp_arena_alloc(arena, 1, sizeof *file);
    char *absolute = sp_absolute_path(path);
    NEED(file);
    NEED(absolute);
    NEED(file->path = sp_arena_copy(arena, absolute));
    SP_TRY(read_content(path, place, &file->seen, file->content, error));
    sp_hash_text(hash, file->content);
    file->next = program->files;
    program->files = file;
cleanup:
    free(absolute);
    return status;
}

/* A file that only has another time of change is read again. */
sp_status sp_program_same(const sp_program *program, sp_error *error)
{
    sp_status status = SP_OK;
    for (const sp_program_file *f = program->files; f; f = f->next) {
        struct stat now;
        char content[SP_HASH_HEX];
        if (stat(f->path, &now) == 0 && now.st_ino == f->seen.st_ino && now.st_dev == f->seen.st_dev &&
            now.st_size == f->seen.st_size && now.st_mtim.tv_sec == f->seen.st_mtim.tv_sec &&
            now.st_mtim.tv_nsec == f->seen.st_mtim.tv_nsec)
            continue;
        SP_TRY(read_content(f->path, "a file of the program", &now, content, error));
        if (strcmp(content, f->content) != 0)
            SP_TRY(sp_fail(error, SP_EHASH, "%s has changed since the plan was made: run again", f->path));
    }
cleanup:
    return status;
}

static bool is_file(const char *path)
{
    int file;
    size_t size;
    if (sp_open_file(path, &file, &size) != NULL)
        return false;
    close(file);
    return true;
}

/* From the folder on, unless it begins at the root. */
static char *from_folder(sp_arena *arena, const char *folder, const char *path)
{
    return sp_arena_format(arena, "%s%s", *path == '/' ? "" : folder, path);
}

/* The file of that name that can be run, from the first of the folders `search`, with colons between them, that has one;
 * NULL in *out: none has. */
static sp_status find_in(sp_arena *arena, const char *search, const char *name, const char **out, sp_error *error)
{
    sp_status status = SP_OK;
    *out = NULL;
    for (const char *at = search, *next; at && !*out; at = next) {
        const size_t length = strcspn(at, ":");
        char *found = sp_arena_format(arena, "%.*s/%s", (int)length, at, name);
        NEED(found);
        next = at[length] ? at + length + 1 : NULL;
        if (*at == '/' && is_file(found) && access(found, X_OK) == 0)
            *out = found;
    }
cleanup:
    return status;
}

/* A name without a slash is looked for on the PATH, as a shell does. */
static sp_status find_program(sp_arena *arena, const char *folder, const char *name, const char *place,
                              const char **out, sp_error *error)
{
    sp_status status = SP_OK;
    const char *path = getenv("PATH");
    if (!strchr(name, '/')) {
        SP_TRY(find_in(arena, path ? path : SP_EXTERNAL_PATH, name, out, error));
        if (!*out)
            SP_TRY(sp_fail(error, SP_EINVAL, "%s: there is no program %s on the PATH", place, name));
        goto cleanup;
    }
    NEED(*out = from_folder(arena, folder, name));
    if (!is_file(*out) || access(*out, X_OK) != 0)
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: %s is no file that can be run (paths are relative to the experiment's "
                       "file)", place, name));
cleanup:
    return status;
}

/* What runs a script, by its first line: "#!/usr/bin/perl -w", "#!/usr/bin/env python3". NULL: it is no script, or names
 * nothing that is there, which its run will say. */
static sp_status find_interpreter(sp_arena *arena, const char *script, char *const *environment, const char **out,
                                  sp_error *error)
{
    static const char blanks[] = " \t\r";
    sp_status status = SP_OK;
    const char *search = SP_EXTERNAL_PATH;
    char line[256] = "", *rest = NULL;
    int file = -1;
    size_t size;
    *out = NULL;
    for (; *environment; environment++)
        if (strncmp(*environment, "PATH=", 5) == 0)
            search = *environment + 5;
    if (sp_open_file(script, &file, &size) != NULL || read(file, line, sizeof line - 1) < 2 ||
        strncmp(line, "#!", 2) != 0)
        goto cleanup;
    line[strcspn(line, "\n")] = '\0';
    const char *word = strtok_r(line + 2, blanks, &rest);
    const char *slash = word ? strrchr(word, '/') : NULL;
    if (slash && strcmp(slash, "/env") == 0) {
        do
            word = strtok_r(NULL, blanks, &rest);
        while (word && (*word == '-' || strchr(word, '=')));
        if (word && !strchr(word, '/'))
            SP_TRY(find_in(arena, search, word, out, error));
    }
    if (!*out && word && *word == '/' && is_file(word))
        NEED(*out = sp_arena_copy(arena, word));
cleanup:
    if (file >= 0)
        close(file);
    return status;
}

/* That of the program, if it is a script, and theirs. */
static sp_status add_interpreters(sp_arena *arena, sp_program *program, sp_hash *hash, const char *place, sp_error *error)
{
    enum { SCRIPTS_MAX = 4 }; /* that run one another, as in Linux */
    sp_status status = SP_OK;
    const char *script = program->path, *interpreter;
    for (int depth = 0; depth < SCRIPTS_MAX; depth++, script = interpreter) {
        SP_TRY(find_interpreter(arena, script, program->environment, &interpreter, error));
        if (!interpreter)
            break;
        sp_hash_text(hash, interpreter);
        SP_TRY(add_file(arena, program, hash, interpreter, place, error));
    }
cleanup:
    return status;
}

sp_status sp_program_find(sp_arena *arena, const sp_external *e, const char *place, sp_program *out, sp_error *error)
{
    sp_status status = SP_OK;
    char **words, **files, **variables;
    sp_hash hash;
    const char *clients = getenv("STILLPOINT_CLIENTS"), *at_command, *at_files, *at_environment;
    *out = (sp_program){ .patience = e->patience, .params = e->params };
    NEED(out->folder = sp_arena_copy(arena, *e->folder ? e->folder : "./"));
    NEED(at_command = sp_arena_format(arena, "%s.command", place));
    NEED(at_files = sp_arena_format(arena, "%s.files", place));
    NEED(at_environment = sp_arena_format(arena, "%s.environment", place));
    SP_TRY(split(arena, e->command, at_command, &words, error));
    SP_TRY(split(arena, e->files, at_files, &files, error));
    SP_TRY(split(arena, e->environment, at_environment, &variables, error));
    if (!words[0])
        SP_TRY(sp_fail(error, SP_EINVAL, "%s: names no program", at_command));
    SP_TRY(find_program(arena, e->folder, words[0], at_command, &out->path, error));
    if (*out->path != '/') { /* it is run from the folder */
        char *absolute = sp_absolute_path(out->path);
        NEED(absolute);
        out->path = sp_arena_copy(arena, absolute);
        free(absolute);
        NEED(out->path);
    }
    sp_hash_start(&hash);
    sp_hash_text(&hash, e->command);
    out->name = words[0];
    if (!strchr(words[0], '/')) { /* the same interpreter finds other packages from another place */
        sp_hash_text(&hash, out->path);
        NEED(words[0] = sp_arena_copy(arena, out->path)); /* from which it tells its place, for our PATH is not its own */
    }
    out->words = words;
    sp_hash_text(&hash, "environment");
    SP_TRY(sp_program_environment(arena, variables, at_environment, &hash, &out->environment, error));
    SP_TRY(add_file(arena, out, &hash, out->path, at_command, error));
    SP_TRY(add_interpreters(arena, out, &hash, at_command, error));
    sp_hash_text(&hash, "words");
    for (size_t i = 1; words[i]; i++) {
        const char *path = from_folder(arena, e->folder, words[i]);
        NEED(path);
        if (is_file(path))
            SP_TRY(add_file(arena, out, &hash, path, at_command, error));
    }
    sp_hash_text(&hash, "files");
    for (size_t i = 0; files[i]; i++) {
        const char *path = from_folder(arena, e->folder, files[i]);
        NEED(path);
        sp_hash_text(&hash, files[i]);
        SP_TRY(add_file(arena, out, &hash, path, at_files, error));
    }
    if (clients && *clients) {
        const char *path = sp_arena_format(arena, "%s/stillpoint.py", clients);
        NEED(path);
        if (is_file(path))
            SP_TRY(add_file(arena, out, &hash, path, at_files, error));
    }
    sp_hash_end_hex(&hash, out->content);
cleanup:
    return status;
}

sp_status sp_external_new(sp_arena *arena, const sp_external *e, const char *place, sp_algorithm *out, sp_error *error)
{
    sp_status status = SP_OK;
    sp_program *program = sp_arena_alloc(arena, 1, sizeof *program);
    sp_foreign *foreign = sp_arena_alloc(arena, 1, sizeof *foreign);
    NEED(program);
    NEED(foreign);
    SP_TRY(sp_program_find(arena, e, place, program, error));
    *foreign = (sp_foreign){ .run = sp_program_run, .context = program, .content = program->content, .apart = true };
    *out = (sp_algorithm){
        .name = "external", .summary = sp_arena_format(arena, "the program %s", e->command), .when = "where its author says",
        .source = "ours", .releases = "what the program asks for", .params = e->params, .foreign = foreign,
    };
    NEED(out->summary);
cleanup:
    return status;
}

const char *sp_external_file(const sp_algorithm *algorithm, size_t i)
{
    const sp_foreign *foreign = algorithm->foreign;
    if (!foreign || foreign->run != sp_program_run)
        return NULL;
    const sp_program_file *file = ((const sp_program *)foreign->context)->files;
    while (file && i-- > 0)
        file = file->next;
    return file ? file->path : NULL;
}
