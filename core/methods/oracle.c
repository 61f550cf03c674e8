/* oracle.c -- the oracle in Lua: each call reads its arguments, then makes one call of oracle.h. What that refuses is an
 * error at the line that asked; only that no fresh records are left is an answer, nil. docs/how_to/method_in_lua.md lists them. */
#include "core/methods/userdata.h"

#include "algorithms/algorithm.h"

#include <gsl/gsl_randist.h>
#include <stdarg.h>
#include <stdint.h>

typedef struct door {
    sp_thing thing;
    sp_oracle *o;
    const sp_param *params; /* of the method */
} door;

typedef struct batch {
    sp_thing thing;
    const sp_oracle *of;
    sp_batch batch;
} batch;

typedef struct accumulator {
    sp_thing thing;
    sp_oracle *of;
    sp_accumulator *a;
} accumulator;

/* An error for what the oracle refused. */
static void check(lua_State *L, sp_oracle *o, sp_status status)
{
    if (status == SP_OK)
        return;
    sp_lua_of(L)->refused = status;
    const char *text = sp_oracle_error(o)->text;
    luaL_error(L, "%s", *text ? text : sp_status_text(status));
}

/* The same of a call that records answer: who makes some is in no endless loop, or the budget or the time limit ends
 * it. */
static void check_answer(lua_State *L, sp_oracle *o, sp_status status)
{
    sp_lua_of(L)->steps = 0;
    check(L, o, status);
}

static sp_oracle *self(lua_State *L)
{
    return ((door *)sp_lua_thing(L, 1, SP_THING_ORACLE))->o;
}

static sp_batch batch_at(lua_State *L, int index, const sp_oracle *o)
{
    const batch *b = sp_lua_thing(L, index, SP_THING_BATCH);
    if (b->of != o)
        luaL_argerror(L, index, "a batch of another oracle");
    return b->batch;
}

/* --- tables of keys ------------------------------------------------------------------------------------------ */

static void refuse_unknown(lua_State *L, int index, const char *const *known)
{
    size_t count = 0;
    while (known[count])
        count++;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        bool found = false;
        if (lua_type(L, -2) == LUA_TNUMBER)
            continue; /* a list within */
        const char *key = luaL_tolstring(L, -2, NULL);
        for (size_t i = 0; i < count && !found; i++)
            found = strcmp(known[i], key) == 0;
        if (!found) {
            const char *nearest = sp_nearest(key, known, count);
            luaL_error(L, nearest ? "unknown key '%s'; did you mean %s?" : "unknown key '%s'", key, nearest);
        }
        lua_pop(L, 1);
    }
}

static double number_of(lua_State *L, int table, const char *key, double otherwise)
{
    double out = otherwise;
    if (lua_getfield(L, table, key) != LUA_TNIL) {
        int is_number;
        out = lua_tonumberx(L, -1, &is_number);
        if (!is_number)
            luaL_error(L, "%s: a number expected, got %s", key, luaL_typename(L, -1));
    }
    lua_pop(L, 1);
    return out;
}

static size_t to_count(lua_State *L, double x, const char *key)
{
    if (!(x >= 0.0 && x <= 9007199254740991.0 && x == floor(x)))
        luaL_error(L, "%s = %f: a whole number of at least 0 expected", key, x);
    return (size_t)x;
}

static size_t count_of(lua_State *L, int table, const char *key, size_t otherwise)
{
    return to_count(L, number_of(L, table, key, (double)otherwise), key);
}

static bool flag_of(lua_State *L, int table, const char *key)
{
    const bool out = lua_getfield(L, table, key) != LUA_TNIL && lua_toboolean(L, -1);
    lua_pop(L, 1);
    return out;
}

static size_t word(lua_State *L, const char *text, const char *const *words, const char *key)
{
    size_t count = 0;
    for (; words[count]; count++)
        if (text && strcmp(words[count], text) == 0)
            return count;
    const char *nearest = text ? sp_nearest(text, words, count) : NULL;
    lua_pushstring(L, "");
    for (size_t i = 0; i < count; i++) {
        lua_pushfstring(L, "%s%s", i > 0 ? ", " : "", words[i]);
        lua_concat(L, 2);
    }
    luaL_error(L, nearest ? "%s = \"%s\"; did you mean %s?" : "%s = \"%s\": one of %s expected", key, text ? text : "?",
               nearest ? nearest : lua_tostring(L, -1));
    return 0;
}

static size_t word_of(lua_State *L, int table, const char *key, const char *const *words, size_t otherwise)
{
    const size_t out = lua_getfield(L, table, key) == LUA_TNIL ? otherwise
                                                                : word(L, lua_tostring(L, -1), words, key);
    lua_pop(L, 1);
    return out;
}

/* --- budget and records -------------------------------------------------------------------------------------- */

static const char *const samples[] = { "full", "subset", "fresh", "pass", "poisson", NULL };
static const char *const kinds[] = { "gradient", "difference", "hessian", "mean_loss", "trace", "solution",
                                     "accumulated", "selection", NULL };
static const char *const choosers[] = { "exponential", "noisy_min", "above_threshold", NULL };

static int calibrate(lua_State *L)
{
    static const char *const keys[] = { "kind", "sample", "m", "rate", "reshuffle", "count", "share", "paper",
                                        "chooser", "epsilon", NULL };
    sp_oracle *o = self(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const size_t entries = lua_rawlen(L, 2);
    luaL_argcheck(L, entries > 0, 2, "a list of { kind = ..., count = ... } expected");
    sp_release_plan *plan = lua_newuserdatauv(L, entries * sizeof *plan, 0); /* no script sees these two */
    double *multiplier = lua_newuserdatauv(L, entries * sizeof *multiplier, 0);
    for (size_t e = 0; e < entries; e++) {
        if (lua_rawgeti(L, 2, (lua_Integer)e + 1) != LUA_TTABLE)
            return luaL_argerror(L, 2, "a list of tables expected");
        const int at = lua_gettop(L);
        refuse_unknown(L, at, keys);
        plan[e] = (sp_release_plan){
            .kind = (sp_release_kind)word_of(L, at, "kind", kinds, SP_GRADIENT),
            .sample = { .kind = (sp_sample_kind)word_of(L, at, "sample", samples, SP_SAMPLE_FULL),
                        .m = count_of(L, at, "m", 0), .rate = number_of(L, at, "rate", 0.0),
                        .reshuffle = flag_of(L, at, "reshuffle") },
            .count = count_of(L, at, "count", 1),
            .share = number_of(L, at, "share", 0.0),
            .paper = number_of(L, at, "paper", 0.0),
            .chooser = (sp_chooser)word_of(L, at, "chooser", choosers, SP_CHOOSE_EXPONENTIAL),
            .epsilon = number_of(L, at, "epsilon", 0.0),
        };
        lua_pop(L, 1);
    }
    check(L, o, sp_calibrate(o, plan, entries, multiplier));
    lua_createtable(L, (int)entries, 0);
    for (size_t e = 0; e < entries; e++) {
        lua_pushnumber(L, multiplier[e]);
        lua_rawseti(L, -2, (lua_Integer)e + 1);
    }
    return 1;
}

/* o:draw("full"), ("subset", m), ("fresh", m), ("pass", m, reshuffle), ("poisson", rate) */
static int draw(lua_State *L)
{
    sp_oracle *o = self(L);
    sp_sample sample = { .kind = (sp_sample_kind)word(L, luaL_optstring(L, 2, "full"), samples, "draw") };
    sp_batch drawn;
    if (sample.kind == SP_SAMPLE_POISSON)
        sample.rate = luaL_checknumber(L, 3);
    else if (sample.kind != SP_SAMPLE_FULL)
        sample.m = to_count(L, luaL_checknumber(L, 3), "m");
    sample.reshuffle = lua_toboolean(L, 4);
    const sp_status status = sp_draw(o, sample, &drawn);
    if (status == SP_EDRAINED) {
        lua_pushnil(L);
        return 1;
    }
    check(L, o, status);
    batch *b = sp_lua_new(L, SP_THING_BATCH, sizeof *b);
    b->of = o;
    b->batch = drawn;
    return 1;
}

static int batch_size(lua_State *L)
{
    const batch *b = sp_lua_thing(L, 1, SP_THING_BATCH);
    lua_pushinteger(L, (lua_Integer)sp_batch_size(b->of, b->batch));
    return 1;
}

static int remaining(lua_State *L)
{
    lua_pushnumber(L, sp_remaining(self(L)));
    return 1;
}

/* --- answers ------------------------------------------------------------------------------------------------- */

/* Of a batch, at a vector or at a list of { coefficient, vector }, with bound, normalise and norm from a table. */
static sp_query query_at(lua_State *L, const sp_oracle *o, int records, int points, int options)
{
    static const char *const keys[] = { "bound", "normalise", "norm", NULL };
    static const char *const norms[] = { "l2", "l1", "linf", NULL };
    const size_t d = sp_dimension(o);
    sp_query q = { .batch = batch_at(L, records, o) };
    if (lua_type(L, points) == LUA_TTABLE) {
        q.terms = lua_rawlen(L, points);
        luaL_argcheck(L, q.terms >= 1 && q.terms <= SP_TERMS_MAX, points, "1 to 4 terms { coefficient, vector }");
        for (size_t k = 0; k < q.terms; k++) {
            if (lua_rawgeti(L, points, (lua_Integer)k + 1) != LUA_TTABLE)
                luaL_argerror(L, points, "a vector or a list of { coefficient, vector } expected");
            lua_rawgeti(L, -1, 1);
            lua_rawgeti(L, -2, 2);
            const sp_lua_vector *v = lua_touserdata(L, -1);
            if (lua_type(L, -2) != LUA_TNUMBER || !v || v->thing != SP_THING_VECTOR || v->n != d)
                luaL_argerror(L, points, "a vector or a list of { coefficient, vector } expected");
            q.term[k] = (sp_term){ lua_tonumber(L, -2), v->x }; /* the list keeps the vector alive */
            lua_pop(L, 3);
        }
    } else {
        q.terms = 1;
        q.term[0] = (sp_term){ 1.0, sp_lua_vector_at(L, points, d)->x };
    }
    if (!lua_isnoneornil(L, options)) {
        luaL_checktype(L, options, LUA_TTABLE);
        refuse_unknown(L, options, keys);
        q.bound = number_of(L, options, "bound", 0.0);
        q.normalise = number_of(L, options, "normalise", 0.0);
        q.norm = (sp_norm)word_of(L, options, "norm", norms, SP_NORM_L2);
    }
    return q;
}

static int gradient(lua_State *L)
{
    sp_oracle *o = self(L);
    const sp_query q = query_at(L, o, 2, 3, 5);
    const double multiplier = luaL_checknumber(L, 4);
    sp_lua_vector *g = sp_lua_vector_new(L, sp_dimension(o));
    check_answer(L, o, sp_gradient(o, &q, multiplier, g->x));
    return 1;
}

/* o:difference(batch, w, previous, multiplier) */
static int difference(lua_State *L)
{
    sp_oracle *o = self(L);
    const sp_lua_vector *previous = sp_lua_vector_at(L, 4, sp_dimension(o));
    sp_query q = query_at(L, o, 2, 3, 6);
    luaL_argcheck(L, q.terms == 1, 3, "vector expected");
    q.term[q.terms++] = (sp_term){ -1.0, previous->x };
    const double multiplier = luaL_checknumber(L, 5);
    sp_lua_vector *g = sp_lua_vector_new(L, sp_dimension(o));
    check_answer(L, o, sp_gradient(o, &q, multiplier, g->x));
    return 1;
}

/* The noisy mean of sum_k c_k f(w_k). */
static int mean_loss(lua_State *L)
{
    sp_oracle *o = self(L);
    const sp_query q = query_at(L, o, 2, 3, 5);
    double loss = NAN;
    check_answer(L, o, sp_mean_loss(o, &q, luaL_checknumber(L, 4), &loss));
    lua_pushnumber(L, loss);
    return 1;
}

static int sensitivity(lua_State *L)
{
    sp_oracle *o = self(L);
    const sp_query q = query_at(L, o, 2, 3, 4);
    lua_pushnumber(L, sp_sensitivity(o, &q));
    return 1;
}

/* d * d entries, row after row. */
static int hessian(lua_State *L)
{
    sp_oracle *o = self(L);
    const size_t d = sp_dimension(o);
    const sp_batch b = batch_at(L, 2, o);
    const sp_lua_vector *w = sp_lua_vector_at(L, 3, d);
    const double multiplier = luaL_checknumber(L, 4);
    sp_lua_vector *h = sp_lua_vector_new(L, d * d);
    check_answer(L, o, sp_hessian(o, b, w->x, multiplier, h->x));
    return 1;
}

/* --- accumulators -------------------------------------------------------------------------------------------- */

static const char *const accumulator_noises[] = { "plain", "tree", "honaker", "sqrt", NULL };

static int open_accumulator(lua_State *L)
{
    static const char *const keys[] = { "noise", "adds", "keep", "period", NULL };
    sp_oracle *o = self(L);
    sp_accumulator_noise noise = SP_NOISE_PLAIN;
    sp_accumulator_plan plan = { .keep = 1.0 };
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        refuse_unknown(L, 2, keys);
        noise = (sp_accumulator_noise)word_of(L, 2, "noise", accumulator_noises, SP_NOISE_PLAIN);
        plan = (sp_accumulator_plan){ count_of(L, 2, "adds", 0), number_of(L, 2, "keep", 1.0),
                                      count_of(L, 2, "period", 0) };
    }
    accumulator *a = sp_lua_new(L, SP_THING_ACCUMULATOR, sizeof *a);
    *a = (accumulator){ .thing = SP_THING_ACCUMULATOR, .of = o };
    check(L, o, sp_accumulator_open(o, noise, &plan, &a->a)); /* the oracle frees it */
    return 1;
}

/* a:add(keep, batch, w or terms, options) */
static int accumulator_add(lua_State *L)
{
    accumulator *a = sp_lua_thing(L, 1, SP_THING_ACCUMULATOR);
    const double keep = luaL_checknumber(L, 2);
    const sp_query q = query_at(L, a->of, 3, 4, 5);
    check_answer(L, a->of, sp_accumulator_add(a->a, keep, &q));
    return 0;
}

static int accumulator_release(lua_State *L)
{
    accumulator *a = sp_lua_thing(L, 1, SP_THING_ACCUMULATOR);
    const double noise_std = luaL_checknumber(L, 2);
    sp_lua_vector *out = sp_lua_vector_new(L, sp_dimension(a->of));
    check_answer(L, a->of, sp_accumulator_release(a->a, noise_std, out->x));
    return 1;
}

static int accumulator_restart(lua_State *L)
{
    accumulator *a = sp_lua_thing(L, 1, SP_THING_ACCUMULATOR);
    check(L, a->of, sp_accumulator_restart(a->a));
    return 0;
}

/* o:node_cost("tree", adds, period, keep) */
static int node_cost(lua_State *L)
{
    self(L);
    const size_t noise = word(L, luaL_checkstring(L, 2), accumulator_noises, "noise");
    const size_t adds = to_count(L, luaL_checknumber(L, 3), "adds"), period = to_count(L, luaL_optnumber(L, 4, 0.0),
                                                                                       "period");
    lua_pushnumber(L, sp_node_cost((sp_accumulator_noise)noise, adds, period, luaL_optnumber(L, 5, 1.0)));
    return 1;
}

/* --- choices ------------------------------------------------------------------------------------------------- */

static const double *vector_of(lua_State *L, int table, const char *key, size_t n)
{
    const double *x = NULL;
    if (lua_getfield(L, table, key) != LUA_TNIL) {
        const sp_lua_vector *v = lua_touserdata(L, -1);
        if (!v || v->thing != SP_THING_VECTOR || v->n != n)
            luaL_error(L, "%s: a vector of %d entries expected", key, (int)n);
        x = v->x; /* the table keeps it alive */
    }
    lua_pop(L, 1);
    return x;
}

/* points = { v, ... } side by side, in a userdata that stays on the stack. */
static const double *points_of(lua_State *L, int table, size_t d, size_t *count)
{
    double *x = NULL;
    *count = 0;
    if (lua_getfield(L, table, "points") != LUA_TNIL) {
        luaL_checktype(L, -1, LUA_TTABLE);
        const int list = lua_gettop(L);
        *count = lua_rawlen(L, list);
        if (*count > SIZE_MAX / (d * sizeof *x))
            luaL_error(L, "points: too many");
        x = lua_newuserdatauv(L, *count * d * sizeof *x, 0);
        for (size_t i = 0; i < *count; i++) {
            lua_rawgeti(L, list, (lua_Integer)i + 1);
            const sp_lua_vector *v = lua_touserdata(L, -1);
            if (!v || v->thing != SP_THING_VECTOR || v->n != d)
                luaL_error(L, "points[%d]: a vector of %d entries expected", (int)i + 1, (int)d);
            memcpy(x + i * d, v->x, d * sizeof *x);
            lua_pop(L, 1);
        }
    }
    return x;
}

/* o:choose{ batch = all, points = { ... }, reference = w, epsilon = 0.1 }: the index and the point; nil: no score was
 * below the threshold. */
static int choose(lua_State *L)
{
    static const char *const keys[] = { "batch", "space", "points", "score", "reference", "radius", "accumulator",
                                        "gradient_scale", "curvature_scale", "threshold", "offset", "chooser",
                                        "epsilon", NULL };
    static const char *const spaces[] = { "list", "vertices", NULL };
    static const char *const scores[] = { "loss", "inner_product", "sosp", NULL };
    sp_oracle *o = self(L);
    const size_t d = sp_dimension(o);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    refuse_unknown(L, 2, keys);
    sp_batch all = { 0 };
    if (lua_getfield(L, 2, "batch") != LUA_TNIL)
        all = batch_at(L, -1, o);
    lua_pop(L, 1);
    sp_space space = { .kind = word_of(L, 2, "space", spaces, 0) == 1 ? SP_SPACE_VERTICES : SP_SPACE_LIST };
    space.points = points_of(L, 2, d, &space.count);
    sp_score score = {
        .kind = (sp_score_kind)word_of(L, 2, "score", scores, SP_SCORE_LOSS),
        .reference = vector_of(L, 2, "reference", d),
        .radius = number_of(L, 2, "radius", 0.0),
        .gradient_scale = number_of(L, 2, "gradient_scale", 0.0),
        .curvature_scale = number_of(L, 2, "curvature_scale", 0.0),
        .threshold = number_of(L, 2, "threshold", 0.0),
        .offset = vector_of(L, 2, "offset", space.count),
    };
    if (lua_getfield(L, 2, "accumulator") != LUA_TNIL)
        score.accumulator = ((accumulator *)sp_lua_thing(L, -1, SP_THING_ACCUMULATOR))->a;
    lua_pop(L, 1);
    const sp_chooser chooser = (sp_chooser)word_of(L, 2, "chooser", choosers, SP_CHOOSE_EXPONENTIAL);
    const double epsilon = number_of(L, 2, "epsilon", 0.0);
    size_t index = 0;
    sp_lua_vector *out = sp_lua_vector_new(L, d);
    check_answer(L, o, sp_choose(o, all, &space, &score, chooser, epsilon, out->x, &index));
    if (chooser == SP_CHOOSE_ABOVE_THRESHOLD && index == space.count) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)index + 1);
    lua_insert(L, -2);
    return 2;
}

/* --- nesting ------------------------------------------------------------------------------------------------- */

static int child(lua_State *L)
{
    static const char *const keys[] = { "mode", "share", "pool", "envelope", "gap", "distance", "start", NULL };
    static const char *const modes[] = { "basic", "zcdp", "disjoint", NULL };
    door *parent = sp_lua_thing(L, 1, SP_THING_ORACLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    refuse_unknown(L, 2, keys);
    const sp_child_options options = {
        .mode = (sp_share)word_of(L, 2, "mode", modes, SP_SHARE_BASIC), .share = number_of(L, 2, "share", 1.0),
        .pool = count_of(L, 2, "pool", 0), .envelope = number_of(L, 2, "envelope", 0.0),
        .gap = number_of(L, 2, "gap", 0.0), .distance = number_of(L, 2, "distance", 0.0),
        .start = vector_of(L, 2, "start", sp_dimension(parent->o)),
    };
    door *out = sp_lua_new(L, SP_THING_ORACLE, sizeof *out);
    *out = (door){ .thing = SP_THING_ORACLE, .params = parent->params };
    check(L, parent->o, sp_child(parent->o, &options, &out->o)); /* the parent frees it */
    return 1;
}

/* --- what is public ------------------------------------------------------------------------------------------ */

/* __index of a table of constants; upvalue: their names. */
static int no_constant(lua_State *L)
{
    return luaL_error(L, "there is no constant '%s' (there are: %s)", luaL_tolstring(L, 2, NULL),
                      lua_tostring(L, lua_upvalueindex(1)));
}

static void close_constants(lua_State *L, const char *names)
{
    lua_newtable(L);
    lua_pushstring(L, names);
    lua_pushcclosure(L, no_constant, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* Name and value of each. */
#define CONSTANTS(X)                                                                                          \
    X(radius) X(L_data) X(L) X(beta_data) X(beta) X(largest) X(L_data_linf) X(L_linf) X(beta_data_linf)       \
    X(beta_linf) X(rho_hessian) X(hessian_norm) X(hessian_frobenius) X(weak_convexity) X(diameter) X(distance) \
    X(gap) X(quasar) X(kl_gamma) X(kl_kappa) X(cosines)
#define FLAGS(X) X(convex) X(glm) X(smooth) X(gll) X(strict_saddle)
#define COUNTS(X) X(n) X(d) X(vertices)
#define NAME(name) " " #name
static const char constant_names[] = CONSTANTS(NAME) FLAGS(NAME) COUNTS(NAME);

void sp_lua_push_constants(lua_State *L, const sp_constants *c)
{
    lua_newtable(L);
#define NUMBER(name) (lua_pushnumber(L, c->name), lua_setfield(L, -2, #name));
#define FLAG(name) (lua_pushboolean(L, c->name), lua_setfield(L, -2, #name));
#define COUNT(name) (lua_pushinteger(L, (lua_Integer)c->name), lua_setfield(L, -2, #name));
    CONSTANTS(NUMBER) FLAGS(FLAG) COUNTS(COUNT)
    close_constants(L, constant_names + 1);
}

static int public(lua_State *L)
{
    sp_lua_push_constants(L, sp_public(self(L)));
    return 1;
}

static int budget(lua_State *L)
{
    const sp_budget *b = sp_budget_of(self(L));
    const struct { const char *name; double value; } number[] = {
        { "epsilon", b->epsilon }, { "delta", b->delta }, { "mu", b->mu }, { "rho", b->rho }, { "rho_z", b->rho_z },
        { "pure", b->pure },
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        lua_pushnumber(L, number[i].value);
        lua_setfield(L, -2, number[i].name);
    }
    lua_pushboolean(L, b->noise);
    lua_setfield(L, -2, "noise");
    close_constants(L, "epsilon delta mu rho rho_z pure noise");
    return 1;
}

static int start(lua_State *L)
{
    sp_oracle *o = self(L);
    sp_lua_vector *v = sp_lua_vector_new(L, sp_dimension(o));
    memcpy(v->x, sp_start(o), v->n * sizeof *v->x);
    return 1;
}

static int vector(lua_State *L)
{
    const size_t n = lua_isnoneornil(L, 2) ? sp_dimension(self(L)) : to_count(L, luaL_checknumber(L, 2), "entries");
    sp_lua_vector_new(L, n);
    return 1;
}

static int project(lua_State *L)
{
    sp_oracle *o = self(L);
    sp_domain_project(sp_domain_of(o), sp_lua_vector_at(L, 2, sp_dimension(o))->x);
    return 0;
}

static int uniform(lua_State *L)
{
    lua_pushnumber(L, gsl_rng_uniform(sp_coins(self(L))));
    return 1;
}

static int normal(lua_State *L)
{
    lua_pushnumber(L, gsl_ran_gaussian(sp_coins(self(L)), 1.0));
    return 1;
}

/* --- reporting ----------------------------------------------------------------------------------------------- */

static int checkpoint(lua_State *L)
{
    sp_oracle *o = self(L);
    const size_t step = to_count(L, luaL_checknumber(L, 2), "step");
    check(L, o, sp_checkpoint(o, step, sp_lua_vector_at(L, 3, sp_dimension(o))->x));
    return 0;
}

static int candidate(lua_State *L)
{
    sp_oracle *o = self(L);
    check(L, o, sp_candidate(o, sp_lua_vector_at(L, 2, sp_dimension(o))->x));
    return 0;
}

/* The key has to outlive the run: it is the schema's. */
static int resolved(lua_State *L)
{
    door *d = sp_lua_thing(L, 1, SP_THING_ORACLE);
    const char *key = luaL_checkstring(L, 2);
    const double value = luaL_checknumber(L, 3);
    for (const sp_param *p = d->params; p && p->key; p++)
        if (strcmp(p->key, key) == 0) {
            sp_resolved(d->o, p->key, value, SP_FROM_THEORY);
            return 0;
        }
    return luaL_error(L, "resolved: '%s' is no parameter of this method", key);
}

static int warn(lua_State *L)
{
    sp_warn(self(L), "%s", luaL_checkstring(L, 2));
    return 0;
}

static int misfit(lua_State *L)
{
    sp_lua_of(L)->refused = SP_EMISFIT;
    self(L);
    return luaL_error(L, "%s", luaL_checkstring(L, 2));
}

void sp_lua_open_oracle(lua_State *L, sp_oracle *o, const sp_param *params)
{
    static const luaL_Reg methods[] = {
        { "accumulator", open_accumulator }, { "budget", budget },   { "calibrate", calibrate },
        { "candidate", candidate },          { "checkpoint", checkpoint }, { "child", child },
        { "choose", choose },                { "difference", difference }, { "draw", draw },
        { "gradient", gradient },            { "hessian", hessian }, { "mean_loss", mean_loss },
        { "misfit", misfit },
        { "node_cost", node_cost },          { "normal", normal },   { "project", project },
        { "public", public },                { "remaining", remaining }, { "resolved", resolved },
        { "sensitivity", sensitivity },      { "start", start },     { "uniform", uniform },
        { "vector", vector },                { "warn", warn },       { NULL, NULL },
    };
    static const luaL_Reg of_batch[] = { { "size", batch_size }, { NULL, NULL } };
    static const luaL_Reg of_accumulator[] = { { "add", accumulator_add }, { "release", accumulator_release },
                                               { "restart", accumulator_restart }, { NULL, NULL } };
    lua_newtable(L);
    sp_lua_kind(L, SP_THING_ORACLE, methods);
    lua_newtable(L);
    sp_lua_kind(L, SP_THING_BATCH, of_batch);
    lua_newtable(L);
    sp_lua_kind(L, SP_THING_ACCUMULATOR, of_accumulator);
    door *d = sp_lua_new(L, SP_THING_ORACLE, sizeof *d);
    d->o = o;
    d->params = params;
}
