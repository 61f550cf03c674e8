/* hints.c -- see hints.h. */
#include "core/lua/hints.h"

#include "core/lua/tokens.h"

#include <string.h>

static const char else_if[] = "else if"; /* Lua wants one more `end` for it, and reports that at the end of the text */

/* A row fits where its tokens follow each other in the line that Lua refuses. The first row that fits is the hint.
 *   <name> <number> <string>  any such token
 *   <value>                   a name, a number, a text, a table, or a minus sign
 *   <open>                    the token before is = , ( or {; it is not part of the match
 *   <start>                   the next token is the first of its line */
static const struct {
    const char *tokens, *hint;
} spellings[] = {
    { "<start> import", "this is Python; an experiment is Lua, imports nothing and returns one table: return { seed = 1, "
                        "... }" },
    { "<start> from <name> import", "this is Python; an experiment is Lua, imports nothing and returns one table" },
    { "<start> def", "a function is written: local function name(x) ... end" },
    { "<start> class", "Lua has no classes: an experiment is one table, return { ... }" },
    { "lambda", "a function is written: function (c) return 1 / c.n end" },
    { "= >", "a function is written: function (c) return 1 / c.n end" },
    { "elif", "elif is written elseif" },
    { "elsif", "elsif is written elseif" },
    { else_if, "else if is written elseif, with one end for the whole chain" },
    { "! =", "!= is written ~=" },
    { "!", "! is written not" },
    { "& &", "&& is written and" },
    { "| |", "|| is written or" },
    { "* *", "** is written ^" },
    { "/ *", "a comment is written -- to the end of the line, or --[[ ... ]]" },
    { "+ =", "+= is written x = x + 1" },
    { "- =", "-= is written x = x - 1" },
    { "* =", "*= is written x = x * 2" },
    { "/ =", "/= is written x = x / 2" },
    { "+ +", "++ is written x = x + 1" },
    { "?", "a ? b : c is written a and b or c" },
    { "\xe2\x80\x9c", "a curly quote: write \"" },
    { "\xe2\x80\x9d", "a curly quote: write \"" },
    { "\xe2\x80\x98", "a curly quote: write \"" },
    { "\xe2\x80\x99", "a curly quote: write \"" },
    { "\xe2\x80\x93", "a dash: write the minus sign -" },
    { "\xe2\x80\x94", "a dash: write the minus sign -" },
    { "\xe2\x88\x92", "a typographic minus: write the minus sign -" },
    { "\xc2\xa0", "a no-break space: write a space" },
    { "\xe2\x80\x8b", "an invisible character (zero-width space): delete it" },
    { "\xef\xbb\xbf", "an invisible character (byte order mark): delete it" },
    { "\xc3\x97", "a multiplication sign: write *" },
    { "`", "a text is written \"...\"" },
    { "<string> :", "a key is written name = value, without quotes and with = (this looks like JSON or Python)" },
    { "for <name> in range", "a loop is written: for i = 1, 10 do ... end" },
    { "for (", "a loop is written: for i = 1, 10 do ... end" },
    { "<start> let <name>", "let is written local" },
    { "<start> var <name>", "var is written local" },
    { "<start> const <name>", "const is written local" },
    { "<name> : <value>", "a key is written name = value, with =" },
    { "<number> : <value>", "an entry is written [1] = value, or without its number in a list { 10, 20 }" },
    { "<name> : :", "a key is written name = value, with =" },
    { "<open> [ <value> ,", "a list is written { 1, 2 }" },
    { "<open> [ <value> ] ,", "a list is written { 1, 2 }" },
    { "<open> [ <value> ] }", "a list is written { 1, 2 }" },
    { "<open> [ [", "a list of lists is written { { 1, 2 }, { 3, 4 } }" },
    { "<open> [ {", "a list is written { ... }" },
    { "<open> [ ]", "an empty list is written {}" },
    { "= [", "a list is written { 1, 2 }" },
    { "return [", "a list is written { 1, 2 }" },
    { "<start> #", "a comment is written -- (# is the length of a list)" },
    { "<open> #", "a comment is written -- (# is the length of a list)" },
    { "<start> //", "a comment is written -- (// is division without a rest)" },
    { "<open> //", "a comment is written -- (// is division without a rest)" },
    { "<number> //", "a comment is written -- (// is division without a rest)" },
    { "<number> #", "a comment is written --" },
    { "<string> #", "a comment is written --" },
    { "} #", "a comment is written --" },
};

static const struct {
    const char *name, *hint;
} names[] = {
    { "True", "True is written true" },       { "TRUE", "TRUE is written true" },
    { "False", "False is written false" },    { "FALSE", "FALSE is written false" },
    { "None", "None is written nil, or the key is left out" },
    { "null", "null is written nil, or the key is left out" },
    { "NULL", "NULL is written nil, or the key is left out" },
    { "undefined", "undefined is written nil, or the key is left out" },
    { "inf", "inf is written math.huge" },    { "Infinity", "Infinity is written math.huge" },
    { "len", "len(x) is written #x" },        { "range", "a list is written { 1, 2, 3 }" },
    { "list", "a list is written { 1, 2, 3 }" }, { "dict", "a table is written { key = value }" },
    { "int", "int(x) is written math.floor(x)" }, { "float", "float(x) is written tonumber(x)" },
    { "str", "str(x) is written tostring(x)" },   { "pow", "pow(x, y) is written x ^ y" },
    { "round", "round(x) is written math.floor(x + 0.5)" },
    { "log10", "log10(x) is written math.log(x, 10)" }, { "log2", "log2(x) is written math.log(x, 2)" },
    { "np", "an experiment has no numpy: math.sqrt, math.log, math.pi" },
    { "numpy", "an experiment has no numpy: math.sqrt, math.log, math.pi" },
    { "torch", "an experiment has no torch: methods are named in algorithms" },
    { "jax", "an experiment has no jax: methods are named in algorithms" },
    { "require", "require is written include \"file.lua\"" },
};

/* `key` is the name in other libraries, `wanted` that in an experiment: a key of the same table, or the path of another place.
 * `table` is the first word of the table's path: "" for the experiment's own keys, "*" for any other table. */
static const struct {
    const char *table, *key, *wanted;
} keys[] = {
    { "", "n", "problem.n" }, { "", "d", "problem.d" }, { "", "loss", "problem.loss" }, { "", "data", "problem.data" },
    { "", "dataset", "problem.data" }, { "", "domain", "problem.domain" }, { "", "epsilon", "privacy.epsilon" },
    { "", "eps", "privacy.epsilon" }, { "", "delta", "privacy.delta" }, { "", "algorithm", "algorithms" },
    { "", "method", "algorithms" }, { "", "methods", "algorithms" }, { "", "optimizer", "algorithms" },
    { "", "optimizers", "algorithms" }, { "", "metrics", "measures" }, { "", "measure", "measures" },
    { "", "runs", "replicates" }, { "", "repeats", "replicates" }, { "", "trials", "replicates" },
    { "", "seeds", "seed, and replicates for the number of runs" }, { "", "plots", "figures" },
    { "", "eta", "algorithms = { { \"name\", eta = ... } }" }, { "", "lr", "algorithms = { { \"name\", eta = ... } }" },
    { "", "steps", "algorithms = { { \"name\", steps = ... } }" },
    { "problem", "epsilon", "privacy.epsilon" }, { "problem", "delta", "privacy.delta" },
    { "problem", "dataset", "data" }, { "problem", "dim", "d" }, { "problem", "dimension", "d" },
    { "problem", "N", "n" }, { "problem", "samples", "n" }, { "problem", "records", "n" },
    { "problem", "L", "problem.declared.L" }, { "problem", "beta", "problem.declared.beta" },
    { "privacy", "eps", "epsilon" }, { "privacy", "n", "problem.n" },
    { "*", "lr", "eta" }, { "*", "learning_rate", "eta" }, { "*", "step_size", "eta" }, { "*", "stepsize", "eta" },
    { "*", "num_epochs", "epochs" }, { "*", "n_epochs", "epochs" }, { "*", "epochs", "steps" },
    { "*", "num_epochs", "steps" }, { "*", "iterations", "steps" }, { "*", "iters", "steps" }, { "*", "n_iter", "steps" },
    { "*", "max_iter", "steps" }, { "*", "num_steps", "steps" }, { "*", "n_steps", "steps" }, { "*", "T", "steps" },
    { "*", "batch_size", "batch" }, { "*", "clip_norm", "clip" }, { "*", "max_grad_norm", "clip" },
    { "*", "l2_norm_clip", "clip" }, { "*", "clip_norm", "problem.declared.L, the bound at which gradients are clipped" },
    { "*", "clip", "problem.declared.L, the bound at which gradients are clipped" },
    { "*", "max_grad_norm", "problem.declared.L, the bound at which gradients are clipped" },
    { "*", "sigma", "privacy.epsilon and privacy.delta, from which the noise follows" },
    { "*", "noise_multiplier", "privacy.epsilon and privacy.delta, from which the noise follows" },
    { "*", "noise_std", "privacy.epsilon and privacy.delta, from which the noise follows" },
};

enum { WINDOW = 5 }; /* tokens of a row at most */

/* Does a word of a row fit the token? */
static bool fits(const char *word, size_t length, const sp_token *token)
{
    static const struct { const char *word; sp_token_kind kind; } kinds[] = {
        { "<name>", SP_TOKEN_NAME }, { "<number>", SP_TOKEN_NUMBER }, { "<string>", SP_TOKEN_STRING },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(kinds[i].word, word, length) == 0 && kinds[i].word[length] == '\0')
            return token->kind == kinds[i].kind;
    if (length == 7 && strncmp(word, "<value>", length) == 0)
        return token->kind == SP_TOKEN_NAME || token->kind == SP_TOKEN_NUMBER || token->kind == SP_TOKEN_STRING ||
               sp_token_is(token, "{") || sp_token_is(token, "[") || sp_token_is(token, "-");
    return token->length == length && memcmp(token->at, word, length) == 0;
}

/* Do the words of a row fit the tokens from the first one on, `before` which another one stands? */
static bool row_fits(const char *pattern, const sp_token *token, size_t count, const sp_token *before)
{
    size_t i = 0;
    for (const char *word = pattern; *word;) {
        const size_t length = strcspn(word, " ");
        if (strncmp(word, "<start>", length) == 0) {
            if (before->kind != SP_TOKEN_END && before->line == token->line)
                return false;
        } else if (strncmp(word, "<open>", length) == 0) {
            if (!sp_token_is(before, "=") && !sp_token_is(before, ",") && !sp_token_is(before, "(") &&
                !sp_token_is(before, "{"))
                return false;
        } else if (i == count || !fits(word, length, &token[i++])) {
            return false;
        }
        word += length + (word[length] == ' ');
    }
    return true;
}

/* Is a token the end of a value, after which a table wants a comma? May the other begin the next value? */
static bool ends_value(const sp_token *t)
{
    return t->kind == SP_TOKEN_NUMBER || t->kind == SP_TOKEN_STRING || sp_token_is(t, "}") || sp_token_is(t, "end") ||
           sp_token_is(t, "true") || sp_token_is(t, "false") || sp_token_is(t, "nil");
}

static bool begins_value(const sp_token *t)
{
    static const char *const operators[] = { "and", "or", "not", "end", "then", "do", "else", "elseif", "until", "in" };
    bool yes = t->kind == SP_TOKEN_NAME || t->kind == SP_TOKEN_NUMBER || t->kind == SP_TOKEN_STRING || sp_token_is(t, "{");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        yes = yes && !sp_token_is(t, operators[i]);
    return yes;
}

/* A table between whose values a comma is missing, up to `line`. */
static bool lacks_comma(const char *text, size_t size, size_t line)
{
    enum { DEPTH = 64 };
    char open[DEPTH] = ""; /* '{', '(', or 'f' of what ends with `end` */
    size_t depth = 0;
    bool lacks = false;
    sp_tokens at = { text, text + size, 1 };
    sp_token before = { SP_TOKEN_END, text, 0, 0 };
    for (sp_token t = sp_token_next(&at); t.kind != SP_TOKEN_END && t.line <= line && !lacks; t = sp_token_next(&at)) {
        const bool name = before.kind == SP_TOKEN_NAME && t.kind == SP_TOKEN_NAME && begins_value(&before);
        lacks = depth > 0 && depth < DEPTH && open[depth - 1] == '{' && t.line + 1 >= line &&
                (ends_value(&before) || (name && !sp_token_is(&before, "function"))) && begins_value(&t);
        if (sp_token_is(&t, "{") || sp_token_is(&t, "(") || sp_token_is(&t, "function") || sp_token_is(&t, "if") ||
            sp_token_is(&t, "do")) {
            if (depth < DEPTH)
                open[depth] = *t.at == '{' || *t.at == '(' ? *t.at : 'f';
            depth++;
        } else if (sp_token_is(&t, "}") || sp_token_is(&t, ")") || sp_token_is(&t, "end")) {
            depth -= depth > 0;
        }
        before = t;
    }
    return lacks;
}

/* For a text that is not Lua as a whole, or lacks its `return`. */
static const char *hint_at_start(const char *text, size_t size, size_t line)
{
    sp_tokens at = { text, text + size, 1 };
    sp_token t[3];
    for (size_t i = 0; i < 3; i++)
        t[i] = sp_token_next(&at);
    if (sp_token_is(&t[0], "{") && t[1].kind == SP_TOKEN_STRING && sp_token_is(&t[2], ":"))
        return "this is JSON; an experiment is Lua: return { seed = 1, ... }, keys without quotes and with =, lists { 1, 2 }";
    if (line <= 2 && t[0].kind == SP_TOKEN_NAME && sp_token_is(&t[1], ":") && t[0].line == 1)
        return "this is YAML; an experiment is Lua: return { seed = 1, problem = { ... }, ... }";
    if (line == t[0].line && (sp_token_is(&t[0], "{") || sp_token_is(&t[0], "[")))
        return "an experiment begins with return: return { ... }";
    return NULL;
}

/* Does the text end in an `end` that closes nothing? */
static bool ends_in_end(const char *text, size_t size)
{
    sp_tokens at = { text, text + size, 1 };
    sp_token last = { SP_TOKEN_END, text, 0, 0 };
    long depth = 0;
    for (sp_token t = sp_token_next(&at); t.kind != SP_TOKEN_END; t = sp_token_next(&at)) {
        depth += sp_token_is(&t, "function") || sp_token_is(&t, "if") || sp_token_is(&t, "do");
        depth -= sp_token_is(&t, "end");
        last = t;
    }
    return depth < 0 && sp_token_is(&last, "end");
}

/* A row that fits at some token of the lines [from, to]. */
static const char *hint_in_lines(const char *text, size_t size, size_t from, size_t to, size_t row)
{
    sp_tokens at = { text, text + size, 1 };
    sp_token window[WINDOW + 1] = { { SP_TOKEN_END, text, 0, 0 } }; /* the first one stands before */
    size_t count = 0;
    const char *hint = NULL;
    for (bool more = true; more && !hint;) {
        for (; count < WINDOW; count++)
            window[count + 1] = sp_token_next(&at);
        more = window[1].kind != SP_TOKEN_END && window[1].line <= to;
        if (more && window[1].line >= from && row_fits(spellings[row].tokens, &window[1], WINDOW, &window[0]))
            hint = spellings[row].hint;
        memmove(window, window + 1, WINDOW * sizeof *window);
        count = WINDOW - 1;
    }
    return hint;
}

const char *sp_hint_spelling(const char *text, size_t size, size_t line)
{
    const size_t rows = sizeof spellings / sizeof *spellings;
    const char *hint = hint_at_start(text, size, line);
    for (size_t row = 0; row < rows && !hint; row++)
        hint = hint_in_lines(text, size, line, line, row);
    for (size_t row = 0; row < rows && !hint; row++) /* Lua often stumbles over the line after */
        hint = hint_in_lines(text, size, line > 1 ? line - 1 : 1, line, row);
    if (!hint && lacks_comma(text, size, line))
        hint = "a comma is missing before it";
    if (!hint && ends_in_end(text, size))
        hint = "one end too many: a text that returns a table ends with }";
    for (size_t row = 0; row < rows && !hint; row++)
        if (spellings[row].tokens == else_if)
            hint = hint_in_lines(text, size, 1, line, row);
    return hint;
}

const char *sp_hint_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].hint;
    return NULL;
}

/* "problem" of "sweeps.a.problem.loss"; "" of the experiment's own table. */
static size_t first_word(const char **path)
{
    while (strncmp(*path, "sweeps.", 7) == 0 || strncmp(*path, "scales.", 7) == 0) {
        const char *name = *path + 7;
        *path = name + strcspn(name, ".");
        *path += **path == '.';
    }
    return strcspn(*path, ".[");
}

const char *sp_hint_key(const char *path, const char *key, const sp_param *known)
{
    const size_t length = first_word(&path);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *table = keys[i].table, *wanted = keys[i].wanted;
        const bool here = *table == '*' ? length > 0 : strlen(table) == length && memcmp(table, path, length) == 0;
        if (!here || strcmp(keys[i].key, key) != 0)
            continue;
        bool found = wanted[strcspn(wanted, ". {")] != '\0'; /* a place elsewhere */
        for (const sp_param *p = known; p && p->key && !found; p++)
            found = strcmp(p->key, wanted) == 0;
        if (found)
            return wanted;
    }
    return NULL;
}
