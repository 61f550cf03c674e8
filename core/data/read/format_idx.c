/* format_idx.c -- reads IDX files, the format of MNIST (LeCun, Cortes & Burges), for images and labels:
 *
 *   0 0 8 k, k sizes of 4 bytes each (the largest byte first), then the unsigned bytes themselves
 *
 * k >= 2 for images, n x height x width; k = 1 for their n labels. */
#include "core/data/read/formats.h"

#include <stdio.h>

enum { SIZE_BYTES = 4, UNSIGNED_BYTE = 8 };

typedef struct array {
    size_t count;               /* images, or labels */
    size_t each;                /* bytes of one */
    const unsigned char *bytes; /* count * each */
} array;

static sp_status open_array(const sp_source *source, bool images, array *out, sp_error *error)
{
    const unsigned char *bytes = (const unsigned char *)source->bytes;
    const size_t size = source->size;
    if (size < SIZE_BYTES || bytes[0] != 0 || bytes[1] != 0)
        return sp_fail(error, SP_EDATA, "%s: not an IDX file", source->name);
    if (bytes[2] != UNSIGNED_BYTE)
        return sp_fail(error, SP_EDATA, "%s: elements of type 0x%02x, only unsigned bytes (0x08) can be read",
                       source->name, bytes[2]);
    const size_t sizes = bytes[3], head = SIZE_BYTES * (1 + sizes);
    if (images ? sizes < 2 : sizes != 1)
        return sp_fail(error, SP_EDATA, "%s: an array of %zu dimensions, expected %s", source->name, sizes,
                       images ? "images (2 or more)" : "labels (1)");
    if (size < head)
        return sp_fail(error, SP_EDATA, "%s: ends within its header (%zu bytes)", source->name, size);
    *out = (array){ 0, 1, bytes + head };
    for (size_t k = 0; k < sizes; k++) {
        const unsigned char *b = bytes + SIZE_BYTES * (1 + k);
        const size_t length = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (k == 0)
            out->count = length;
        else if (length == 0 || out->each > SP_INDEX_MAX / length)
            return sp_fail(error, SP_EDATA, "%s: dimension %zu is %zu: no features, or more than 2^32 - 1",
                           source->name, k + 1, length);
        else
            out->each *= length;
    }
    if (out->count * out->each != size - head) /* both below 2^32 */
        return sp_fail(error, SP_EDATA, "%s: %zu bytes after the header, which announces %zu", source->name,
                       size - head, out->count * out->each);
    return SP_OK;
}

static sp_status read(sp_reading *r, const sp_source *source)
{
    sp_status status = SP_OK;
    array image, label;
    SP_TRY(open_array(&source[0], true, &image, r->error));
    SP_TRY(open_array(&source[1], false, &label, r->error));
    if (image.count != label.count)
        return sp_fail(r->error, SP_EDATA, "%s: %zu labels, but %zu images in %s", source[1].name, label.count,
                       image.count, source[0].name);
    r->scan = (sp_scan){ .name = source[0].name, .error = r->error };
    SP_TRY(sp_reading_width(r, image.each));
    for (size_t i = 0; i < image.count; i++) {
        char text[4];
        for (size_t j = 0; j < image.each; j++)
            SP_TRY(sp_collect(&r->records, j, image.bytes[i * image.each + j] / 255.0));
        const int length = snprintf(text, sizeof text, "%d", label.bytes[i]);
        SP_TRY(sp_reading_end(r, (sp_word_view){ text, (size_t)length }));
    }
cleanup:
    return status;
}

const sp_format_reader sp_read_idx = { .width = 1, .files = 2, .read = read };
