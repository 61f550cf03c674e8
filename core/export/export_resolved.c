/* export_resolved.c -- see export_resolved.h. */
#include "core/export/export_resolved.h"

#include <string.h>

enum { NAME_SIZE = 256 };

/* `begin`: "first." of the parameters of a method within another one. */
static sp_status names_below(const sp_method *method, const char *begin, sp_status (*add)(void *, const char *),
                             void *context)
{
    sp_status status = SP_OK;
    char name[NAME_SIZE];
    for (size_t i = 0; i < method->values.count; i++) {
        const sp_param *p = &method->values.params[i];
        const sp_method *inner = sp_submethod(&method->values, i);
        snprintf(name, sizeof name, "%s%s%s", begin, p->key, inner ? "." : "");
        if (inner)
            SP_TRY(names_below(inner, name, add, context));
        else if (p->kind != SP_METHOD)
            SP_TRY(add(context, name));
    }
cleanup:
    return status;
}

sp_status sp_parameter_names(const sp_method *method, sp_status (*add)(void *, const char *), void *context)
{
    return names_below(method, "", add, context);
}

/* 0.5 of "eta=0.5:theory": what the run resolved of a parameter; false: nothing. */
static bool resolved_by_run(const char *resolved, const char *name, sp_text *out)
{
    const size_t length = strlen(name);
    for (const char *word = resolved ? resolved : ""; *word; word += strcspn(word, " "), word += *word == ' ')
        if (strncmp(word, name, length) == 0 && word[length] == '=') {
            sp_text_add(out, word + length + 1, strcspn(word + length + 1, ": "));
            return true;
        }
    return false;
}

static bool add_value(const sp_values *values, size_t i, sp_text *out)
{
    const sp_param *p = &values->params[i];
    const double number = values->value[i].number;
    const char *word = p->choices;
    char digits[SP_NUMBER_SIZE];
    switch (p->kind) {
    case SP_REAL:
    case SP_COUNT:
        if (!isfinite(number))
            return false;
        sp_text_add_text(out, sp_number(number, digits));
        return true;
    case SP_FLAG:
        if (isfinite(number))
            sp_text_add_text(out, sp_flag(values, i) ? "yes" : "no");
        return isfinite(number);
    case SP_CHOICE:
        for (size_t k = isfinite(number) ? sp_choice(values, i) : 0; word && k > 0; k--)
            word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL;
        if (word && isfinite(number))
            sp_text_add(out, word, strcspn(word, "|"));
        return word && isfinite(number);
    case SP_TEXT:
        sp_text_add_text(out, sp_word(values, i));
        return *sp_word(values, i) != '\0';
    case SP_METHOD:
        break;
    }
    return false;
}

bool sp_parameter_value(const sp_cell *cell, const sp_result *result, const char *name, sp_text *out)
{
    const sp_method *method = cell->method;
    const char *key = name;
    if (resolved_by_run(result->resolved, name, out))
        return true;
    while (method) {
        const size_t length = strcspn(key, ".");
        const sp_method *inner = NULL;
        for (size_t i = 0; i < method->values.count; i++) {
            const char *own = method->values.params[i].key;
            if (strncmp(own, key, length) != 0 || own[length] != '\0')
                continue;
            if (!key[length])
                return add_value(&method->values, i, out);
            inner = sp_submethod(&method->values, i);
        }
        method = inner;
        key += length + (key[length] == '.');
    }
    return false;
}
