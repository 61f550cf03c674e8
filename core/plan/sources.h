/* sources.h -- which sources a result came from, as hashes (cmake/registry.cmake says which file feeds which). */
#ifndef SP_PLAN_SOURCES_H
#define SP_PLAN_SOURCES_H

#include "core/base/hash.h"
#include "core/plan/cell.h"

/* SHA-256 (hex) of what is registered in a folder under that name; "" for what a test made by hand. */
const char *sp_source_of(const char *folder, const char *name);

/* Adds the sources of an algorithm: its own, and those in its `uses`. */
void sp_hash_algorithm(sp_hash *, const sp_algorithm *);
/* Adds the sources of a method: its algorithm's, and those of every method that its values hold. */
void sp_hash_method(sp_hash *, const sp_method *);

#endif
