/* seal.h -- SEAL, a file in a folder of tables that lists what belongs there: the script, the number of runs, and the
 * hash of each table whose content does not depend on the machine that made the runs.
 *
 *   stillpoint seal  FORMAT
 *   script           PATH  HASH      from the folder that holds results/; SHA-256 of its Lua tokens (core/lua/tokens.h)
 *   include          PATH  HASH      one line for each file that the script includes: its path and hash
 *   asked            RUNS  DIGEST    rows that the plan asks for; SHA-256 of the names of these runs
 *   present          RUNS  DIGEST    rows of runs.tsv; SHA-256 of the names of these runs
 *   failed           RUNS            rows with a status other than "ok"
 *   table            NAME  HASH      one line for each sealed table in the folder: its sp_seal_hash
 *
 * with one tab between the words of a line. The file does not say who made the runs, when, or in how many parts. It
 * does not list traces.tsv: git does not keep that table, and its rows have their own checksums. */
#ifndef SP_BASE_SEAL_H
#define SP_BASE_SEAL_H

#include "core/base/digest.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { SP_SEAL_FORMAT = 1 };
extern const char sp_seal_file[]; /* "SEAL" */

/* One line of a SEAL: the path or name of a file, and its hash. */
typedef struct sp_seal_line {
    const char *name, *hash;
} sp_seal_line;

typedef struct sp_seal {
    unsigned format;          /* 0: there is no SEAL, as beside tables of programs before it */
    size_t asked, present, failed;
    const char *asked_digest, *present_digest;
    sp_seal_line script;
    sp_seal_line *include, *table;
    size_t includes, tables;
    char *text;               /* owns the strings */
    /* over the hashes of the scripts and of all tables except keys.tsv: derived files name it */
    char digest[SP_HASH_HEX];
} sp_seal;

/* SP_EVERSION for a format above SP_SEAL_FORMAT, SP_EDATA for what is not written so. */
sp_status sp_seal_read(const char *folder, sp_seal *, sp_error *);
void sp_seal_free(sp_seal *);

/* Writes SEAL for the tables that are there. `head` has the lines before those of tables. */
sp_status sp_seal_write(const char *folder, const sp_text *head, sp_error *);
/* The first line. */
void sp_seal_begin(sp_text *head);
void sp_seal_add(sp_text *head, const char *kind, const char *name, const char *hash);
void sp_seal_add_count(sp_text *head, const char *kind, size_t count, const char *hash);

/* The absolute path of the folder that contains results/, if `folder` is below a results/; otherwise of the parent of
 * `folder`. A new string; NULL if the folder does not exist or memory runs out. */
char *sp_seal_root(const char *folder);
/* The path of the file relative to that root, with "../" where it is not below the root; a new string, NULL as
 * above. */
char *sp_seal_path(const char *folder, const char *path);

/* Compares every table with the SEAL. SP_EDATA names the first table that was changed, added or removed. A folder
 * without a SEAL (format 0) passes. */
sp_status sp_seal_check(const char *folder, sp_error *);

/* SHA-256 of a file, after unpacking it if it is packed, without the carriage returns that git writes on some systems.
 * sp_seal_take adds bytes without carriage returns to an sp_hash; it is an sp_take (packed.h). */
sp_status sp_seal_hash(const char *path, char out[SP_HASH_HEX], sp_error *);
bool sp_seal_take(void *hash, const void *bytes, size_t count);

#endif
