/* pages.c -- rows taken from the pages of an SQLite file (core/store/pages.h) are those that SQLite itself selects:
 * tables with and without rowid, pages of every size, rows that go on in other pages, numbers of every length. And a
 * file of which bytes are changed, or the end is missing, comes to an end: under the sanitizers, without a byte read
 * where none is. */
#include "core/store/pages.h"

#include "tests/cells.h"
#include "tests/check.h"

#include <sqlite3.h>

enum { ROWS = 700, COLUMNS = 5 };

static const char file[] = "pages.sqlite";

/* The same every time, and spread. */
static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

static void bind_any(sqlite3_stmt *at, int i, uint64_t *state)
{
    static const int longest[] = { 12, 60, 300, 5000, 150000 };
    static char bytes[150000];
    const uint64_t kind = draw(state) % 5,
                   length = draw(state) % (uint64_t)longest[draw(state) % 97 ? draw(state) % 4 : 4];
    for (size_t k = 0; k < length; k += 7)
        bytes[k] = (char)('a' + draw(state) % 26);
    switch (kind) {
    case 0: sqlite3_bind_null(at, i); break;
    case 1: sqlite3_bind_int64(at, i, (sqlite3_int64)(draw(state) << 20) >> draw(state) % 64); break;
    case 2: sqlite3_bind_double(at, i, 2.385 * (double)draw(state)); break;
    case 3: sqlite3_bind_text(at, i, bytes, (int)length, SQLITE_TRANSIENT); break;
    default: sqlite3_bind_blob(at, i, bytes, (int)length, SQLITE_TRANSIENT);
    }
}

/* Two tables of the same columns; rows go in in no order, and some out again. */
static void make_file(int page, uint64_t *state)
{
    static const char *const insert[] = { "INSERT OR REPLACE INTO numbered VALUES (?, ?, ?, ?, ?)",
                                          "INSERT OR REPLACE INTO keyed VALUES (?, ?, ?, ?, ?)" };
    char size[96];
    sqlite3 *db = NULL;
    remove(file);
    CHECK_EQUAL(sqlite3_open(file, &db), SQLITE_OK);
    snprintf(size, sizeof size, "PRAGMA page_size = %d; PRAGMA journal_mode = OFF; BEGIN", page);
    CHECK_EQUAL(sqlite3_exec(db, size, NULL, NULL, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(db, "CREATE TABLE numbered (a INTEGER PRIMARY KEY, b, c, d, e);"
                             "CREATE TABLE keyed (a, b, c, d, e, PRIMARY KEY (a, b)) WITHOUT ROWID", NULL, NULL, NULL),
                             SQLITE_OK);
    for (size_t table = 0; table < 2; table++) {
        sqlite3_stmt *at = NULL;
        CHECK_EQUAL(sqlite3_prepare_v2(db, insert[table], -1, &at, NULL), SQLITE_OK);
        for (size_t row = 0; row < ROWS; row++) {
            sqlite3_bind_int64(at, 1, (sqlite3_int64)(draw(state) >> draw(state) % 44));
            if (table == 1)
                sqlite3_bind_int64(at, 2, (sqlite3_int64)row);
            for (int i = table == 1 ? 3 : 2; i <= COLUMNS; i++)
                bind_any(at, i, state);
            CHECK_EQUAL(sqlite3_step(at), SQLITE_DONE);
            sqlite3_reset(at);
        }
        sqlite3_finalize(at);
    }
    CHECK_EQUAL(sqlite3_exec(db, "DELETE FROM keyed WHERE b % 11 = 3; DELETE FROM numbered WHERE a % 11 = 3; COMMIT",
                             NULL, NULL, NULL),
                SQLITE_OK);
    sqlite3_close(db);
}

static bool same(const sp_field *f, sqlite3_stmt *at, int i)
{
    static const int type[] = { [SP_FIELD_NULL] = SQLITE_NULL,
                                [SP_FIELD_INTEGER] = SQLITE_INTEGER,
                                [SP_FIELD_REAL] = SQLITE_FLOAT,
                                [SP_FIELD_TEXT] = SQLITE_TEXT,
                                [SP_FIELD_BYTES] = SQLITE_BLOB };
    if (type[f->kind] != sqlite3_column_type(at, i))
        return false;
    if (f->kind == SP_FIELD_INTEGER)
        return f->integer == sqlite3_column_int64(at, i);
    if (f->kind == SP_FIELD_REAL)
        return f->real == sqlite3_column_double(at, i);
    return f->kind == SP_FIELD_NULL || (f->size == (size_t)sqlite3_column_bytes(at, i) &&
                                        (f->size == 0 || memcmp(f->bytes, sqlite3_column_blob(at, i), f->size) == 0));
}

/* Is it the row of the table with this key? Deleted rows, and those of sqlite_master, are not. */
static bool is_stored(sqlite3_stmt *at, const sp_field *field)
{
    for (int i = 0; i < sqlite3_bind_parameter_count(at); i++)
        sqlite3_bind_int64(at, i + 1, field[i].integer);
    bool stored = sqlite3_step(at) == SQLITE_ROW;
    for (int i = 0; i < COLUMNS && stored; i++)
        stored = same(&field[i], at, i);
    sqlite3_reset(at);
    return stored;
}

static size_t count_rows(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *at = NULL;
    CHECK_EQUAL(sqlite3_prepare_v2(db, sql, -1, &at, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_step(at), SQLITE_ROW);
    const size_t count = (size_t)sqlite3_column_int64(at, 0);
    sqlite3_finalize(at);
    return count;
}

static void compare(int page)
{
    static const char *const select[] = { "SELECT * FROM numbered WHERE a = ?",
                                          "SELECT * FROM keyed WHERE a = ? AND b = ?" };
    sqlite3 *db = NULL;
    sqlite3_stmt *at[2] = { NULL };
    sp_pages *pages = NULL;
    sp_field field[COLUMNS];
    uint64_t id = 0;
    size_t columns = 0, rows[2] = { 0 };
    bool keyed = false;
    sp_status status;
    CHECK_EQUAL(sqlite3_open(file, &db), SQLITE_OK);
    for (size_t k = 0; k < 2; k++)
        CHECK_EQUAL(sqlite3_prepare_v2(db, select[k], -1, &at[k], NULL), SQLITE_OK);
    CHECK_EQUAL(sp_pages_open(file, &pages, NULL), SP_OK);
    while ((status = sp_pages_next(pages, COLUMNS, field, &columns, &keyed, &id, NULL)) == SP_OK) {
        if (!keyed && columns == COLUMNS && field[0].kind == SP_FIELD_NULL)
            field[0] = (sp_field){ .kind = SP_FIELD_INTEGER, .integer = (int64_t)id };
        if (columns == COLUMNS && field[0].kind == SP_FIELD_INTEGER)
            rows[keyed] += is_stored(at[keyed], field);
    }
    CHECK_EQUAL(status, SP_EABSENT);
    const size_t all[] = { count_rows(db, "SELECT count(*) FROM numbered"),
                           count_rows(db, "SELECT count(*) FROM keyed") };
    for (size_t k = 0; k < 2; k++) {
        SP_CHECK_REPORT(rows[k] >= all[k], "page %d, table %zu: %zu of %zu rows", page, k, rows[k], all[k]);
        CHECK(all[k] > ROWS / 2);
        sqlite3_finalize(at[k]);
    }
    sp_pages_close(pages);
    sqlite3_close(db);
}

static void rows_are_those_of_sqlite(void)
{
    uint64_t state = 2385;
    for (int page = 512; page <= 65536; page *= 2) {
        make_file(page, &state);
        compare(page);
    }
}

/* To the end; returns a sum over the rows and their bytes. */
static uint64_t read_all(void)
{
    sp_field field[COLUMNS];
    sp_pages *pages = NULL;
    uint64_t id, sum = 0;
    size_t columns;
    bool keyed;
    sp_status status = sp_pages_open(file, &pages, NULL);
    for (; status == SP_OK && (status = sp_pages_next(pages, COLUMNS, field, &columns, &keyed, &id, NULL)) == SP_OK;
         sum += 1000003)
        for (size_t i = 0; i < columns; i++)
            for (size_t k = 0; k < field[i].size && (field[i].kind == SP_FIELD_TEXT || field[i].kind == SP_FIELD_BYTES);
                 k++)
                sum += field[i].bytes[k];
    CHECK_EQUAL(status, SP_EABSENT);
    sp_pages_close(pages);
    return sum;
}

static void damage_comes_to_an_end(void)
{
    uint64_t state = 17;
    make_file(1024, &state);
    FILE *made = fopen(file, "r+b");
    CHECK(made && fseek(made, 0, SEEK_END) == 0);
    const uint64_t size = (uint64_t)ftell(made);
    const uint64_t all = read_all();
    size_t noticed = 0;
    for (size_t trial = 0; trial < 400; trial++) { /* most of all heads of pages */
        unsigned char kept[8];
        const uint64_t page = draw(&state) % (size / 1024);
        const long at = (long)(page * 1024 + (trial % 5 ? draw(&state) % 40 : draw(&state) % 1016));
        CHECK(fseek(made, at, SEEK_SET) == 0 && fread(kept, sizeof kept, 1, made) == 1);
        unsigned char changed[sizeof kept];
        for (size_t i = 0; i < sizeof kept; i++)
            changed[i] = draw(&state) % 2 ? kept[i] : (unsigned char)draw(&state);
        CHECK(fseek(made, at, SEEK_SET) == 0 && fwrite(changed, sizeof changed, 1, made) == 1 && fflush(made) == 0);
        noticed += read_all() != all;
        CHECK(fseek(made, at, SEEK_SET) == 0 && fwrite(kept, sizeof kept, 1, made) == 1 && fflush(made) == 0);
    }
    CHECK(noticed > 50);
    CHECK(read_all() == all);
    for (long kept = (long)size - 1; kept > 0; kept = kept * 2 / 3) {
        CHECK(ftruncate(fileno(made), kept) == 0);
        CHECK(read_all() != all);
    }
    fclose(made);
    CHECK_EQUAL(sp_pages_open("absent.sqlite", &(sp_pages *){ NULL }, NULL), SP_EIO);
}

int main(void)
{
    char *folder = cells_folder();
    if (chdir(folder) != 0)
        return 1;
    rows_are_those_of_sqlite();
    damage_comes_to_an_end();
    if (chdir("..") != 0)
        return 1;
    cells_remove(folder);
    return sp_check_done();
}
