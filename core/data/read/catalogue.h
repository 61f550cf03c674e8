/* catalogue.h -- the public data sets that Stillpoint knows (the table is in catalogue.c): finds, downloads, verifies
 * and caches them.
 *
 * A data set is searched for in the folder named by STILLPOINT_DATA, then among the downloads in the cache, then where
 * its Debian package installs it. The cache is STILLPOINT_CACHE, else XDG_CACHE_HOME/stillpoint, else
 * ~/.cache/stillpoint. A file whose SHA-256 (of the uncompressed bytes) differs from the catalogue's is never kept or
 * used. */
#ifndef SP_DATA_READ_CATALOGUE_H
#define SP_DATA_READ_CATALOGUE_H

#include "core/base/files.h"
#include "core/data/dataset.h"
#include "core/data/read/guess.h"

enum { SP_PARTS_MAX = 4, SP_CLASSES_MAX = 10 };

typedef struct sp_catalogue_part {
    const char *address;   /* URL, or "debian:PACKAGE" (apt-get download, no root needed); NULL: no public address has
                              exactly these bytes, the file is placed in STILLPOINT_DATA by hand */
    const char *member;    /* path inside an archive, or NULL */
    const char *file;      /* base name in STILLPOINT_DATA and in the cache; any of .gz .bz2 .xz .zst may follow */
    const char *sha256;    /* of the uncompressed bytes */
} sp_catalogue_part;

typedef struct sp_catalogue_entry {
    const char *name;                              /* in experiments */
    const char *summary, *citation, *licence;      /* for `describe` and `data info` */
    size_t n, d;                                   /* records and features, asserted after reading */
    size_t positive, negative;                     /* label counts, asserted after reading */
    size_t class_count[SP_CLASSES_MAX];            /* records labelled 0, 1, ...; all 0: there are two classes */
    sp_read_options options;
    sp_catalogue_part part[SP_PARTS_MAX];          /* read one after the other, rows concatenated */
} sp_catalogue_entry;

extern const sp_catalogue_entry sp_catalogue[];
extern const size_t sp_catalogue_count;
const sp_catalogue_entry *sp_catalogue_find(const char *name);

/* The same data set read in another way: stored otherwise, or another pair of its classes ("3" against "8"; NULL: as
 * in the entry; negative NULL beside a positive one: all the others). n and the label counts follow. The words must
 * outlive *out. SP_EINVAL for a class that the set has not. */
sp_status sp_catalogue_vary(const sp_catalogue_entry *, sp_storage, const char *positive, const char *negative,
                            sp_catalogue_entry *out, sp_error *);

/* Is it here, without downloading? SP_OK or SP_EABSENT (with the command that would fetch it). */
sp_status sp_catalogue_present(const sp_catalogue_entry *, sp_error *);
/* Download what is missing, verify, keep. `report` (may be NULL) gets one line a step. */
sp_status sp_catalogue_fetch(const sp_catalogue_entry *, void (*report)(const char *line), sp_error *);
/* From the binary cache (made from the text on first use, keyed by the content hashes and the reader's version;
 * verified at each opening, made again when it is damaged). */
sp_status sp_catalogue_open(const sp_catalogue_entry *, sp_dataset *out, sp_error *);
/* What the records come from: the hash of the hashes of the parts. */
void sp_catalogue_fingerprint(const sp_catalogue_entry *, char out[SP_HASH_HEX]);

/* The same for a file of the user's own. Its fingerprint is the hash of the hashes of the bytes of each file that the
 * options name (as they lie there, compressed or not; the labels' too): all are read once. */
sp_status sp_data_file_fingerprint(const char *path, const sp_read_options *, char out[SP_HASH_HEX], sp_error *);
/* The same; and what `open` (guess.h) leaves open of the options is found from those bytes. Texts are the arena's. */
sp_status sp_data_guess_file(const char *path, unsigned open, sp_arena *, sp_read_options *, char out[SP_HASH_HEX],
                             sp_seen *, sp_error *);
/* The records of this fingerprint: cached under it and the options, else read. SP_EHASH when the files have other bytes
 * by now. */
sp_status sp_data_open_file(const char *path, const sp_read_options *, const char *fingerprint, sp_dataset *out,
                            sp_error *);

/* Directory of the cache, created if need be; a new string. */
sp_status sp_cache_directory(char **out, sp_error *);
/* A file there, at once, in the place of whatever stood there, a pipe perhaps. What cannot be written is not cached. */
void sp_cache_write(const char *path, const sp_piece *pieces, size_t count);

#endif
