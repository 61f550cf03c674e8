/*
 * message.c -- packs a result into one block of bytes (message.h), and unpacks it:
 *
 *   head        the lengths of the block and of its parts, and the sp_result itself, whose pointers are invalid here
 *   resolved    text with its NUL; length 0: there is none
 *   ledger      the same
 *   minimiser   of F*, reference.d doubles, or none
 *   iterate     result.dimension doubles, or none
 *   trace       result.traces points
 */
#include "core/run/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct message_head {
    size_t total, resolved, ledger, minimiser, iterate; /* bytes; total comes first */
    sp_result result;
} message_head;

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

sp_status sp_message_pack(const sp_result *result, char **bytes, size_t *size)
{
    message_head head;
    memset(&head, 0, sizeof head);
    head.resolved = text_size(result->resolved);
    head.ledger = text_size(result->ledger);
    head.result = *result;
    head.minimiser = result->reference.minimiser ? result->reference.d * sizeof *result->reference.minimiser : 0;
    head.iterate = result->iterate ? result->dimension * sizeof *result->iterate : 0;
    head.total = sizeof head + head.resolved + head.ledger + head.minimiser + head.iterate +
                 result->traces * sizeof *result->trace;

    char *out = malloc(head.total), *at = out;
    if (!out)
        return SP_ENOMEM;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    if (head.resolved > 0)
        memcpy(at, result->resolved, head.resolved);
    at += head.resolved;
    if (head.ledger > 0)
        memcpy(at, result->ledger, head.ledger);
    at += head.ledger;
    if (head.minimiser > 0)
        memcpy(at, result->reference.minimiser, head.minimiser);
    at += head.minimiser;
    if (head.iterate > 0)
        memcpy(at, result->iterate, head.iterate);
    at += head.iterate;
    if (result->traces > 0)
        memcpy(at, result->trace, result->traces * sizeof *result->trace);
    *bytes = out;
    *size = head.total;
    return SP_OK;
}

bool sp_message_whole(const char *bytes, size_t size)
{
    size_t total;
    if (size < sizeof total)
        return false;
    memcpy(&total, bytes, sizeof total);
    return size == total;
}

/* The next `count` bytes as a new block; NULL for none. */
static void *take(const char **at, size_t count, bool *failed)
{
    if (count == 0)
        return NULL;
    void *out = malloc(count);
    if (out)
        memcpy(out, *at, count);
    else
        *failed = true;
    *at += count;
    return out;
}

sp_status sp_message_unpack(const char *bytes, size_t size, sp_result *result)
{
    message_head head;
    bool failed = false;
    *result = (sp_result){ 0 };
    if (size < sizeof head)
        return SP_ECRASH;
    memcpy(&head, bytes, sizeof head);
    if (head.total != size || head.result.traces > size || head.resolved > size || head.ledger > size ||
        head.minimiser > size || head.iterate > size)
        return SP_ECRASH;
    if (sizeof head + head.resolved + head.ledger + head.minimiser + head.iterate +
            head.result.traces * sizeof *head.result.trace != size)
        return SP_ECRASH;

    const char *at = bytes + sizeof head;
    *result = head.result;
    result->resolved = take(&at, head.resolved, &failed);
    result->ledger = take(&at, head.ledger, &failed);
    result->reference.minimiser = take(&at, head.minimiser, &failed);
    result->population.minimiser = NULL;
    result->iterate = take(&at, head.iterate, &failed);
    result->trace = take(&at, head.result.traces * sizeof *result->trace, &failed);
    if (failed) {
        sp_result_free(result);
        return SP_ENOMEM;
    }
    return SP_OK;
}
