/* sources.c -- see sources.h. */
#include "core/plan/sources.h"

#include "core/plan/registry.h"

#include <stdio.h>
#include <string.h>

static const char *hash_at(const char *folder, size_t length, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)length, name);
    const char *hash = sp_source_hash(path);
    return hash ? hash : "";
}

const char *sp_source_of(const char *folder, const char *name)
{
    return hash_at(folder, strlen(name), name);
}

void sp_hash_algorithm(sp_hash *hash, const sp_algorithm *algorithm)
{
    sp_hash_text(hash, algorithm->foreign ? algorithm->foreign->content : sp_source_of("algorithms", algorithm->name));
    for (const char *name = algorithm->uses; name && *name; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        sp_hash_text(hash, hash_at("algorithms", length, name));
        name += length;
    }
}

void sp_hash_method(sp_hash *hash, const sp_method *method)
{
    sp_hash_algorithm(hash, method->algorithm);
    for (size_t i = 0; i < method->values.count; i++)
        if (sp_submethod(&method->values, i))
            sp_hash_method(hash, sp_submethod(&method->values, i));
}
