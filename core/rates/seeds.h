/* seeds.h -- an experiment that `run --seeds K` repeated with K seeds: where the tables of each seed are, and whether
 * they belong together.
 *
 * The tables of seed 1, the experiment's own, are in its results folder; those of seed k = 2..K in seeds/k below it.
 * seeds.tsv, next to the former, is written when all K are complete. It has one row per seed, with its number, the seed
 * itself and the SHA-256 of the tables from which verdicts are computed (cells.tsv, runs.tsv, tuning.tsv). So tables of
 * a seed that were since made again, by another program or script, are distinguished from those that belong
 * together. */
#ifndef SP_RATES_SEEDS_H
#define SP_RATES_SEEDS_H

#include "core/rates/verdict.h"

enum { SP_SEEDS_MIN = 3, SP_SEEDS_MAX = 1000 };

/* The folder of the tables of seed `number` of an experiment whose results are in `results`; a new string. */
char *sp_seeds_folder(const char *results, size_t number);

/* Writes seeds.tsv: seed[k] is number k + 1. SP_EIO where its tables cannot be read. */
sp_status sp_seeds_write(const char *results, const uint64_t *seed, size_t count, sp_error *);

typedef struct sp_seeds {
    sp_runs *runs;    /* by seed; that of the experiment itself first. Each one knows the next */
    size_t count;     /* 1 without seeds.tsv, and where `stale` says something */
    char stale[256];  /* why the tables of the seeds do not belong together; "" where they do, or there is one seed */
} sp_seeds;

/* The runs in `results`, of an experiment whose own seed is `seed` (series.h), and those of its other seeds. SP_EDATA
 * for a seeds.tsv that sp_seeds_write does not write; else as sp_runs_open. */
sp_status sp_seeds_open(const char *results, uint64_t seed, sp_seeds *, sp_error *);
void sp_seeds_close(sp_seeds *);

/* The verdict over all seeds (verdict.h); NOT_RESOLVED where their tables are stale. */
sp_status sp_seeds_verdict(const sp_seeds *, const sp_claim *, sp_verdict *, sp_error *);

#endif
