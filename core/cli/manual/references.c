/* references.c -- see references.h. */
#include "core/cli/manual/references.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, a new string. */
static sp_status read_all(const char *path, char **out, sp_error *error)
{
    sp_text text = { 0 };
    char block[4096];
    FILE *file = fopen(path, "re");
    if (!file)
        return sp_fail(error, SP_EABSENT, "%s: %s", path, strerror(errno));
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        sp_text_add(&text, block, got);
    const bool bad = ferror(file);
    fclose(file);
    if (bad || text.failed || !text.data) {
        sp_text_free(&text);
        return sp_fail(error, bad ? SP_EIO : SP_ENOMEM, "%s: %s", path, bad ? "could not be read" : "out of memory");
    }
    *out = text.data;
    return SP_OK;
}

/* --- an entry ------------------------------------------------------------------------------------------------ */

/* The value of "  field = {value}," within the entry; NULL: it has none. *length is that of the value. */
static const char *field(const char *entry, const char *name, size_t *length)
{
    for (const char *line = strchr(entry, '\n'); line; line = strchr(line + 1, '\n')) {
        const char *at = line + 1 + strspn(line + 1, " ");
        if (strncmp(at, name, strlen(name)) != 0)
            continue;
        at += strlen(name);
        at += strspn(at, " ");
        if (*at != '=')
            continue;
        at += 1 + strspn(at + 1, " ");
        const size_t rest = strcspn(at, "\n");
        size_t end = rest;
        while (end > 0 && at[end - 1] != '}')
            end--;
        if (*at != '{' || end < 2)
            return NULL;
        *length = end - 2;
        return at + 1;
    }
    return NULL;
}

/* A family name without braces, backslashes and the accents behind them: "Guzm{\'a}n" is "Guzman". */
static void add_name(sp_text *out, const char *name, size_t length)
{
    for (size_t i = 0; i < length && name[i] != ','; i++) {
        if (name[i] == '\\' && i + 1 < length && !isalpha((unsigned char)name[i + 1]))
            i++;
        else if (name[i] != '{' && name[i] != '}' && name[i] != '\\')
            sp_text_add(out, &name[i], 1);
    }
}

/* "A and B and C" and a year, as "A, B & C 2017" and "A et al. 2017". */
static bool name_entry(sp_reference_entry *entry)
{
    size_t authors = 0, digits = 0;
    const char *author = field(entry->text, "author", &authors), *year = field(entry->text, "year", &digits);
    sp_text names = { 0 }, first = { 0 };
    if (!author || !year || digits != 4)
        return false;
    size_t count = 0;
    for (size_t at = 0; at < authors; count++) {
        const char *and = strstr(author + at, " and ");
        const size_t end = and && and < author + authors ? (size_t)(and - author) : authors;
        if (count > 0)
            sp_text_append(&names, end == authors ? " & " : ", ");
        add_name(&names, author + at, end - at);
        if (count == 0)
            add_name(&first, author + at, end - at);
        at = end == authors ? end : end + strlen(" and ");
    }
    sp_text_append(&names, " %.4s", year);
    sp_text_append(&first, count > 1 ? " et al. %.4s" : " %.4s", year);
    entry->names = names.data;
    entry->first = first.data;
    return !names.failed && !first.failed;
}

sp_status sp_references_read(const char *path, sp_references *out, sp_error *error)
{
    sp_status status = SP_OK;
    *out = (sp_references){ 0 };
    SP_TRY(read_all(path, &out->content, error));
    size_t number = 1, room = 0;
    for (char *line = out->content; line && *line; number++) {
        char *next = strchr(line, '\n');
        if (*line == '@') {
            char *open = strpbrk(line, "{\n"), *key_end = open && *open == '{' ? strpbrk(open, ",\n") : NULL;
            char *end = strstr(line, "\n}\n");
            if (!key_end || *key_end != ',' || !end)
                SP_TRY(sp_fail(error, SP_EDATA, "%s:%zu: not @kind{key, and further lines up to }", path, number));
            if (out->entries == room) {
                room = room ? 2 * room : 64;
                sp_reference_entry *grown = realloc(out->entry, room * sizeof *grown);
                if (!grown)
                    SP_TRY(sp_fail(error, SP_ENOMEM, "%s: out of memory", path));
                out->entry = grown;
            }
            end[2] = '\0';
            sp_reference_entry *entry = &out->entry[out->entries++];
            *entry = (sp_reference_entry){ .text = line };
            const bool named = name_entry(entry);
            char *key = named ? sp_format("%.*s", (int)(key_end - open - 1), open + 1) : NULL;
            entry->key = key;
            if (!named || !key)
                SP_TRY(sp_fail(error, named ? SP_ENOMEM : SP_EDATA, "%s:%zu: an entry needs an author and a year of 4 "
                               "digits", path, number));
            for (const char *c = line; c < end + 2; c++)
                number += *c == '\n';
            next = end + 2;
        } else if (*line != '%' && *line != '\n') {
            SP_TRY(sp_fail(error, SP_EDATA, "%s:%zu: neither an entry nor a comment", path, number));
        }
        line = next ? next + 1 : NULL;
    }
cleanup:
    return status;
}

void sp_references_free(sp_references *references)
{
    for (size_t i = 0; i < references->entries; i++) {
        free((char *)references->entry[i].key);
        free(references->entry[i].names);
        free(references->entry[i].first);
    }
    free(references->entry);
    free(references->content);
    *references = (sp_references){ 0 };
}

/* --- what a source names --------------------------------------------------------------------------------------- */

/* Is text + at the start of a list of names, not the rest of a longer one? */
static bool starts_names(const char *text, size_t at)
{
    if (at == 0)
        return true;
    if (text[at - 1] != ' ' && text[at - 1] != '(')
        return false;
    return at < 2 || (text[at - 2] != ',' && text[at - 2] != '&');
}

/* Does the text name it with a year that ends there? */
static bool names_up_to(const char *text, size_t end, const char *name)
{
    const size_t length = strlen(name);
    return length <= end && memcmp(text + end - length, name, length) == 0 && starts_names(text, end - length);
}

static bool is_year(const char *text, size_t at)
{
    const bool century = strncmp(text + at, "19", 2) == 0 || strncmp(text + at, "20", 2) == 0;
    return century && isdigit((unsigned char)text[at + 2]) && isdigit((unsigned char)text[at + 3]) &&
           !isalnum((unsigned char)text[at + 4]) && at > 0 && text[at - 1] == ' ';
}

size_t sp_references_cited(const sp_references *references, const char *source, bool *cited)
{
    size_t unknown = 0;
    for (size_t at = 0; source[at]; at++) {
        bool known = false;
        if (!is_year(source, at))
            continue;
        for (size_t i = 0; i < references->entries; i++) {
            const sp_reference_entry *entry = &references->entry[i];
            if (names_up_to(source, at + 4, entry->names) || names_up_to(source, at + 4, entry->first))
                known = cited[i] = true;
        }
        unknown += !known;
    }
    return unknown;
}
