/* match.c -- see match.h. */
#include "core/evidence/match.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL, BASE, SIDES };

typedef struct place {
    size_t row;        /* the first of a cell */
    bool exact, found; /* the other label is at its very point; it has a match */
} place;

typedef struct side {
    place *cell;
    size_t cells;
    bool *swept; /* by column: a parameter of the algorithm's that has several values at one point */
} side;

typedef struct matching {
    const sp_runs *runs;
    const sp_table *table; /* of the runs */
    side side[SIDES];
    bool *shared;          /* by column: both sides sweep it */
    sp_matches *out;
} matching;

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool lacks(const matching *m, size_t row, size_t column)
{
    return sp_table_empty(m->table, row, column);
}

static bool differ(const matching *m, size_t a, size_t b, size_t column)
{
    return strcmp(sp_table_text(m->table, a, column), sp_table_text(m->table, b, column)) != 0;
}

/* "algorithm" or "algorithm.eta" */
static bool is_own(const matching *m, size_t column)
{
    return m->runs->axis[column] && has_prefix(m->table->column[column], "algorithm");
}

/* With `loose` an axis of privacy that one of them lacks is no difference. */
static bool at_one_point(const matching *m, size_t a, size_t b, bool loose)
{
    for (size_t c = 0; c < m->table->columns; c++)
        if (m->runs->axis[c] && (m->shared[c] || !is_own(m, c)) && differ(m, a, b, c) &&
            !(loose && has_prefix(m->table->column[c], "privacy") && (lacks(m, a, c) || lacks(m, b, c))))
            return false;
    return true;
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
    for (side *s = m->side; s < m->side + SIDES; s++)
        for (size_t i = 0; i < s->cells; i++)
            for (size_t k = 0; k < i; k++)
                if (at_one_point(m, s->cell[i].row, s->cell[k].row, false))
                    for (size_t c = 0; c < m->table->columns; c++)
                        s->swept[c] = s->swept[c] || (is_own(m, c) && differ(m, s->cell[i].row, s->cell[k].row, c));
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

static char *name_point(const matching *m, size_t label, size_t base)
{
    sp_text text = { 0 };
    const side *l = &m->side[LABEL], *b = &m->side[BASE];
    for (size_t c = 0; c < m->table->columns; c++) {
        const bool told = is_own(m, c) ? l->swept[c] || b->swept[c] : varies(m, l, c) || varies(m, b, c);
        const size_t row = (is_own(m, c) ? l->swept[c] : !lacks(m, label, c)) ? label : base;
        const char *name = m->table->column[c], *dot = strchr(name, '.');
        if (m->runs->axis[c] && told && !lacks(m, row, c))
            sp_text_append(&text, "%s%s=%s", text.length > 0 ? ", " : "", dot ? dot + 1 : name,
                           sp_table_text(m->table, row, c));
    }
    if (text.length == 0)
        sp_text_append(&text, "-");
    if (text.failed)
        sp_text_free(&text);
    return text.data;
}

static sp_status add(matching *m, place *label, place *base)
{
    sp_match *grown = realloc(m->out->match, (m->out->count + 1) * sizeof *grown);
    if (!grown)
        return SP_ENOMEM;
    m->out->match = grown;
    sp_match *added = &grown[m->out->count++];
    *added = (sp_match){ label->row, base->row, name_point(m, label->row, base->row) };
    label->found = base->found = true;
    return added->at ? SP_OK : SP_ENOMEM;
}

static sp_status match(matching *m)
{
    const side *l = &m->side[LABEL], *b = &m->side[BASE];
    for (place *x = l->cell; x < l->cell + l->cells; x++)
        for (place *y = b->cell; y < b->cell + b->cells; y++)
            if (at_one_point(m, x->row, y->row, false))
                x->exact = y->exact = true;
    for (place *x = l->cell; x < l->cell + l->cells; x++)
        for (place *y = b->cell; y < b->cell + b->cells; y++)
            if (at_one_point(m, x->row, y->row, !x->exact && !y->exact) && add(m, x, y) != SP_OK)
                return SP_ENOMEM;
    for (const side *s = m->side; s < m->side + SIDES && l->cells > 0 && b->cells > 0; s++)
        for (size_t i = 0; i < s->cells; i++)
            m->out->alone += !s->cell[i].found;
    return SP_OK;
}

sp_status sp_match_cells(const sp_runs *runs, size_t begin, size_t end, const char *label, const char *base,
                         sp_matches *out)
{
    const size_t columns = runs->table.columns;
    matching m = { .runs = runs, .table = &runs->table, .out = out };
    side *l = &m.side[LABEL], *b = &m.side[BASE];
    *out = (sp_matches){ 0 };
    l->cell = sp_alloc(end - begin, sizeof *l->cell);
    b->cell = sp_alloc(end - begin, sizeof *b->cell);
    l->swept = sp_alloc(columns, sizeof *l->swept);
    b->swept = sp_alloc(columns, sizeof *b->swept);
    m.shared = sp_alloc(columns, sizeof *m.shared);
    sp_status status = l->cell && b->cell && l->swept && b->swept && m.shared ? SP_OK : SP_ENOMEM;
    if (status == SP_OK) {
        find_cells(&m, begin, end, label, l);
        find_cells(&m, begin, end, base, b);
        find_swept(&m);
        status = match(&m);
    }
    free(l->cell);
    free(b->cell);
    free(l->swept);
    free(b->swept);
    free(m.shared);
    if (status != SP_OK)
        sp_matches_free(out);
    return status;
}

void sp_matches_free(sp_matches *matches)
{
    for (size_t i = 0; i < matches->count; i++)
        free(matches->match[i].at);
    free(matches->match);
    *matches = (sp_matches){ 0 };
}
