/* foreign.c -- recognises formats that cannot be read (guess_parts.h), and says how to convert them. */
#include "core/data/read/guess_parts.h"

#include <string.h>

#define SPREADSHEET "save the sheet as CSV (UTF-8)"
#define PANDAS "pandas writes it as CSV: pandas."

static const struct {
    const char *bytes;
    size_t size, at; /* where they stand */
    bool text;       /* other texts may begin alike */
    const char *what;
} known[] = {
    { "\x93NUMPY", 6, 0, false,
      "a NumPy array (.npy): numpy.savetxt(\"x.csv\", numpy.load(FILE), delimiter=\",\") writes "
                                "it as CSV" },
    { "PAR1", 4, 0, false, "Parquet: " PANDAS "read_parquet(FILE).to_csv(\"x.csv\", index=False)" },
    { "\x89HDF\r\n\x1a\n", 8, 0, false, "HDF5: " PANDAS "read_hdf(FILE).to_csv(\"x.csv\", index=False), or h5dump" },
    { "ARROW1", 6, 0, false, "Arrow or Feather: " PANDAS "read_feather(FILE).to_csv(\"x.csv\", index=False)" },
    { "FEA1", 4, 0, false, "Feather: " PANDAS "read_feather(FILE).to_csv(\"x.csv\", index=False)" },
    { "ORC", 3, 0, true, "ORC: " PANDAS "read_orc(FILE).to_csv(\"x.csv\", index=False)" },
    { "Obj\x01", 4, 0, false, "Avro: convert it to CSV" },
    { "SQLite format 3\0", 16, 0, false, "an SQLite database: sqlite3 -header -csv FILE 'SELECT * FROM a_table'" },
    { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, 0, false, "an old Excel workbook or another OLE file: " SPREADSHEET },
    { "MATLAB 5.0 MAT", 14, 0, false, "a MATLAB file: writematrix(X, \"x.csv\") writes it as CSV" },
    { "RDX2\n", 5, 0, false, "data of R: write.csv(x, \"x.csv\", row.names = FALSE) writes it as CSV" },
    { "RDX3\n", 5, 0, false, "data of R: write.csv(x, \"x.csv\", row.names = FALSE) writes it as CSV" },
    { "X\n\0\0\0", 5, 0, false, "data of R (.rds): write.csv(readRDS(FILE), \"x.csv\", row.names = FALSE)" },
    { "$FL2", 4, 0, true, "SPSS: " PANDAS "read_spss(FILE).to_csv(\"x.csv\", index=False)" },
    { "<stata_dta>", 11, 0, false, "Stata: " PANDAS "read_stata(FILE).to_csv(\"x.csv\", index=False)" },
    { "%PDF-", 5, 0, false, "a PDF: the data themselves are wanted, as CSV or libsvm" },
    { "\x89PNG\r\n\x1a\n", 8, 0, false, "an image (PNG): images are read as IDX" },
    { "\xff\xd8\xff", 3, 0, false, "an image (JPEG): images are read as IDX" },
    { "GIF8", 4, 0, true, "an image (GIF): images are read as IDX" },
    { "7z\xbc\xaf\x27\x1c", 6, 0, false, "a 7z archive: unpack it" },
    { "Rar!\x1a\x07", 6, 0, false, "a RAR archive: unpack it" },
    { "ustar", 5, 257, false, "a tar archive: unpack it, and name one of its files" },
    { "!<arch>\n", 8, 0, false, "an ar archive or a Debian package: unpack it" },
    { "\x1f\x8b", 2, 0, false, "packed twice, by gzip: unpack it" },
    { "BZh", 3, 0, true, "packed twice, by bzip2: unpack it" },
    { "\xfd" "7zXZ", 5, 0, false, "packed twice, by xz: unpack it" },
    { "\xff\xfe", 2, 0, false, "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE writes it as UTF-8" },
    { "\xfe\xff", 2, 0, false, "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE writes it as UTF-8" },
    { "<!DOCTYPE", 9, 0, true, "a web page: the download gave a page, not the data" },
    { "<!doctype", 9, 0, true, "a web page: the download gave a page, not the data" },
    { "<html", 5, 0, true, "a web page: the download gave a page, not the data" },
    { "<?xml", 5, 0, true, "XML: convert it to CSV" },
    { "{\"", 2, 0, true,
      "JSON: " PANDAS "read_json(FILE).to_csv(\"x.csv\", index=False); lines=True where each line is an "
                        "object" },
    { "{\n", 2, 0, true, "JSON: " PANDAS "read_json(FILE).to_csv(\"x.csv\", index=False)" },
    { "[{", 2, 0, true, "JSON: " PANDAS "read_json(FILE).to_csv(\"x.csv\", index=False)" },
    { "[[", 2, 0, true, "JSON: " PANDAS "read_json(FILE).to_csv(\"x.csv\", index=False)" },
};

static bool holds(const char *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

static const char *zip_of(const char *bytes, size_t size)
{
    if (holds(bytes, size, "xl/workbook") || holds(bytes, size, "xl/worksheets"))
        return "an Excel workbook (.xlsx): " SPREADSHEET;
    if (holds(bytes, size, "opendocument.spreadsheet"))
        return "a spreadsheet (.ods): " SPREADSHEET;
    if (holds(bytes, size, ".npy"))
        return
            "NumPy arrays (.npz): numpy.savetxt(\"x.csv\", numpy.load(FILE)[\"a_name\"], delimiter=\",\") "
            "writes one as CSV";
    return "a zip archive: unpack it, and name one of its files";
}

const char *sp_foreign_format(const char *bytes, size_t size, bool text)
{
    if (size >= 4 && (memcmp(bytes, "PK\x03\x04", 4) == 0 || memcmp(bytes, "PK\x05\x06", 4) == 0))
        return zip_of(bytes, size);
    if (size >= 3 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
        return "a pickle of Python: write its table as CSV from the program that made it";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((text || !known[i].text) && size >= known[i].at + known[i].size &&
            memcmp(bytes + known[i].at, known[i].bytes, known[i].size) == 0)
            return known[i].what;
    return NULL;
}
