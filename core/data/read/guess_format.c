/* guess_format.c -- finds the format of a file, and how a CSV separates its fields. */
#include "core/data/read/guess_parts.h"


#include <string.h>
#include <strings.h>

enum { SAMPLE = 100 }; /* first lines that are looked at */

void sp_guess_rewind(sp_guessing *g)
{
    sp_scan_start(&g->scan, g->source->name, g->source->bytes, g->source->size, NULL);
    g->scan.comment = g->options->comment;
}

/* --- format ---------------------------------------------------------------------------------------------------- */

/* index:value, whatever the value is, or qid:value */
static bool is_feature(sp_word_view word)
{
    const char *colon = memchr(word.start, ':', word.length), *const end = word.start + word.length;
    bool digits = colon && colon > word.start;
    size_t commas = 0;
    for (const char *c = word.start; digits && c < colon; c++)
        digits = *c >= '0' && *c <= '9';
    for (const char *c = colon; c && c < end; c++)
        commas += *c == ',' || *c == ';' || *c == '|';
    return (digits || (colon && colon - word.start == 3 && memcmp(word.start, "qid", 3) == 0)) && commas <= 1 &&
           !memchr(colon + 1, ':', (size_t)(end - colon - 1));
}

/* Is the line a label and features, before a comment? *some: it has features. */
static bool is_libsvm_line(sp_scan *scan, bool *some)
{
    sp_word_view word;
    *some = false;
    if (!sp_scan_word(scan, ' ', &word) || memchr(word.start, ',', word.length) || memchr(word.start, ';', word.length))
        return false;
    *some = is_feature(word); /* its label is missing: the reader says so */
    while (sp_scan_word(scan, ' ', &word) && word.length > 0 && *word.start != '#') {
        if (!is_feature(word))
            return false;
        *some = true;
    }
    return true;
}

/* More than half of the first lines are, and some have features. */
static bool looks_libsvm(sp_guessing *g)
{
    size_t lines = 0, like = 0, featured = 0;
    bool more = true, some;
    sp_guess_rewind(g);
    g->scan.comment = '#';
    g->scan.empty_lines = true; /* the reader refuses them */
    while (lines < SAMPLE && sp_scan_line(&g->scan, &more) == SP_OK && more) {
        lines++;
        like += is_libsvm_line(&g->scan, &some);
        featured += some;
    }
    return featured > 0 && 2 * like > lines;
}

static bool looks_arff(sp_guessing *g)
{
    bool more = true;
    sp_word_view word;
    sp_guess_rewind(g);
    g->scan.comment = '%';
    g->scan.empty_lines = true;
    return sp_scan_line(&g->scan, &more) == SP_OK && more && sp_scan_word(&g->scan, ' ', &word) &&
           ((word.length == 9 && strncasecmp(word.start, "@relation", 9) == 0) ||
            (word.length == 10 && strncasecmp(word.start, "@attribute", 10) == 0));
}

/* Three whole numbers, then as many numbers as the second says. */
static bool looks_fann(sp_guessing *g)
{
    size_t size[3], seen = 0;
    bool more = true;
    sp_word_view word;
    double number;
    sp_guess_rewind(g);
    if (sp_scan_line(&g->scan, &more) != SP_OK || !more)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!sp_scan_word(&g->scan, ' ', &word) || sp_scan_count(&g->scan, "", word, 1, UINT32_MAX, &size[i]) != SP_OK)
            return false;
    if (sp_scan_word(&g->scan, ' ', &word) || sp_scan_line(&g->scan, &more) != SP_OK || !more)
        return false;
    for (; sp_scan_word(&g->scan, ' ', &word); seen++)
        if (!sp_word_number(word, &number))
            return false;
    return seen == size[1];
}

static sp_status refuse_foreign(sp_guessing *g, bool text)
{
    const char *foreign = sp_foreign_format(g->source->bytes, g->source->size, text);
    return foreign ? sp_fail(g->error, SP_EDATA, "%s: this is %s", g->source->name, foreign) : SP_OK;
}

sp_status sp_guess_format(sp_guessing *g)
{
    const unsigned char *bytes = (const unsigned char *)g->source->bytes;
    const size_t size = g->source->size;
    const bool open = (g->open & SP_OPEN_FORMAT) != 0;
    sp_status status = SP_OK;
    if (size == 0)
        return sp_fail(g->error, SP_EDATA, "%s: the file is empty", g->source->name);
    if (open && size >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 8)
        g->options->format = SP_FORMAT_IDX;
    else if (!open && g->options->format == SP_FORMAT_IDX)
        return SP_OK;
    else if ((status = refuse_foreign(g, open)) != SP_OK)
        return status;
    else if (memchr(bytes, 0, size < 4096 ? size : 4096))
        return sp_fail(g->error, SP_EDATA,
                       "%s: has NUL bytes: neither text (UTF-16 is not read: iconv -f UTF-16 -t UTF-8) "
                       "nor IDX of unsigned bytes",
                       g->source->name);
    else if (open)
        g->options->format = looks_arff(g)     ? SP_FORMAT_ARFF
                             : looks_fann(g)   ? SP_FORMAT_FANN
                             : looks_libsvm(g) ? SP_FORMAT_LIBSVM
                                               : SP_FORMAT_CSV;
    return SP_OK;
}

/* --- encoding -------------------------------------------------------------------------------------------------- */

/* Bytes of the character that starts at `at`; 0: it is no UTF-8. */
static size_t character(const unsigned char *at, const unsigned char *end)
{
    const size_t size = *at < 0x80                  ? 1
                        : *at >= 0xc2 && *at < 0xe0 ? 2
                        : (*at & 0xf0) == 0xe0      ? 3
                        : *at >= 0xf0 && *at < 0xf5 ? 4
                                                    : 0;
    if (size == 0 || (size_t)(end - at) < size)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

sp_status sp_guess_encoding(sp_guessing *g)
{
    const unsigned char *at = (const unsigned char *)g->source->bytes, *const end = at + g->source->size;
    uint64_t eight;
    size_t line = 1;
    while (at < end) {
        if ((size_t)(end - at) >= sizeof eight && (memcpy(&eight, at, sizeof eight), !(eight & 0x8080808080808080u))) {
            at += sizeof eight;
            continue;
        }
        const size_t size = character(at, end);
        if (size == 0)
            break;
        at += size;
    }
    if (at == end)
        return SP_OK;
    const unsigned char *start = (const unsigned char *)g->source->bytes, *from = start;
    for (const unsigned char *c = start; c < at; c++)
        if (*c == '\n') {
            line++;
            from = c + 1;
        }
    return sp_fail(g->error, SP_EDATA,
                   "%s:%zu: byte 0x%02x (number %zu of the line) is no UTF-8: if the text is in Latin-1, "
                   "iconv -f LATIN1 -t UTF-8 FILE converts it",
                   g->source->name, line, *at, (size_t)(at - from) + 1);
}

/* --- delimiter ------------------------------------------------------------------------------------------------- */

/* How many of the first records have the same number of fields; *fields is that of the first. */
static size_t try_delimiter(sp_guessing *g, char by, size_t *fields, size_t *records)
{
    sp_arena texts = { 0 };
    sp_word_view field;
    size_t alike = 0;
    *fields = *records = 0;
    sp_guess_rewind(g);
    for (bool more = true; *records < SAMPLE && sp_csv_record(&g->scan, by, &more) == SP_OK && more; ++*records) {
        size_t count = 0;
        for (bool further = true; further; count++)
            if (sp_csv_field(&g->scan, by, &texts, &further, &field) != SP_OK)
                goto cleanup;
        *fields = *records == 0 ? count : *fields;
        alike += count == *fields;
    }
cleanup:
    sp_arena_free(&texts);
    return alike;
}

/* The first line as it stands. */
static sp_word_view first_line(sp_guessing *g)
{
    bool more = true;
    sp_guess_rewind(g);
    return sp_scan_line(&g->scan, &more) == SP_OK && more
               ? (sp_word_view){ g->scan.at, (size_t)(g->scan.end - g->scan.at) } : (sp_word_view){ "", 0 };
}

static sp_status one_column(sp_guessing *g)
{
    const sp_word_view first = first_line(g);
    const bool blank = memchr(first.start, ' ', first.length) != NULL;
    return sp_fail(g->error, SP_EDATA,
                   "%s:%zu: no , ; tab or | divides '%.*s': set delimiter%s, or format (a csv has at least "
                   "two columns, a feature and the label)",
                   g->source->name, g->scan.line, sp_word_shown(first), first.start, blank ? " = \" \"" : "");
}

static sp_status find_delimiter(sp_guessing *g)
{
    static const char candidates[] = ",;\t|";
    static const char *const words[] = { "\",\"", "\";\"", "\"\\t\"", "\"|\"" };
    size_t found = 0, which = 0, other = 0, near = 0, most = 1;
    for (size_t i = 0; candidates[i]; i++) {
        size_t fields, records;
        const size_t alike = try_delimiter(g, candidates[i], &fields, &records);
        if (fields >= 2 && alike == records) {
            other = which;
            which = i;
            found++;
        }
        if (fields >= most) {
            most = fields;
            near = i;
        }
    }
    if (found == 1)
        g->options->delimiter = candidates[which];
    else if (found > 1)
        return sp_fail(g->error, SP_EDATA, "%s: %s and %s both give the first lines the same number of fields: set "
                       "delimiter (and decimal = \"comma\" where 1,5 is a number)", g->source->name, words[other],
                       words[which]);
    else if (most > 1) /* the reader says which line is the odd one */
        g->options->delimiter = candidates[near];
    else
        return one_column(g);
    return SP_OK;
}

/* Fields of the first line, or of the first one that is no comment. */
static size_t fields_of_first(sp_guessing *g)
{
    sp_arena texts = { 0 };
    sp_word_view field;
    size_t fields = 0;
    bool more = true, further = true;
    sp_guess_rewind(g);
    if (sp_csv_record(&g->scan, g->options->delimiter, &more) == SP_OK && more)
        for (; further && sp_csv_field(&g->scan, g->options->delimiter, &texts, &further, &field) == SP_OK; fields++)
            ;
    sp_arena_free(&texts);
    return fields;
}

/* The first line begins with #: a comment, or the names of the columns. */
static sp_status guess_comment(sp_guessing *g)
{
    const size_t below = fields_of_first(g);
    g->options->comment = 0;
    const size_t first = fields_of_first(g);
    const sp_word_view line = first_line(g);
    g->options->comment = '#';
    if (first != below)
        return SP_OK;
    return sp_fail(g->error, SP_EDATA,
                   "%s:1: '%.*s' has as many fields as the line below: set comment = \"#\" to pass over "
                   "lines that begin with #, or comment = \"none\" where they are data or names",
                   g->source->name, sp_word_shown(line), line.start);
}

sp_status sp_guess_delimiter(sp_guessing *g)
{
    sp_status status = SP_OK;
    const sp_word_view first = first_line(g);
    const bool comment = g->open & SP_OPEN_COMMENT && first.length > 0 && *first.start == '#';
    if (comment)
        g->options->comment = '#';
    if (g->open & SP_OPEN_DELIMITER)
        SP_TRY(find_delimiter(g));
    if (comment)
        SP_TRY(guess_comment(g));
cleanup:
    return status;
}
