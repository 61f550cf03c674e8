/*
 * pages.c -- see pages.h.
 *
 * A page begins with its kind, the number of its cells and where each cell starts. The leaves of a table hold its
 * rows. In a table without rowid the cells of inner pages are rows too. A row that is too long for its cell continues
 * in a chain of pages. Numbers are big-endian. A damaged file may say anything: offsets, page numbers and the number
 * of pages read for one row are checked.
 */
#include "core/store/pages.h"

#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    INDEX_INNER = 2, INDEX_LEAF = 10, TABLE_LEAF = 13, /* kinds of pages that hold rows */
    FILE_HEADER = 100,
    USUAL_SIZE = 4096, /* of a page */
    SLACK = 32 /* zeros behind a page: two numbers that begin in it may be read without asking where they end */
};

typedef struct page {
    unsigned char *data;
    const unsigned char *cell; /* offsets of the cells: two bytes each */
    size_t cells, step;        /* how many, and how many were taken */
    unsigned kind;
} page;

struct sp_pages {
    const char *path;
    int file;
    size_t size, usable;   /* bytes of a page */
    uint64_t pages, read;  /* of the file; read for the present row */
    uint64_t turn;         /* pages looked at */
    bool *free;            /* by number of a page: SQLite lists it as unused */
    page at;
    unsigned char *chained, *row; /* a page, and a row put together */
    size_t room;
};

static uint32_t two(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t four(const unsigned char *at)
{
    return two(at) << 16 | two(at + 2);
}

/* A number of 1 to 9 bytes: seven bits each, but for the ninth. */
static const unsigned char *take_number(const unsigned char *at, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++) {
        value = value << 7 | (at[i] & 0x7f);
        if (at[i] < 0x80) {
            *out = value;
            return at + i + 1;
        }
    }
    *out = value << 8 | at[8];
    return at + 9;
}

static sp_status read_page(sp_pages *p, uint64_t number, unsigned char **data, sp_error *error)
{
    if (number < 1 || number > p->pages || p->read++ > p->pages)
        return SP_EDATA;
    if (!*data && !(*data = sp_alloc(p->size + SLACK, 1)))
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", p->path);
    const ssize_t got = pread(p->file, *data, p->size, (off_t)((number - 1) * p->size));
    if (got < 0)
        return sp_fail(error, SP_EIO, "%s: %s (while reading)", p->path, strerror(errno));
    return (size_t)got == p->size ? SP_OK : SP_EDATA;
}

/* SP_EDATA: it is not a page of rows. */
static sp_status look_at(sp_pages *p, uint64_t number, sp_error *error)
{
    page *l = &p->at;
    const sp_status status = read_page(p, number, &l->data, error);
    if (status != SP_OK)
        return status;
    const unsigned char *head = l->data + (number == 1 ? FILE_HEADER : 0);
    l->kind = *head;
    l->cells = two(head + 3);
    l->cell = head + (*head == INDEX_INNER ? 12 : 8);
    const bool rows = *head == INDEX_INNER || *head == INDEX_LEAF || *head == TABLE_LEAF;
    return rows && (size_t)(l->cell - l->data) + 2 * l->cells <= p->usable ? SP_OK : SP_EDATA;
}

/* A row that goes on in other pages: `here` bytes of `size`, then where it goes on. */
static sp_status put_together(sp_pages *p, const unsigned char *at, size_t here, size_t size, sp_error *error)
{
    uint32_t next = four(at + here);
    if (size > p->room) {
        unsigned char *grown = realloc(p->row, size + SLACK);
        if (!grown)
            return sp_fail(error, SP_ENOMEM, "%s: out of memory", p->path);
        p->row = grown;
        p->room = size;
    }
    memcpy(p->row, at, here);
    for (size_t have = here; have < size;) {
        const size_t most = p->usable - 4, more = size - have < most ? size - have : most;
        const sp_status status = read_page(p, next, &p->chained, error);
        if (status != SP_OK)
            return status;
        memcpy(p->row + have, p->chained + 4, more);
        next = four(p->chained);
        have += more;
    }
    memset(p->row + size, 0, SLACK);
    return SP_OK;
}

/* The row of a cell, in the page or in p->row. */
static sp_status find_row(sp_pages *p, const page *l, size_t cell, const unsigned char **row, size_t *size, uint64_t *id,
                          sp_error *error)
{
    const size_t u = p->usable, where = two(l->cell + 2 * cell), least = (u - 12) * 32 / 255 - 23;
    const size_t most = l->kind == TABLE_LEAF ? u - 35 : (u - 12) * 64 / 255 - 23;
    uint64_t length;
    if (where + 4 > u)
        return SP_EDATA;
    const unsigned char *at = take_number(l->data + where + (l->kind == INDEX_INNER ? 4 : 0), &length);
    if (l->kind == TABLE_LEAF)
        at = take_number(at, id);
    if (length > p->pages * p->size)
        return SP_EDATA;
    const size_t kept = least + (size_t)(length - least) % (u - 4); /* so that the last page of the chain is full */
    const size_t here = length <= most ? (size_t)length : kept <= most ? kept : least;
    if ((size_t)(at - l->data) + here + (here < length ? 4 : 0) > u)
        return SP_EDATA;
    *size = (size_t)length;
    *row = at;
    if (here == length)
        return SP_OK;
    const sp_status status = put_together(p, at, here, (size_t)length, error);
    *row = p->row;
    return status;
}

static int64_t signed_number(const unsigned char *at, size_t bytes)
{
    uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return (int64_t)value;
}

/* A row begins with the length of its own head, in which each column has its type: how long it is, or what it is.
 * Returns the number of its columns, 0 for bytes that are no row of at most `most`. */
static size_t take_columns(const unsigned char *row, size_t size, size_t most, sp_field *value)
{
    static const unsigned char bytes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
    uint64_t head, type;
    const unsigned char *at = take_number(row, &head), *body = row + head;
    size_t columns = 0;
    if (head > size)
        return 0;
    while (at < row + head && columns < most) {
        sp_field *v = &value[columns++];
        at = take_number(at, &type);
        const uint64_t length = type >= 12 ? (type - 12) / 2 : type < 10 ? bytes[type] : UINT64_MAX;
        if (length > (uint64_t)(row + size - body))
            return 0;
        v->bytes = body;
        v->size = (size_t)length;
        if (type >= 12) {
            v->kind = type % 2 ? SP_FIELD_TEXT : SP_FIELD_BYTES;
        } else if (type == 7) {
            const uint64_t bits = (uint64_t)signed_number(body, 8);
            v->kind = SP_FIELD_REAL;
            memcpy(&v->real, &bits, sizeof bits);
        } else {
            v->kind = type == 0 ? SP_FIELD_NULL : SP_FIELD_INTEGER;
            v->integer = type >= 8 ? (int64_t)type - 8 : length > 0 ? signed_number(body, v->size) : 0;
        }
        body += length;
    }
    return at == row + head && body == row + size ? columns : 0;
}

/* The next page that may hold rows; a damaged one has no cells. */
static sp_status next_page(sp_pages *p, sp_error *error)
{
    page *l = &p->at;
    if (p->turn == 2 * p->pages)
        return SP_EABSENT;
    const uint64_t number = p->turn % p->pages + 1, unused = p->turn++ >= p->pages;
    l->cells = l->step = 0;
    if (p->free[number] != unused)
        return SP_OK;
    const sp_status status = look_at(p, number, error);
    if (status == SP_EDATA)
        l->cells = 0;
    return status == SP_EDATA ? SP_OK : status;
}

sp_status sp_pages_next(sp_pages *p, size_t most, sp_field *value, size_t *columns, bool *keyed, uint64_t *id,
                            sp_error *error)
{
    sp_status status = SP_OK;
    page *l = &p->at;
    *columns = 0;
    while (status == SP_OK && *columns == 0) {
        const unsigned char *row = NULL;
        size_t size = 0;
        p->read = 0; /* the limit is that of one row */
        if (l->step == l->cells) {
            status = next_page(p, error);
            continue;
        }
        status = find_row(p, l, l->step++, &row, &size, id, error);
        if (status == SP_OK)
            *columns = take_columns(row, size, most, value);
        status = status == SP_EDATA ? SP_OK : status;
    }
    *keyed = l->kind != TABLE_LEAF;
    return status;
}

/* Pages and their number, as the file's first bytes and its length say. */
static sp_status measure(sp_pages *p, sp_error *error)
{
    unsigned char head[FILE_HEADER];
    struct stat about;
    if (fstat(p->file, &about) != 0)
        return sp_fail(error, SP_EIO, "%s: %s", p->path, strerror(errno));
    const ssize_t got = pread(p->file, head, sizeof head, 0);
    if (got < 0)
        return sp_fail(error, SP_EIO, "%s: %s (while reading)", p->path, strerror(errno));
    if (got < FILE_HEADER)
        return SP_EDATA;
    p->size = two(head + 16) == 1 ? 65536 : two(head + 16);
    p->usable = p->size - head[20];
    if (p->size < 512 || p->usable < 480)
        return SP_EDATA;
    p->pages = (uint64_t)about.st_size / p->size;
    return SP_OK;
}

static sp_status open_pages(const char *path, sp_pages **out, sp_error *error)
{
    sp_pages *p = *out = sp_alloc(1, sizeof *p);
    if (!p)
        return sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    p->path = path;
    p->file = open(path, O_RDONLY | O_CLOEXEC);
    return p->file < 0 ? sp_fail(error, SP_EIO, "%s: %s", path, strerror(errno)) : measure(p, error);
}

/* SQLite lists unused pages in a chain: each names the next one, and pages that hold nothing. A list that cannot be
 * right is not believed: then no page is unused. */
static sp_status find_free(sp_pages *p, sp_error *error)
{
    sp_status status = read_page(p, 1, &p->chained, error);
    bool sound = status == SP_OK;
    for (uint64_t trunk = sound ? four(p->chained + 32) : 0; status == SP_OK && sound && trunk != 0;) {
        status = read_page(p, trunk, &p->chained, error);
        const uint32_t leaves = status == SP_OK ? four(p->chained + 4) : 0;
        sound = status == SP_OK && leaves <= p->usable / 4 - 2;
        for (uint32_t i = 0; sound && i <= leaves; i++) {
            const uint64_t number = i == leaves ? trunk : four(p->chained + 8 + 4 * i);
            sound = number >= 1 && number <= p->pages;
            if (sound)
                p->free[number] = true;
        }
        trunk = status == SP_OK ? four(p->chained) : 0;
    }
    if (!sound)
        memset(p->free, 0, p->pages + 1);
    return status == SP_EDATA ? SP_OK : status;
}

sp_status sp_pages_open(const char *path, sp_pages **out, sp_error *error)
{
    sp_status status = open_pages(path, out, error);
    sp_pages *p = *out;
    struct stat about;
    if ((status == SP_OK || status == SP_EDATA) && fstat(p->file, &about) == 0) {
        const bool known = status == SP_OK && (p->size & (p->size - 1)) == 0;
        p->size = p->usable = known ? p->size : USUAL_SIZE; /* a store reserves no bytes, whatever damaged first bytes say */
        p->pages = (uint64_t)about.st_size / p->size;
        status = SP_OK;
    }
    if (status == SP_OK && !(p->free = sp_alloc(p->pages + 1, sizeof *p->free)))
        status = sp_fail(error, SP_ENOMEM, "%s: out of memory", path);
    if (status == SP_OK)
        status = find_free(p, error);
    if (status != SP_OK) {
        sp_pages_close(p);
        *out = NULL;
    }
    return status;
}

void sp_pages_close(sp_pages *p)
{
    if (!p)
        return;
    free(p->at.data);
    free(p->chained);
    free(p->row);
    free(p->free);
    if (p->file >= 0)
        close(p->file);
    free(p);
}
