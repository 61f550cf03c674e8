/* parts.h -- the pieces of a certification. For losses/engine/attack*.c alone.
 *
 * A target is one part of f as a function of w, with the adversary's record in it. The bounds of every part are hunted
 * by the same code (attack_target.c); a part only says how it is evaluated (attack_forms.c, attack_problem.c). */
#ifndef SP_LOSSES_CERTIFY_PARTS_H
#define SP_LOSSES_CERTIFY_PARTS_H

#include "losses/certify/certify.h"

enum { SP_ATTACK_MAX = 64 }; /* most entries of w and of x */

typedef struct sp_hunt {
    const sp_loss *loss; /* NULL: a regulariser is hunted */
    sp_numbers number;
    const sp_attack_options *with;
    gsl_rng *stream;
    size_t starts, steps, samples;
    size_t d, features;
    double radius, label_bound;
} sp_hunt;

typedef struct sp_attack_region {
    const char *name, *realisable;
    double norm; /* ||w|| <= norm */
} sp_attack_region;
enum { SP_ATTACK_REGIONS = 2 };
extern const sp_attack_region sp_attack_regions[SP_ATTACK_REGIONS]; /* largest first */

bool sp_hunt_wants(const sp_hunt *, sp_claim_kind);
/* Reports one claim. `scale`: what rounding is relative to where claimed = 0. */
void sp_judge(const sp_hunt *, sp_claim_kind, const char *part, const char *what, const char *region, double claimed,
              double found, double required, double scale);

/* --- one part --------------------------------------------------------------------------------------------- */

/* The bounds of one part, as in sp_link_bounds. */
typedef struct sp_five {
    double slope, curvature_high, curvature_low, third, gap;
} sp_five;

typedef struct sp_target {
    const sp_hunt *hunt;
    const char *part;
    size_t d, features;         /* of w, of the record; features = 0: it has none */
    bool labels;                /* the record has a label */
    double norm;                /* ||w|| <= norm */
    double radius, label_bound; /* of the record */
    double unit;                /* a length over which derivatives change */
    double *x, y;               /* the record; x has room for `features` */
    const double *start;        /* d: where the gap counts from */
    void (*aimed)(struct sp_target *); /* x and y are new; may be NULL */
    double (*value)(struct sp_target *, const double *w);
    void (*gradient)(struct sp_target *, const double *w, double *out);
    void (*product)(struct sp_target *, const double *w, const double *v, double *out); /* out = hess v */
    const void *subject;        /* what these three work on */
    double *scratch;
} sp_target;

typedef enum {
    SP_SEEK_SLOPE,    /* ||grad|| */
    SP_SEEK_HIGH,     /* v'Hv, ||v|| = 1 */
    SP_SEEK_LOW,      /* -v'Hv */
    SP_SEEK_BEND,     /* |v'Hv| */
    SP_SEEK_THIRD,    /* |v'(H(w) - H(w'))v| / ||w - w'|| */
    SP_SEEK_QUOTIENT, /* ||grad(w) - grad(w')|| / ||w - w'|| */
    SP_SEEK_MIDPOINT, /* 8 (f((w + w')/2) - (f(w) + f(w'))/2) / ||w - w'||^2 */
    SP_SEEK_GAP       /* f(start) - f(w) */
} sp_seek;

/* How many of the adversary's numbers make a record; reads the record, and w, from them. */
size_t sp_target_record(const sp_target *);
void sp_target_aim(sp_target *, const double *v);
void sp_target_place(const sp_target *, const double *v, double *w);
/* The largest value met; never below 0. */
double sp_target_seek(sp_target *, sp_seek);
/* A length over which derivatives with these bounds change, at most 1. */
double sp_five_unit(const sp_five *);

/* Gradient and Hessian-vector product against differences. */
void sp_target_derivatives(sp_target *, const char *region);
/* The five bounds, where they are finite; `tight`: SP_TIGHT_*. Returns SP_TIGHT_* of the finite ones: in a smaller
 * region they need not be tight any more. */
unsigned sp_target_bounds(sp_target *, const sp_five *claimed, unsigned tight, const char *region);

/* --- a problem whose records the adversary writes ----------------------------------------------------------- */

typedef struct sp_stage {
    const sp_hunt *hunt;
    sp_dataset data;
    sp_problem problem;
    sp_workspace *workspace;
    double *X, *y, *norm, *mean; /* of data, to be written */
} sp_stage;

/* n records of so many features, all zero, on R^d or the ball. Free with sp_stage_free, after a failure too. */
sp_status sp_stage_new(const sp_hunt *, size_t n, size_t features, double norm, bool realisable, double start_norm,
                       sp_stage *, sp_error *);
void sp_stage_free(sp_stage *);
/* Norms and mean of the records as they now are. */
void sp_stage_refresh(sp_stage *);
/* Random records, every other one of full norm, and labels, every third at an end; y = <planted, x> unless NULL. */
void sp_stage_draw(sp_stage *, const double *planted);
/* w = argmin F (d entries), *value = F(w), as good as reference.h knows them. */
sp_status sp_stage_least(sp_stage *, double *w, double *value, sp_error *);

/* --- the chapters of a certification ------------------------------------------------------------------------ */

sp_status sp_attack_forms(const sp_hunt *, sp_error *);
sp_status sp_attack_constants(const sp_hunt *, sp_error *);
sp_status sp_attack_classes(const sp_hunt *, sp_error *);
void sp_attack_envelope(const sp_hunt *);
sp_status sp_attack_engine(const sp_hunt *, sp_error *);

#endif
