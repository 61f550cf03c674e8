/*
 * match.c -- finds the matching cells of two labels (match.h).
 *
 * Cells are joined by sorting: the cells of the base are sorted by the columns that must agree, and for each cell of
 * the label the range of equal ones is searched for. If cells may lack an axis of privacy, the columns that must agree
 * depend on the axes that the two cells lack: cells of one kind lack the same axes, and there are few kinds.
 */
#include "core/contest/match.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL, BASE, SIDES };

typedef struct place { /* a cell */
    size_t row;        /* its first */
    size_t kind;       /* which axes of privacy the cell lacks */
    bool exact, found; /* the other label is at its very point; it has a match */
} place;

typedef struct side {
    place *cell;
    size_t cells;
    size_t *kind; /* row of one cell of each kind */
    size_t kinds;
    bool *swept;  /* by column: a parameter of the algorithm's that has several values at one point */
} side;

typedef struct pair {
    place *label, *base;
} pair;

typedef struct matching {
    const sp_runs *runs;
    const sp_table *table; /* of the runs */
    side side[SIDES];
    bool *shared;          /* by column: both sides sweep it */
    bool *joined;          /* by column: cells have to agree there */
    place **sorted;        /* cells of one side, by the joined columns */
    pair *pair;            /* found so far */
    size_t pairs, room;    /* room: of `pair` */
    bool *told;            /* by column: it tells points apart */
    size_t family;         /* column; as many as there are: none */
    sp_matches *out;
} matching;

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *text_of(const matching *m, size_t row, size_t column)
{
    return sp_runs_text(m->runs, row, column);
}

static bool lacks(const matching *m, size_t row, size_t column)
{
    return sp_table_empty(m->table, row, column) &&
           strcmp(text_of(m, row, column), sp_table_text(m->table, row, column)) == 0;
}

static bool differ(const matching *m, size_t a, size_t b, size_t column)
{
    return strcmp(text_of(m, a, column), text_of(m, b, column)) != 0;
}

/* "algorithm" or "algorithm.eta" */
static bool is_own(const matching *m, size_t column)
{
    return m->runs->axis[column] && has_prefix(m->table->column[column], "algorithm");
}

static bool is_privacy(const matching *m, size_t column)
{
    return m->runs->axis[column] && has_prefix(m->table->column[column], "privacy");
}

/* Joined are the columns that make a point. */
static void join_point(matching *m)
{
    for (size_t c = 0; c < m->table->columns; c++)
        m->joined[c] = m->runs->axis[c] && (m->shared[c] || !is_own(m, c));
}

/* And of privacy only those axes that neither of two cells lacks. */
static void join_present(matching *m, size_t a, size_t b)
{
    join_point(m);
    for (size_t c = 0; c < m->table->columns; c++)
        m->joined[c] = m->joined[c] && !(is_privacy(m, c) && (lacks(m, a, c) || lacks(m, b, c)));
}

static int by_joined(const void *a, const void *b, void *context)
{
    const matching *m = context;
    const size_t x = (*(place *const *)a)->row, y = (*(place *const *)b)->row;
    int order = 0;
    for (size_t c = 0; c < m->table->columns && order == 0; c++)
        if (m->joined[c])
            order = strcmp(text_of(m, x, c), text_of(m, y, c));
    return order;
}

static void sort_places(matching *m, size_t places)
{
    qsort_r(m->sorted, places, sizeof(place *), by_joined, m);
}

/* The replicates of a cell follow each other. */
static void find_cells(const matching *m, size_t begin, size_t end, const char *label, side *s)
{
    for (size_t row = begin; row < end; row++)
        if (strcmp(sp_table_text(m->table, row, m->runs->label), label) == 0 &&
            (row == begin || !sp_runs_same_cell(m->runs, row - 1, row)))
            s->cell[s->cells++] = (place){ .row = row };
}

static void find_swept(matching *m) /* `shared` is all false: a point has none of the algorithm's own */
{
    join_point(m);
    for (side *s = m->side; s < m->side + SIDES; s++) {
        for (size_t i = 0; i < s->cells; i++)
            m->sorted[i] = &s->cell[i];
        sort_places(m, s->cells);
        for (size_t i = 0, first = 0; i < s->cells; i++) {
            if (by_joined(&m->sorted[first], &m->sorted[i], m) != 0)
                first = i;
            for (size_t c = 0; c < m->table->columns; c++)
                s->swept[c] = s->swept[c] || (is_own(m, c) && differ(m, m->sorted[first]->row, m->sorted[i]->row, c));
        }
    }
    for (size_t c = 0; c < m->table->columns; c++)
        m->shared[c] = m->side[LABEL].swept[c] && m->side[BASE].swept[c];
}

static bool varies(const matching *m, const side *s, size_t column)
{
    for (size_t i = 1; i < s->cells; i++)
        if (differ(m, s->cell[0].row, s->cell[i].row, column))
            return true;
    return false;
}

static void find_told(matching *m)
{
    const side *l = &m->side[LABEL], *b = &m->side[BASE];
    for (size_t c = 0; c < m->table->columns; c++)
        m->told[c] = m->runs->axis[c] && c != m->family &&
                     (is_own(m, c) ? l->swept[c] || b->swept[c] : varies(m, l, c) || varies(m, b, c));
}

static char *name_point(const matching *m, size_t label, size_t base)
{
    sp_text text = { 0 };
    for (size_t c = 0; c < m->table->columns; c++) {
        const size_t row = (is_own(m, c) ? m->side[LABEL].swept[c] : !lacks(m, label, c)) ? label : base;
        const char *name = m->table->column[c], *dot = strchr(name, '.');
        if (m->told[c] && !lacks(m, row, c))
            sp_text_append(&text, "%s%s=%s", text.length > 0 ? ", " : "", dot ? dot + 1 : name,
                           text_of(m, row, c));
    }
    if (text.length == 0)
        sp_text_append(&text, "-");
    sp_need_text(&text);
    return text.data;
}

static void add_pair(matching *m, place *label, place *base)
{
    if (m->pairs == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->pair = sp_need(realloc(m->pair, m->room * sizeof *m->pair));
    }
    m->pair[m->pairs++] = (pair){ label, base };
    label->found = base->found = true;
}

/* The first of the sorted places that does not come before this one. */
static size_t find_first(matching *m, size_t places, place *x)
{
    size_t begin = 0, end = places;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (by_joined(&m->sorted[middle], &x, m) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Pairs the cells that agree in the joined columns; with `kind` only those of kind[LABEL] and kind[BASE] that met the
 * other label nowhere at their very point. */
static void join(matching *m, const size_t *kind)
{
    const side *l = &m->side[LABEL], *b = &m->side[BASE];
    size_t places = 0;
    for (place *y = b->cell; y < b->cell + b->cells; y++)
        if (!kind || (!y->exact && y->kind == kind[BASE]))
            m->sorted[places++] = y;
    sort_places(m, places);
    for (place *x = l->cell; x < l->cell + l->cells; x++) {
        if (kind && (x->exact || x->kind != kind[LABEL]))
            continue;
        for (size_t i = find_first(m, places, x); i < places && by_joined(&m->sorted[i], &x, m) == 0; i++)
            add_pair(m, x, m->sorted[i]);
    }
}

static bool lack_alike(const matching *m, size_t a, size_t b)
{
    for (size_t c = 0; c < m->table->columns; c++)
        if (is_privacy(m, c) && lacks(m, a, c) != lacks(m, b, c))
            return false;
    return true;
}

static void find_kinds(const matching *m, side *s)
{
    for (place *x = s->cell; x < s->cell + s->cells; x++) {
        while (x->kind < s->kinds && !lack_alike(m, s->kind[x->kind], x->row))
            x->kind++;
        if (x->kind == s->kinds)
            s->kind[s->kinds++] = x->row;
    }
}

/* In the order of the table */
static int by_row(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return x->base < y->base ? -1 : x->base > y->base;
}

static void match(matching *m)
{
    const side *l = &m->side[LABEL], *b = &m->side[BASE];
    join_point(m);
    join(m, NULL);
    for (const pair *p = m->pair; p < m->pair + m->pairs; p++)
        p->label->exact = p->base->exact = true;
    for (size_t i = 0; i < l->kinds; i++)
        for (size_t k = 0; k < b->kinds; k++) {
            join_present(m, l->kind[i], b->kind[k]);
            join(m, (const size_t[]){ i, k });
        }
    for (const side *s = m->side; s < m->side + SIDES && l->cells > 0 && b->cells > 0; s++)
        for (size_t i = 0; i < s->cells; i++)
            m->out->alone += !s->cell[i].found;
}

static void name_matches(matching *m)
{
    if (m->pairs == 0)
        return;
    qsort(m->pair, m->pairs, sizeof *m->pair, by_row);
    m->out->match = sp_need(sp_alloc(m->pairs, sizeof *m->out->match));
    find_told(m);
    for (const pair *p = m->pair; p < m->pair + m->pairs; p++) {
        char *at = name_point(m, p->label->row, p->base->row);
        m->out->match[m->out->count++] = (sp_match){ p->label->row, p->base->row, at };
    }
}

void sp_match_cells(const sp_runs *runs, size_t begin, size_t end, const char *label, const char *base, size_t family,
                    sp_matches *out)
{
    const size_t columns = runs->table.columns;
    matching m = { .runs = runs, .table = &runs->table, .family = family, .out = out };
    side *l = &m.side[LABEL], *b = &m.side[BASE];
    *out = (sp_matches){ 0 };
    l->cell = sp_need(sp_alloc(end - begin, sizeof *l->cell));
    b->cell = sp_need(sp_alloc(end - begin, sizeof *b->cell));
    l->kind = sp_need(sp_alloc(end - begin, sizeof *l->kind));
    b->kind = sp_need(sp_alloc(end - begin, sizeof *b->kind));
    l->swept = sp_need(sp_alloc(columns, sizeof *l->swept));
    b->swept = sp_need(sp_alloc(columns, sizeof *b->swept));
    m.shared = sp_need(sp_alloc(columns, sizeof *m.shared));
    m.joined = sp_need(sp_alloc(columns, sizeof *m.joined));
    m.told = sp_need(sp_alloc(columns, sizeof *m.told));
    m.sorted = sp_need(sp_alloc(end - begin, sizeof *m.sorted));
    find_cells(&m, begin, end, label, l);
    find_cells(&m, begin, end, base, b);
    find_swept(&m);
    find_kinds(&m, l);
    find_kinds(&m, b);
    match(&m);
    name_matches(&m);
    free(l->cell);
    free(b->cell);
    free(l->kind);
    free(b->kind);
    free(l->swept);
    free(b->swept);
    free(m.shared);
    free(m.joined);
    free(m.told);
    free(m.sorted);
    free(m.pair);
}

void sp_matches_free(sp_matches *matches)
{
    for (size_t i = 0; i < matches->count; i++)
        free(matches->match[i].at);
    free(matches->match);
    *matches = (sp_matches){ 0 };
}
