/* format_libsvm.c -- reads libsvm files: label qid:1 index:value index:value ... # comment. Its inner loop is written
 * for speed (covertype has 7 million numbers). */
#include "core/data/read/decimal.h"
#include "core/data/read/formats.h"

#include <string.h>

/* Says what is wrong with the feature at `at`, the slow way. */
static sp_status refuse(sp_reading *r, const char *at, size_t before, size_t most)
{
    const size_t shift = r->options->zero_based;
    sp_status status = SP_OK;
    sp_scan *scan = &r->scan;
    sp_word_view word;
    size_t index = 0;
    double value = 0.0;
    scan->at = at;
    sp_scan_word(scan, ':', &word);
    bool zero = word.length > 0;
    for (size_t i = 0; i < word.length; i++)
        zero = zero && word.start[i] == '0';
    if (zero && shift == 0)
        return sp_scan_fail(scan, "index '%.*s': indices count from 1 (zero_based = true: from 0)", sp_word_shown(word),
                            word.start);
    SP_TRY(sp_scan_count(scan, "index", word, 1 - shift, most - shift, &index));
    if (index + shift == before)
        return sp_scan_fail(scan, "index %zu twice: leave one of its values out", index);
    if (index + shift < before)
        return sp_scan_fail(scan, "index %zu after %zu: indices must ascend: sort those of each line", index,
                            before - shift);
    if (scan->at == scan->end || *scan->at != ':')
        return sp_scan_fail(scan, "index %zu has no ':' and value", index);
    scan->at++;
    if (scan->at == scan->end || sp_is_blank(*scan->at))
        return sp_scan_fail(scan, "index %zu has no value", index);
    sp_scan_word(scan, ' ', &word);
    SP_TRY(sp_scan_number(scan, "value", word, &value));
cleanup:
    return status;
}

/* The word before the features, and the group of a ranking task behind it, which is passed over. */
static sp_status read_label(sp_reading *r, sp_word_view *label, double *own)
{
    sp_word_view group;
    sp_scan_word(&r->scan, ' ', label);
    if (memchr(label->start, ':', label->length))
        return sp_scan_fail(&r->scan, "'%.*s' stands where the label is wanted", sp_word_shown(*label), label->start);
    const sp_status status = r->positive.text ? SP_OK : sp_scan_number(&r->scan, "label", *label, own);
    while (r->scan.at < r->scan.end && sp_is_blank(*r->scan.at))
        r->scan.at++;
    if (r->scan.end - r->scan.at > 4 && memcmp(r->scan.at, "qid:", 4) == 0)
        sp_scan_word(&r->scan, ' ', &group);
    return status;
}

static sp_status record(sp_reading *r)
{
    sp_word_view label;
    double own = 0.0, number;
    const size_t most = r->options->d ? r->options->d : SP_INDEX_MAX, shift = r->options->zero_based;
    sp_status status = read_label(r, &label, &own);
    if (status != SP_OK)
        return status;

    const char *at = r->scan.at, *const end = r->scan.end;
    size_t before = 0;
    for (;;) {
        while (at < end && sp_is_blank(*at))
            at++;
        if (at == end || *at == '#')
            break;
        const char *const feature = at;
        size_t index = 0;
        for (unsigned digit; at < end && (digit = (unsigned)(*at - '0')) <= 9 && index <= most; at++)
            index = 10 * index + digit;
        index += shift;
        if (at == feature || index <= before || index > most || at == end || *at != ':')
            return refuse(r, feature, before, most);
        at = sp_decimal_read(at + 1, r->scan.stop, &number);
        if (!at || (at < end && !sp_is_blank(*at)))
            return refuse(r, feature, before, most);
        if ((status = sp_collect(&r->records, index - 1, number)) != SP_OK)
            return status;
        before = index;
    }
    r->d = before > r->d ? before : r->d;
    if (r->positive.text)
        return sp_reading_end(r, label);
    status = sp_collect_end(&r->records, own, true);
    return status == SP_OK ? sp_reading_fits(r, 0) : status;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    bool more;
    sp_scan_start(&r->scan, source->name, source->bytes, source->size, r->error);
    r->scan.comment = '#';
    for (;;) {
        SP_TRY(sp_scan_line(&r->scan, &more));
        if (!more)
            break;
        SP_TRY(record(r));
    }
cleanup:
    return status;
}

const sp_format_reader sp_read_libsvm = { .width = 4, .files = 1, .read = read }; /* " 1:0" */
