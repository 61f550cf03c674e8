/* The sentence of `versus`, for boards written by hand: every one that docs/how_to/against_the_field.md promises. */
#include "core/cli/print/ranking_text.h"

#include "tests/check.h"

#include <stdlib.h>

enum { LABELS = 6 };

/* Of label 0 among six on 12 tasks; orders of the five others. */
static void says(const sp_rank *s, const sp_order order[LABELS - 1], const sp_tuned_on *tuned, const char *expected)
{
    const char *label[LABELS] = { "mine", "b", "c", "d", "e", "f" };
    const sp_board b = { .labels = LABELS, .tasks = 12, .label = label };
    sp_dominance row[LABELS] = { { .order = SP_TOO_FEW } };
    sp_text out = { 0 };
    for (size_t l = 1; l < LABELS; l++)
        row[l].order = order[l - 1];
    sp_sentence_append(&b, 0, s, row, tuned, &out);
    CHECK_TEXT(out.data, expected);
    sp_text_free(&out);
}

static void test_sentence(void)
{
    static const sp_order mixed[] = { SP_BETTER, SP_BETTER, SP_WORSE, SP_EQUIVALENT, SP_UNDECIDED };
    static const sp_order apart[] = { SP_TOO_FEW, SP_TOO_FEW, SP_TOO_FEW, SP_UNDECIDED, SP_UNDECIDED };
    const sp_tuned_on nine = { 9, 9, false }, one = { 1, 1, false }, none = { 0, 9, false }, smoke = { 9, 9, true };
    sp_rank s = { .score = { .tasks = 12, .near = { .estimate = 7.0 / 12.0 }, .rank = { .estimate = 0.2385 } },
                  .place = 2,
                      .calls = 238.5, .runs = 240, .audited = "yes" };
    says(
        &s, mixed, &nine,
        "mine: 2nd of 6 by mean rank, within 2x of the best on 7 of 12 tasks; better than 2 of the others, worse than "
        "1, "
        "equivalent to 1, undecided against 1; 238 oracle calls a record; tuned on a grid of 9 points, as the others; "
        "audited\n");
    s.place = 1;
    s.score.failed = 3;
    s.audited = "no";
    says(
        &s, apart, &none,
        "mine: 1st of 6 by mean rank, within 2x of the best on 7 of 12 tasks; better than 0 of the others, worse than "
        "0, "
        "equivalent to 0, undecided against 2, with too little in common with 3; 238 oracle calls a record; 3 of 240 "
        "runs failed; "
        "not tuned: one setting, where the others had 9 to choose from; not audited\n");
    s.place = 3;
    s.score.failed = 0;
    says(
        &s, mixed, &smoke,
        "mine: 3rd of 6 by mean rank, within 2x of the best on 7 of 12 tasks; better than 2 of the others, worse than "
        "1, "
        "equivalent to 1, undecided against 1; 238 oracle calls a record; tuned on a grid of 9 points, as the others; "
        "not audited at the scale smoke\n");
    s.score.rank.estimate = s.calls = NAN; /* alone at its tasks, where it asks for nothing */
    s.audited = "failed";
    s.finding = "sensitivity 2 of a declared 1";
    says(
        &s, mixed, &one,
        "mine: no rank, for nobody else plays its tasks, within 2x of the best on 7 of 12 tasks; better than 2 of the "
        "others, worse "
        "than 1, equivalent to 1, undecided against 1; tuned on a grid of 1 point, as the others; its AUDIT FAILED "
        "(sensitivity 2 "
        "of a declared 1): what it says of privacy is not so\n");
}

static void test_ordinals(void)
{
    static const struct { size_t place; const char *text; } known[] = {
        { 4, "4th" }, { 11, "11th" }, { 12, "12th" }, { 13, "13th" }, { 21, "21st" }, { 22, "22nd" }, { 23, "23rd" },
        { 101, "101st" }, { 111, "111th" },
    };
    const char *label[] = { "mine" };
    const sp_board b = { .labels = 1, .tasks = 1, .label = label };
    const sp_dominance row = { .order = SP_TOO_FEW };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sp_text out = { 0 };
        sp_sentence_append(&b, 0, &(sp_rank){ .place = known[i].place, .audited = "no" }, &row,
                           &(sp_tuned_on){ 9, 9, false }, &out);
        CHECK_CONTAINS(out.data, known[i].text);
        sp_text_free(&out);
    }
}

int main(void)
{
    test_sentence();
    test_ordinals();
    return sp_check_done();
}
