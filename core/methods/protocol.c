/* protocol.c -- one run of a program: the first frame, then call and answer until it sends its iterate. docs/how_to/method_as_program.md
 * lists the frames. A frame is
 *
 *   code (4 bytes), bytes of text (4), numbers (8), the numbers (doubles, 8 bytes each), the text,
 *
 * all little-endian. What the oracle refuses is an answer, of code 1; a frame that means nothing ends the run. */
#include "core/methods/external_internal.h"
#include "core/methods/process.h"

#include <endian.h>
#include <gsl/gsl_cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { HEAD = 16, TEXT_MAX = 1 << 10, ACCUMULATORS = 64 };
static const double NUMBERS_MAX = 0x1p27; /* of a frame: 1 GiB */

typedef struct session {
    const sp_program *program;
    sp_oracle *o;
    size_t d;
    sp_process process;
    sp_error *error;       /* of what ends the run */
    uint32_t code;         /* of the call */
    double *in;            /* its numbers */
    size_t count, in_room; /* how many */
    char text[TEXT_MAX + 1];
    char *out;             /* the answer: HEAD bytes, then its numbers, then its text */
    double *answer;        /* where the call writes its numbers: behind the head */
    size_t answers, out_room;
    sp_accumulator *accumulator[ACCUMULATORS];
    size_t accumulators;
    bool nonsense;         /* the call meant nothing: the error says what */
    sp_status refused;     /* what the oracle said to the last call */
    char refusal[512];
} session;

/* --- frames -------------------------------------------------------------------------------------------------- */

static void put(double *numbers, size_t count)
{
    if (htole16(1) == 1)
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        bits = htole64(bits);
        memcpy(&numbers[i], &bits, sizeof bits);
    }
}

/* Room for an answer of so many numbers, of which the call fills all. */
static sp_status room(session *s, size_t numbers)
{
    const size_t size = HEAD + numbers * sizeof(double) + 2 * TEXT_MAX;
    if (size > s->out_room) {
        char *grown = realloc(s->out, size);
        if (!grown)
            return sp_refuse(s->o, SP_ENOMEM, "no memory for an answer of %zu numbers", numbers);
        s->out = grown;
        s->out_room = size;
    }
    s->answer = (double *)(void *)(s->out + HEAD);
    s->answers = numbers;
    return SP_OK;
}

/* The frame whose numbers are in place. */
static sp_status send(session *s, uint32_t code, const char *text)
{
    const size_t length = strlen(text), numbers = s->answers * sizeof(double);
    const uint32_t head[] = { htole32(code), htole32((uint32_t)length) };
    const uint64_t count = htole64(s->answers);
    memcpy(s->out, head, sizeof head);
    memcpy(s->out + sizeof head, &count, sizeof count);
    put(s->answer, s->answers);
    memcpy(s->out + HEAD + numbers, text, length);
    return sp_process_write(&s->process, s->out, HEAD + numbers + length, s->error);
}

static sp_status receive(session *s)
{
    sp_status status = SP_OK;
    const void *bytes;
    uint32_t head[2];
    uint64_t count;
    SP_TRY(sp_process_read(&s->process, HEAD, &bytes, s->error));
    memcpy(head, bytes, sizeof head);
    memcpy(&count, (const char *)bytes + sizeof head, sizeof count);
    const size_t length = le32toh(head[1]);
    s->code = le32toh(head[0]);
    count = le64toh(count);
    if (length > TEXT_MAX || (double)count > NUMBERS_MAX)
        SP_TRY(sp_fail(s->error, SP_EDATA, "it has sent no frame: code %u, %llu numbers, %zu bytes of text", s->code,
                       (unsigned long long)count, length));
    if (count > s->in_room) {
        double *grown = realloc(s->in, count * sizeof *grown);
        if (!grown)
            SP_TRY(sp_fail(s->error, SP_ENOMEM, "out of memory for a frame of %llu numbers", (unsigned long long)count));
        s->in = grown;
        s->in_room = count;
    }
    s->count = count;
    if (count > 0) {
        SP_TRY(sp_process_read(&s->process, count * sizeof *s->in, &bytes, s->error));
        memcpy(s->in, bytes, count * sizeof *s->in);
        put(s->in, count);
    }
    if (length > 0) {
        SP_TRY(sp_process_read(&s->process, length, &bytes, s->error));
        memcpy(s->text, bytes, length);
    }
    s->text[length] = '\0';
cleanup:
    return status;
}

/* --- reading a call ------------------------------------------------------------------------------------------ */

static sp_status means_nothing(session *s, const char *what)
{
    s->nonsense = true;
    sp_fail(s->error, SP_EDATA, "call %u of %zu numbers: %s", s->code, s->count, what);
    return SP_EDATA;
}

static sp_status expect(session *s, size_t count)
{
    return s->count == count ? SP_OK : means_nothing(s, "not so many are expected (docs/how_to/method_as_program.md)");
}

/* A whole number below `end`. */
static sp_status whole(session *s, size_t at, double end, size_t *out)
{
    const double x = s->in[at];
    *out = 0;
    if (!(x >= 0.0 && x < end && x == floor(x)))
        return means_nothing(s, "a number is no whole one, or out of its range");
    *out = (size_t)x;
    return SP_OK;
}

static const double COUNTS_END = 0x1p53;

/* Kind, size or rate, reshuffle. */
static sp_status sample_at(session *s, size_t at, sp_sample *out)
{
    sp_status status = SP_OK;
    size_t kind, m = 0, reshuffle;
    SP_TRY(whole(s, at, SP_SAMPLE_POISSON + 1, &kind));
    if (kind != SP_SAMPLE_POISSON)
        SP_TRY(whole(s, at + 1, COUNTS_END, &m));
    SP_TRY(whole(s, at + 2, 2.0, &reshuffle));
    *out = (sp_sample){ .kind = (sp_sample_kind)kind, .m = m, .rate = kind == SP_SAMPLE_POISSON ? s->in[at + 1] : 0.0,
                        .reshuffle = reshuffle == 1 };
cleanup:
    return status;
}

static sp_status batch_at(session *s, size_t at, sp_batch *out)
{
    return whole(s, at, COUNTS_END, &out->id);
}

static sp_status accumulator_at(session *s, size_t at, sp_accumulator **out)
{
    size_t which;
    const sp_status status = whole(s, at, (double)s->accumulators, &which);
    if (status == SP_OK)
        *out = s->accumulator[which];
    return status;
}

/* --- the calls ----------------------------------------------------------------------------------------------- */

/* An entry: kind, sample (3), count, share, paper, chooser, epsilon. */
static sp_status calibrate(session *s)
{
    enum { ENTRY = 9, ENTRIES = 64 };
    sp_status status = SP_OK;
    sp_release_plan plan[ENTRIES];
    const size_t entries = s->count / ENTRY;
    if (s->count % ENTRY != 0 || entries == 0 || entries > ENTRIES)
        SP_TRY(means_nothing(s, "1 to 64 entries of 9 are expected"));
    for (size_t e = 0; e < entries; e++) {
        const size_t at = e * ENTRY;
        size_t kind, chooser;
        SP_TRY(whole(s, at, SP_SELECTION + 1, &kind));
        SP_TRY(whole(s, at + 7, SP_CHOOSE_ABOVE_THRESHOLD + 1, &chooser));
        plan[e] = (sp_release_plan){ .kind = (sp_release_kind)kind, .share = s->in[at + 5], .paper = s->in[at + 6],
                                     .chooser = (sp_chooser)chooser, .epsilon = s->in[at + 8] };
        SP_TRY(sample_at(s, at + 1, &plan[e].sample));
        SP_TRY(whole(s, at + 4, COUNTS_END, &plan[e].count));
    }
    SP_TRY(room(s, entries));
    status = sp_calibrate(s->o, plan, entries, s->answer);
cleanup:
    return status;
}

static sp_status draw(session *s)
{
    sp_status status = SP_OK;
    sp_sample sample;
    sp_batch batch;
    SP_TRY(expect(s, 3));
    SP_TRY(sample_at(s, 0, &sample));
    SP_TRY(room(s, 2));
    SP_TRY(sp_draw(s->o, sample, &batch));
    s->answer[0] = (double)batch.id;
    s->answer[1] = (double)sp_batch_size(s->o, batch);
cleanup:
    return status;
}

/* Batch, multiplier, bound, normalise, then one point or two, of which the second one has coefficient -1. */
static sp_status answer_at(session *s, size_t points)
{
    sp_status status = SP_OK;
    sp_query q = { .terms = points };
    SP_TRY(expect(s, 4 + points * s->d));
    SP_TRY(batch_at(s, 0, &q.batch));
    q.bound = s->in[2];
    q.normalise = s->in[3];
    for (size_t k = 0; k < points; k++)
        q.term[k] = (sp_term){ k == 0 ? 1.0 : -1.0, s->in + 4 + k * s->d };
    SP_TRY(room(s, s->d));
    status = sp_gradient(s->o, &q, s->in[1], s->answer);
cleanup:
    return status;
}

static sp_status gradient(session *s)
{
    return answer_at(s, 1);
}

static sp_status difference(session *s)
{
    return answer_at(s, 2);
}

static sp_status hessian(session *s)
{
    sp_status status = SP_OK;
    sp_batch batch;
    SP_TRY(expect(s, 2 + s->d));
    SP_TRY(batch_at(s, 0, &batch));
    SP_TRY(room(s, s->d * s->d));
    status = sp_hessian(s->o, batch, s->in + 2, s->in[1], s->answer);
cleanup:
    return status;
}

/* Noise, adds, keep, period. */
static sp_status open_accumulator(session *s)
{
    sp_status status = SP_OK;
    size_t noise;
    sp_accumulator_plan plan = { 0 };
    SP_TRY(expect(s, 4));
    if (s->accumulators == ACCUMULATORS)
        SP_TRY(means_nothing(s, "more than 64 accumulators"));
    SP_TRY(whole(s, 0, SP_NOISE_SQRT + 1, &noise));
    SP_TRY(whole(s, 1, COUNTS_END, &plan.adds));
    SP_TRY(whole(s, 3, COUNTS_END, &plan.period));
    plan.keep = s->in[2];
    SP_TRY(room(s, 1));
    SP_TRY(sp_accumulator_open(s->o, (sp_accumulator_noise)noise, &plan, &s->accumulator[s->accumulators]));
    s->answer[0] = (double)s->accumulators++;
cleanup:
    return status;
}

/* Accumulator, keep, batch, bound, then terms: coefficient and point. */
static sp_status add(session *s)
{
    sp_status status = SP_OK;
    sp_accumulator *a;
    sp_query q = { 0 };
    const size_t term = 1 + s->d;
    if (s->count < 4 + term || (s->count - 4) % term != 0 || (s->count - 4) / term > SP_TERMS_MAX)
        SP_TRY(means_nothing(s, "1 to 4 terms are expected"));
    SP_TRY(accumulator_at(s, 0, &a));
    SP_TRY(batch_at(s, 2, &q.batch));
    q.bound = s->in[3];
    for (q.terms = 0; 4 + q.terms * term < s->count; q.terms++)
        q.term[q.terms] = (sp_term){ s->in[4 + q.terms * term], s->in + 5 + q.terms * term };
    status = sp_accumulator_add(a, s->in[1], &q);
cleanup:
    return status;
}

static sp_status release(session *s)
{
    sp_status status = SP_OK;
    sp_accumulator *a;
    SP_TRY(expect(s, 2));
    SP_TRY(accumulator_at(s, 0, &a));
    SP_TRY(room(s, s->d));
    status = sp_accumulator_release(a, s->in[1], s->answer);
cleanup:
    return status;
}

static sp_status restart(session *s)
{
    sp_status status = SP_OK;
    sp_accumulator *a;
    SP_TRY(expect(s, 1));
    SP_TRY(accumulator_at(s, 0, &a));
    status = sp_accumulator_restart(a);
cleanup:
    return status;
}

/* Batch, space (0: a list, 1: vertices), score, chooser, epsilon, radius, accumulator (-1: none), gradient scale,
 * curvature scale, threshold, the reference, then the points of a list. */
static sp_status choose(session *s)
{
    enum { NUMBERS = 10 };
    sp_status status = SP_OK;
    sp_batch batch;
    size_t space, score, chooser, index = 0;
    sp_accumulator *a = NULL;
    if (s->count < NUMBERS + s->d || (s->count - NUMBERS) % s->d != 0)
        SP_TRY(means_nothing(s, "a reference and whole points are expected"));
    SP_TRY(batch_at(s, 0, &batch));
    SP_TRY(whole(s, 1, 2.0, &space));
    SP_TRY(whole(s, 2, SP_SCORE_SOSP + 1, &score));
    SP_TRY(whole(s, 3, SP_CHOOSE_ABOVE_THRESHOLD + 1, &chooser));
    if (s->in[6] != -1.0)
        SP_TRY(accumulator_at(s, 6, &a));
    const double *reference = s->in + NUMBERS;
    const sp_space among = { .kind = space == 1 ? SP_SPACE_VERTICES : SP_SPACE_LIST,
                             .count = space == 1 ? 0 : (s->count - NUMBERS) / s->d - 1, .points = reference + s->d };
    const sp_score by = { .kind = (sp_score_kind)score, .reference = reference, .radius = s->in[5], .accumulator = a,
                          .gradient_scale = s->in[7], .curvature_scale = s->in[8], .threshold = s->in[9] };
    SP_TRY(room(s, 1 + s->d));
    memcpy(s->answer + 1, reference, s->d * sizeof *reference); /* where no score is below the threshold */
    SP_TRY(sp_choose(s->o, batch, &among, &by, (sp_chooser)chooser, s->in[4], s->answer + 1, &index));
    s->answer[0] = (double)index;
cleanup:
    return status;
}

static sp_status checkpoint(session *s)
{
    sp_status status = SP_OK;
    size_t step;
    SP_TRY(expect(s, 1 + s->d));
    SP_TRY(whole(s, 0, COUNTS_END, &step));
    status = sp_checkpoint(s->o, step, s->in + 1);
cleanup:
    return status;
}

static sp_status candidate(session *s)
{
    const sp_status status = expect(s, s->d);
    return status == SP_OK ? sp_candidate(s->o, s->in) : status;
}

/* a, w, v: Proj_W(w + a v), by the BLAS of the methods in C. */
static sp_status step(session *s)
{
    sp_status status = SP_OK;
    SP_TRY(expect(s, 1 + 2 * s->d));
    SP_TRY(room(s, s->d));
    memcpy(s->answer, s->in + 1, s->d * sizeof *s->in);
    cblas_daxpy((int)s->d, s->in[0], s->in + 1 + s->d, 1, s->answer, 1);
    sp_domain_project(sp_domain_of(s->o), s->answer);
cleanup:
    return status;
}

static sp_status coins(session *s)
{
    sp_status status = SP_OK;
    size_t count;
    SP_TRY(expect(s, 1));
    SP_TRY(whole(s, 0, 0x1p20, &count));
    SP_TRY(room(s, count));
    for (size_t i = 0; i < count; i++)
        s->answer[i] = gsl_rng_uniform(sp_coins(s->o));
cleanup:
    return status;
}

static sp_status remaining(session *s)
{
    sp_status status = SP_OK;
    SP_TRY(expect(s, 0));
    SP_TRY(room(s, 1));
    s->answer[0] = sp_remaining(s->o);
cleanup:
    return status;
}

/* The parameter of that name; NULL: it is none that the program is told. */
static const sp_param *find_param(const session *s, const char *key)
{
    const sp_param *p = s->program->params;
    while (p->key && strcmp(p->key, key) != 0)
        p++;
    return p->key ? p : NULL;
}

/* Of a parameter, whose name has to outlive the run. */
static sp_status resolved(session *s)
{
    const sp_param *p = find_param(s, s->text);
    const sp_status status = expect(s, 1);
    if (status != SP_OK)
        return status;
    if (!p)
        return sp_refuse(s->o, SP_EINVAL, "%.100s is no parameter of this program", s->text);
    sp_resolved(s->o, p->key, s->in[0], SP_FROM_THEORY);
    return SP_OK;
}

static sp_status warn(session *s)
{
    for (char *c = s->text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    sp_warn(s->o, "%s", s->text);
    return SP_OK;
}

static sp_status (*const calls[])(session *) = {
    [1] = calibrate, [2] = draw, [3] = gradient, [4] = difference, [5] = hessian, [6] = open_accumulator, [7] = add,
    [8] = release, [9] = restart, [10] = choose, [11] = checkpoint, [12] = candidate, [13] = step, [14] = coins,
    [15] = remaining, [16] = resolved, [17] = warn,
};
enum { DONE, CALLS = sizeof calls / sizeof *calls };

/* --- the run ------------------------------------------------------------------------------------------------- */

typedef struct known {
    const char *name;
    double value;
} known;

/* The first frame: names a line each, their numbers, then the start. */
static sp_status greet(session *s, const sp_values *values)
{
    sp_status status = SP_OK;
    const sp_constants *c = sp_public(s->o);
    const sp_budget *b = sp_budget_of(s->o);
    const known constant[] = {
        { "n", (double)c->n }, { "d", (double)c->d }, { "L", c->L }, { "L_data", c->L_data }, { "beta", c->beta },
        { "beta_data", c->beta_data }, { "rho_hessian", c->rho_hessian }, { "hessian_norm", c->hessian_norm },
        { "hessian_frobenius", c->hessian_frobenius }, { "weak_convexity", c->weak_convexity },
        { "diameter", c->diameter }, { "distance", c->distance }, { "gap", c->gap }, { "quasar", c->quasar },
        { "kl_gamma", c->kl_gamma }, { "kl_kappa", c->kl_kappa }, { "radius", c->radius }, { "convex", c->convex },
        { "smooth", c->smooth }, { "glm", c->glm }, { "vertices", (double)c->vertices }, { "epsilon", b->epsilon },
        { "delta", b->delta }, { "mu", b->mu }, { "rho", b->rho }, { "rho_z", b->rho_z }, { "noise", b->noise },
    };
    enum { CONSTANTS = sizeof constant / sizeof *constant };
    sp_text names = { 0 };
    size_t count = 0;
    SP_TRY(room(s, CONSTANTS + SP_PARAM_MAX + s->d));
    for (size_t i = 0; i < CONSTANTS; i++) {
        sp_text_append(&names, "%s\n", constant[i].name);
        s->answer[count++] = constant[i].value;
    }
    for (size_t i = 0; i < values->count; i++)
        if (find_param(s, values->params[i].key)) {
            sp_text_append(&names, "p.%s\n", values->params[i].key);
            s->answer[count++] = sp_real(values, i);
        }
    memcpy(s->answer + count, sp_start(s->o), s->d * sizeof *s->answer);
    s->answers = count + s->d;
    if (names.failed || names.length > 2 * TEXT_MAX)
        SP_TRY(sp_fail(s->error, names.failed ? SP_ENOMEM : SP_EINVAL, "its parameters have too long names"));
    status = send(s, SP_EXTERNAL_VERSION, names.data);
cleanup:
    sp_text_free(&names);
    return status;
}

/* Does it end the run rather than answer the call? */
static bool is_fatal(const session *s, sp_status status)
{
    return s->nonsense || status == SP_ENOMEM || status == SP_EINTERRUPTED || status == SP_EREHEARSED;
}

static sp_status answer(session *s)
{
    sp_status status = SP_OK;
    SP_TRY(room(s, 0));
    if (s->code >= CALLS || !calls[s->code])
        SP_TRY(means_nothing(s, "there is no such call (docs/how_to/method_as_program.md)"));
    const sp_status said = calls[s->code](s);
    s->refused = said;
    if (said == SP_OK) {
        status = send(s, 0, "");
        goto cleanup;
    }
    if (!s->nonsense) {
        const char *text = sp_oracle_error(s->o)->text;
        snprintf(s->refusal, sizeof s->refusal, "%.*s", (int)sizeof s->refusal - 1, *text ? text : sp_status_text(said));
    }
    if (is_fatal(s, said)) {
        if (!s->nonsense)
            sp_fail(s->error, said, "%s", s->refusal);
        status = said;
        goto cleanup;
    }
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s %s", sp_status_name(said), s->refusal);
    SP_TRY(room(s, 0));
    status = send(s, 1, text);
cleanup:
    return status;
}

static sp_status talk(session *s, const sp_values *values, double *w)
{
    sp_status status = SP_OK;
    SP_TRY(greet(s, values));
    for (;;) {
        SP_TRY(receive(s));
        if (s->code == DONE)
            break;
        SP_TRY(answer(s));
    }
    SP_TRY(expect(s, s->d));
    memcpy(w, s->in, s->d * sizeof *w);
cleanup:
    return status;
}

/* What ended the run, how the program ended, and the last line of its error output. */
static sp_status explain(session *s, sp_status status)
{
    const char *line = sp_process_last_line(&s->process);
    char how[64] = "";
    const int state = s->process.state;
    const bool said = !*line || strstr(line, s->refusal); /* a client repeats what it was told */
    if (status == SP_ECRASH && s->refused != SP_OK && !s->nonsense) /* it gave up for that */
        return sp_refuse(s->o, s->refused, "%s%s%.300s", s->refusal, said ? "" : "; its last line: ", said ? "" : line);
    if (status == SP_ECRASH && WIFEXITED(state) && !s->nonsense)
        snprintf(how, sizeof how, " (exit code %d)", WEXITSTATUS(state));
    else if (status == SP_ECRASH && WIFSIGNALED(state) && WTERMSIG(state) != SIGKILL)
        snprintf(how, sizeof how, " (SIG%s)", sigabbrev_np(WTERMSIG(state)));
    return sp_refuse(s->o, status, "%s: %.400s%s%s%.300s", s->program->name, s->error->text, how,
                     *line ? "; its last line: " : "", line);
}

sp_status sp_program_run(const sp_foreign *foreign, sp_oracle *o, const sp_values *values, double *w)
{
    sp_error error = { .text = "" };
    const sp_program *program = foreign->context;
    session s = { .program = program, .o = o, .d = sp_dimension(o), .error = &error };
    sp_status status = sp_program_same(program, &error);
    if (status == SP_OK)
        status = sp_process_start(&s.process, program->path, program->words, program->environment, program->folder,
                                  program->patience, &error);
    if (status == SP_OK) {
        status = talk(&s, values, w);
        sp_process_end(&s.process);
    }
    if (status != SP_OK)
        status = explain(&s, status);
    free(s.in);
    free(s.out);
    return status;
}
