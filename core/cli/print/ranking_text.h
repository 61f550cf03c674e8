/* ranking_text.h -- where methods stand (core/contest/ranking.h), as tables. */
#ifndef SP_CLI_PRINT_RANKING_TEXT_H
#define SP_CLI_PRINT_RANKING_TEXT_H

#include "core/base/text.h"
#include "core/contest/ranking.h"

/* A row a label, the smallest rank first; those that `yours` marks have a star. For scripts with `plain`. */
void sp_ranking_append(const sp_board *, const sp_rank *, const bool *yours, bool plain, sp_text *out);
/* Label a against each other: its row of sp_dominance_row. */
void sp_against_append(const sp_board *, size_t a, const sp_dominance *, bool plain, sp_text *out);

/* How labels came to their parameters. */
typedef struct sp_tuned_on {
    size_t points, points_of_others; /* of a grid; 0: not tuned */
    bool smoke;                      /* the scale, at which nothing is audited */
} sp_tuned_on;

/* Where a label stands in one sentence and a line feed; row: as above. */
void sp_sentence_append(const sp_board *, size_t label, const sp_rank *, const sp_dominance *row, const sp_tuned_on *,
                        sp_text *out);

#endif
