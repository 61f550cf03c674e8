/* values.h -- an experiment's table as plain values: what the Lua host gives to the plan.
 *
 * A table is a list { 1e3, 1e4 }, an object { epsilon = 1 }, or a method { "barron", q = 0.5 }: one name and its keys.
 * A list where one value is expected is a sweep: the tree then stands for several trees without lists, its variants.
 * Nodes never change, are shared freely, and belong to an arena. */
#ifndef SP_LUA_VALUES_H
#define SP_LUA_VALUES_H

#include "core/base/param.h"
#include "core/base/arena.h"

typedef enum { SP_NODE_NUMBER, SP_NODE_FLAG, SP_NODE_TEXT, SP_NODE_FUNCTION, SP_NODE_TABLE } sp_node_kind;

struct sp_node;
typedef struct sp_field {
    const char *key;
    const struct sp_node *node;
} sp_field;

typedef struct sp_node {
    sp_node_kind kind;
    const char *path;            /* where it was written: "problem.n[2]", "scales.smoke.replicates" */
    double number;               /* numbers; flags 0, 1 */
    const char *text;
    int function;                /* a handle of the Lua host */
    const struct sp_node **item; /* the values without a key, in order; NULL in a list of numbers */
    const double *numbers;       /* those of a list of numbers and of nothing else, which may be long; or NULL */
    size_t items;
    sp_field *field;             /* the others, sorted by key */
    size_t fields;
    size_t variants;             /* how many trees without lists it stands for; 0: one of its lists is empty */
    bool calls;                  /* it is a function, or holds one */
} sp_node;

bool sp_node_is_list(const sp_node *);   /* a table without keys */
bool sp_node_is_object(const sp_node *); /* a table of keys only */
/* Value i without a key; one of `numbers` as a new node, in the arena. NULL when out of memory. */
const sp_node *sp_node_item(sp_arena *, const sp_node *table, size_t i);
/* "barron" of "barron", { "barron" } and { "barron", q = 0.5 }; NULL when it is not a name or a method. */
const char *sp_node_name(const sp_node *);
const sp_node *sp_node_field(const sp_node *, const char *key); /* NULL when there is none (or no node) */
/* A number, flag or text as text; the text belongs to the arena. NULL when out of memory or not such a value. */
char *sp_node_print(sp_arena *, const sp_node *);

sp_node *sp_node_number(sp_arena *, const char *path, double number);
sp_node *sp_node_text(sp_arena *, const char *path, const char *text);
sp_node *sp_node_object(sp_arena *, const char *path); /* without keys yet */
/* Sets `variants` and `calls` of a table whose items and fields are set. */
void sp_node_close(sp_node *table);
/* `object` with one key more, or replaced; the keys stay sorted. NULL when out of memory, or `value` is NULL. */
sp_node *sp_node_with(sp_arena *, const sp_node *object, const char *key, const sp_node *value);
sp_node *sp_node_without(sp_arena *, const sp_node *table, const char *key);

/* `over` laid on `base`: objects key by key, anything else replaces. NULL when out of memory. */
const sp_node *sp_tree_merge(sp_arena *, const sp_node *base, const sp_node *over);

/* How many variants: the product over keys, the sum over a list's values. Refuses an empty list, or more than limit. */
sp_status sp_tree_count(const sp_node *, size_t limit, size_t *count, sp_error *);
/* Variant k: keys in alphabetical order, the last one varying fastest. NULL when out of memory. */
const sp_node *sp_tree_variant(sp_arena *, const sp_node *, size_t k);

/* Sets the values from the table's keys. Refuses an unknown key, a table or a function where the schema wants one
 * value; keys of kind SP_METHOD are left to the caller. Does not ask for required ones. */
sp_status sp_tree_read(const sp_node *table, sp_values *, sp_error *);

#endif
