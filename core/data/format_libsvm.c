/* format_libsvm.c -- label index:value index:value ... ; the loop that covertype's 7 million numbers go through. */
#include "core/data/decimal.h"
#include "core/data/formats.h"

/* Says what is wrong with the feature at `at`, the slow way. */
static sp_status refuse(sp_reading *r, const char *at, size_t before, size_t most)
{
    sp_status status = SP_OK;
    sp_scan *scan = &r->scan;
    sp_word_view word;
    size_t index = 0;
    double value = 0.0;
    scan->at = at;
    sp_scan_word(scan, ':', &word);
    SP_TRY(sp_scan_count(scan, "index", word, most, &index));
    if (index == before)
        return sp_scan_fail(scan, "index %zu twice", index);
    if (index < before)
        return sp_scan_fail(scan, "index %zu after %zu: indices must ascend", index, before);
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

static sp_status record(sp_reading *r)
{
    sp_word_view label;
    double own, number;
    const size_t most = r->options->d ? r->options->d : SP_INDEX_MAX;
    sp_scan_word(&r->scan, ' ', &label);
    sp_status status = sp_scan_number(&r->scan, "label", label, &own);
    if (status != SP_OK)
        return status;

    const char *at = r->scan.at, *const end = r->scan.end;
    size_t before = 0;
    for (;;) {
        while (at < end && sp_is_blank(*at))
            at++;
        if (at == end)
            break;
        const char *const feature = at;
        size_t index = 0;
        for (unsigned digit; at < end && (digit = (unsigned)(*at - '0')) <= 9 && index <= most; at++)
            index = 10 * index + digit;
        if (index <= before || index > most || at == end || *at != ':')
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
