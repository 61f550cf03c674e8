/* functions.h -- the one list of the functions that a plugin may call: the program's table of them (plugin.h) and the
 * library that a plugin is linked with (stub.c) are made from it. It only grows, at its end: tests/unit/plugin_abi.txt
 * holds what it was.
 *
 *   F(type, name, (parameters), (arguments))
 *   V(type, name, (parameters))                 the last parameters are a format and its arguments */
#ifndef SP_PLUGIN_FUNCTIONS_H
#define SP_PLUGIN_FUNCTIONS_H

#define SP_HOST_FUNCTIONS(F, V)                                                                                       \
    /* core/base: memory, parameters, elementary functions, random numbers */                                         \
    F(void *, sp_alloc, (size_t count, size_t size), (count, size))                                                   \
    F(double *, sp_alloc_doubles, (size_t count), (count))                                                            \
    F(char *, sp_copy_text, (const char *text), (text))                                                               \
    F(const char *, sp_status_name, (sp_status status), (status))                                                     \
    F(const char *, sp_status_text, (sp_status status), (status))                                                     \
    V(sp_status, sp_fail, (sp_error *error, sp_status status, const char *format, ...))                               \
    F(void, sp_values_start, (sp_values *values, const sp_param *params), (values, params))                           \
    F(bool, sp_given, (const sp_values *values, size_t index), (values, index))                                       \
    F(double, sp_real, (const sp_values *values, size_t index), (values, index))                                      \
    F(size_t, sp_count, (const sp_values *values, size_t index), (values, index))                                     \
    F(bool, sp_flag, (const sp_values *values, size_t index), (values, index))                                        \
    F(size_t, sp_choice, (const sp_values *values, size_t index), (values, index))                                    \
    F(bool, sp_chosen, (const sp_values *values, size_t index, const char *word), (values, index, word))              \
    F(const char *, sp_word, (const sp_values *values, size_t index), (values, index))                                \
    F(const struct sp_method *, sp_submethod, (const sp_values *values, size_t index), (values, index))               \
    F(double, sp_pow, (double x, double y), (x, y))                                                                   \
    F(sp_isa, sp_isa_choose, (void), ())                                                                              \
    F(double, sp_rng_uniform, (sp_rng *rng), (rng))                                                                   \
    F(double, sp_rng_normal, (sp_rng *rng), (rng))                                                                    \
    F(size_t, sp_rng_below, (sp_rng *rng, size_t n), (rng, n))                                                        \
    /* the domain */                                                                                                  \
    F(double, sp_domain_diameter, (const sp_domain *domain), (domain))                                                \
    F(double, sp_domain_diameter_l1, (const sp_domain *domain), (domain))                                             \
    F(double, sp_domain_norm_l1, (const sp_domain *domain), (domain))                                                 \
    F(double, sp_domain_centre, (const sp_domain *domain, double *centre), (domain, centre))                          \
    F(void, sp_domain_project, (const sp_domain *domain, double *w), (domain, w))                                     \
    F(double, sp_domain_slack, (const sp_domain *domain, double far), (domain, far))                                  \
    F(bool, sp_domain_contains, (const sp_domain *domain, const double *w), (domain, w))                              \
    F(sp_status, sp_domain_linear_minimise, (const sp_domain *domain, const double *g, double *v), (domain, g, v))    \
    F(size_t, sp_domain_vertices, (const sp_domain *domain), (domain))                                                \
    F(void, sp_domain_vertex, (const sp_domain *domain, size_t k, double *v), (domain, k, v))                         \
    F(double, sp_domain_vertex_dot, (const sp_domain *domain, size_t k, const double *g), (domain, k, g))             \
    F(void, sp_mirror_gradient, (double p, size_t d, const double *centre, const double *w, double *restrict out),    \
      (p, d, centre, w, out))                                                                                         \
    F(void, sp_mirror_inverse, (double p, size_t d, const double *centre, const double *z, double *restrict out),     \
      (p, d, centre, z, out))                                                                                         \
    F(sp_status, sp_mirror_project, (double p, const sp_domain *domain, const double *centre, double *w),             \
      (p, domain, centre, w))                                                                                         \
    /* core/oracle/oracle.h */                                                                                        \
    F(const sp_constants *, sp_public, (const sp_oracle *o), (o))                                                     \
    F(const sp_domain *, sp_domain_of, (const sp_oracle *o), (o))                                                     \
    F(size_t, sp_dimension, (const sp_oracle *o), (o))                                                                \
    F(size_t, sp_records, (const sp_oracle *o), (o))                                                                  \
    F(sp_rng *, sp_coins, (sp_oracle *o), (o))                                                                        \
    F(const double *, sp_start, (const sp_oracle *o), (o))                                                            \
    F(const sp_budget *, sp_budget_of, (const sp_oracle *o), (o))                                                     \
    F(sp_status, sp_calibrate, (sp_oracle *o, const sp_release_plan *plan, size_t entries, double *noise_multiplier), \
      (o, plan, entries, noise_multiplier))                                                                           \
    F(bool, sp_subsets_count, (const sp_oracle *o), (o))                                                              \
    F(sp_status, sp_filter_by, (sp_oracle *o, sp_filter filter), (o, filter))                                         \
    F(double, sp_remaining, (const sp_oracle *o), (o))                                                                \
    F(sp_status, sp_draw, (sp_oracle *o, sp_sample sample, sp_batch *batch), (o, sample, batch))                      \
    F(size_t, sp_batch_size, (const sp_oracle *o, sp_batch batch), (o, batch))                                        \
    F(double, sp_sensitivity, (const sp_oracle *o, const sp_query *query), (o, query))                                \
    F(sp_status, sp_gradient, (sp_oracle *o, const sp_query *query, double noise_multiplier, double *out),            \
      (o, query, noise_multiplier, out))                                                                              \
    F(sp_status, sp_hessian, (sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out),   \
      (o, batch, w, noise_multiplier, out))                                                                           \
    F(sp_status, sp_hessian_mirrored,                                                                                 \
      (sp_oracle *o, sp_batch batch, const double *w, double noise_multiplier, double *out),                          \
      (o, batch, w, noise_multiplier, out))                                                                           \
    F(sp_status, sp_mean_loss, (sp_oracle *o, const sp_query *query, double noise_multiplier, double *out),           \
      (o, query, noise_multiplier, out))                                                                              \
    F(sp_status, sp_curvature_trace, (sp_oracle *o, const sp_curvature *curvature, double noise_multiplier,           \
      double *out), (o, curvature, noise_multiplier, out))                                                            \
    F(double, sp_curvature_sensitivity, (const sp_oracle *o, const sp_curvature *curvature, double ridge,             \
      const double *v), (o, curvature, ridge, v))                                                                     \
    F(sp_status, sp_curvature_solve, (sp_oracle *o, const sp_curvature *curvature, double ridge, const double *v,     \
      double noise_multiplier, double *out), (o, curvature, ridge, v, noise_multiplier, out))                         \
    F(sp_status, sp_accumulator_open, (sp_oracle *o, sp_accumulator_noise noise, const sp_accumulator_plan *plan,     \
      sp_accumulator **out), (o, noise, plan, out))                                                                   \
    F(sp_status, sp_accumulator_add, (sp_accumulator *a, double keep, const sp_query *query), (a, keep, query))       \
    F(sp_status, sp_accumulator_release, (sp_accumulator *a, double noise_std, double *out), (a, noise_std, out))     \
    F(sp_status, sp_accumulator_restart, (sp_accumulator *a), (a))                                                    \
    F(double, sp_node_cost, (sp_accumulator_noise noise, size_t adds, size_t period, double keep),                    \
      (noise, adds, period, keep))                                                                                    \
    F(sp_status, sp_pass_cost, (sp_oracle *o, sp_accumulator_noise noise, size_t m, size_t adds, double keep,         \
      double *cost), (o, noise, m, adds, keep, cost))                                                                 \
    F(double, sp_answer_variance, (sp_accumulator_noise noise, size_t adds, size_t period, double keep),              \
      (noise, adds, period, keep))                                                                                    \
    F(double, sp_answer_variance_max, (sp_accumulator_noise noise, size_t adds, size_t period, double keep),          \
      (noise, adds, period, keep))                                                                                    \
    F(sp_status, sp_choose, (sp_oracle *o, sp_batch batch, const sp_space *space, const sp_score *score,              \
      sp_chooser chooser, double epsilon, double *out, size_t *index),                                                \
      (o, batch, space, score, chooser, epsilon, out, index))                                                         \
    F(sp_status, sp_choose_point, (sp_oracle *o, const sp_continuum *space, double epsilon, double *out),             \
      (o, space, epsilon, out))                                                                                       \
    F(sp_status, sp_choose_product, (sp_oracle *o, double epsilon, double *out), (o, epsilon, out))                   \
    F(sp_status, sp_stable_pass, (sp_oracle *o, sp_batch batch, const double *start, double eta,                      \
      double noise_multiplier, double *out), (o, batch, start, eta, noise_multiplier, out))                           \
    F(double, sp_stable_sensitivity, (const sp_oracle *o, size_t m, double eta), (o, m, eta))                         \
    F(sp_status, sp_child, (sp_oracle *o, const sp_child_options *options, sp_oracle **out), (o, options, out))       \
    F(sp_status, sp_lift, (const sp_oracle *child, const double *in, double *out), (child, in, out))                  \
    F(sp_status, sp_checkpoint, (sp_oracle *o, size_t step, const double *w), (o, step, w))                           \
    F(sp_status, sp_candidate, (sp_oracle *o, const double *w), (o, w))                                               \
    F(sp_status, sp_hand_over, (sp_oracle *o, const double *w), (o, w))                                               \
    F(void, sp_resolved, (sp_oracle *o, const char *key, double value, sp_provenance from), (o, key, value, from))    \
    F(void, sp_capped, (sp_oracle *o, const char *key, double value, double wanted, sp_provenance otherwise),         \
      (o, key, value, wanted, otherwise))                                                                             \
    F(double, sp_told, (const sp_oracle *o, const char *key), (o, key))                                               \
    V(void, sp_warn, (sp_oracle *o, const char *format, ...))                                                         \
    V(sp_status, sp_refuse, (sp_oracle *o, sp_status status, const char *format, ...))                                \
    F(const sp_error *, sp_oracle_error, (const sp_oracle *o), (o))                                                   \
    /* losses/loss.h */                                                                                               \
    F(double, sp_supremum, (double (*f)(const void *context, double x), const void *context, double low, double high, \
      double bend), (f, context, low, high, bend))                                                                    \
    F(double, sp_pseudo_huber, (double s, double centre, size_t count, const double *w), (s, centre, count, w))       \
    F(void, sp_pseudo_huber_gradient, (double s, double centre, size_t count, const double *w, double *restrict out), \
      (s, centre, count, w, out))                                                                                     \
    F(void, sp_pseudo_huber_hessian, (double s, double centre, size_t count, const double *w, size_t stride,          \
      double *restrict H), (s, centre, count, w, stride, H))                                                          \
    F(void, sp_pseudo_huber_product, (double s, double centre, size_t count, const double *w, const double *v,        \
      double *restrict out), (s, centre, count, w, v, out))                                                           \
    F(void, sp_tanh_tilt, (double tilt, double centre, size_t d, const double *w, int order, double *restrict out),   \
      (tilt, centre, d, w, order, out))                                                                               \
    F(void, sp_tanh_bounds, (double tilt, sp_tilt_bounds *out), (tilt, out))                                          \
    F(void, sp_tanh_reach, (double a, double s, size_t d, double *distance, double *drop), (a, s, d, distance, drop)) \
    F(void, sp_linear, (double tilt, size_t d, const double *w, int order, double *restrict out),                     \
      (tilt, d, w, order, out))                                                                                       \
    F(double, sp_spherical_radius, (double centre, size_t d, const double *w), (centre, d, w))                        \
    F(void, sp_spherical_gradient, (double tangential, double centre, size_t d, const double *w,                      \
      double *restrict out), (tangential, centre, d, w, out))                                                         \
    F(void, sp_spherical_hessian, (double tangential, double radial, double centre, size_t d, const double *w,        \
      double *restrict H), (tangential, radial, centre, d, w, H))                                                     \
    F(void, sp_spherical_product, (double tangential, double radial, double centre, size_t d, const double *w,        \
      const double *v, double *restrict out), (tangential, radial, centre, d, w, v, out))                             \
    F(double, sp_angles, (double weight, size_t m, const double *x, const double *w), (weight, m, x, w))              \
    F(double, sp_angles_change, (double weight, size_t m, const double *x, const double *w, const double *c),         \
      (weight, m, x, w, c))                                                                                           \
    F(void, sp_angles_query, (double weight, size_t first, size_t m, const double *x, size_t terms,                   \
      const sp_term *term, double *restrict out), (weight, first, m, x, terms, term, out))                            \
    F(void, sp_angles_product, (double weight, size_t m, const double *x, const double *w, const double *v,           \
      double *restrict out), (weight, m, x, w, v, out))                                                               \
    F(double, sp_angles_largest, (double weight, size_t first, size_t m, size_t terms, const sp_term *term,           \
      sp_norm norm), (weight, first, m, terms, term, norm))                                                           \
    F(void, sp_angles_minimiser, (size_t m, const double *mean, double *restrict w), (m, mean, w))                    \
    F(void, sp_angles_clip, (size_t m, double *restrict x), (m, x))                                                   \
    /* a problem as measures see it: losses/engine/problem.h */                                                       \
    F(double, sp_problem_value, (const sp_problem *p, sp_workspace *workspace, const double *w), (p, workspace, w))   \
    F(void, sp_problem_gradient, (const sp_problem *p, sp_workspace *workspace, const double *w, double *out),        \
      (p, workspace, w, out))                                                                                         \
    F(void, sp_problem_hessian, (const sp_problem *p, sp_workspace *workspace, const double *w, double *H),           \
      (p, workspace, w, H))                                                                                           \
    F(void, sp_problem_values, (const sp_problem *p, sp_workspace *workspace, size_t count,                           \
      const double *const *point, double *out), (p, workspace, count, point, out))                                    \
    F(void, sp_problem_gradients, (const sp_problem *p, sp_workspace *workspace, size_t count,                        \
      const double *const *point, double *out), (p, workspace, count, point, out))                                    \
    F(void, sp_problem_product, (const sp_problem *p, sp_workspace *workspace, const double *w, const double *v,      \
      double *out), (p, workspace, w, v, out))                                                                        \
    F(bool, sp_problem_minimiser, (const sp_problem *p, double *w), (p, w))                                           \
    F(sp_problem, sp_problem_on, (const sp_problem *p, const sp_dataset *records), (p, records))                      \
    F(sp_workspace *, sp_workspace_new, (const sp_problem *p), (p))                                                   \
    F(void, sp_workspace_free, (sp_workspace *workspace), (workspace))                                                \
    F(double, sp_record_value, (const sp_problem *p, sp_workspace *workspace, size_t i, const double *w),             \
      (p, workspace, i, w))                                                                                           \
    F(void, sp_record_gradient, (const sp_problem *p, sp_workspace *workspace, size_t i, const double *w,             \
      double *out), (p, workspace, i, w, out))                                                                        \
    F(void, sp_record_hessian, (const sp_problem *p, sp_workspace *workspace, size_t i, const double *w, double *H),  \
      (p, workspace, i, w, H))                                                                                        \
    /* core/oracle/oracle.h */                                                                                        \
    V(void, sp_warn_of, (sp_oracle *o, sp_warning code, const char *format, ...))                                     \
    F(void, sp_promised, (sp_oracle *o, double bound, double at_start), (o, bound, at_start))

/* The structures that both sides hold: a plugin says how large each is to it. */
#define SP_HOST_STRUCTURES(S)                                                                                         \
    S(sp_error) S(sp_param) S(sp_value) S(sp_values) S(sp_constants) S(sp_term) S(sp_domain) S(sp_foreign) S(sp_algorithm) \
    S(sp_method) S(sp_budget) S(sp_sample) S(sp_batch) S(sp_release_plan) S(sp_query) S(sp_curvature)                 \
    S(sp_accumulator_plan) S(sp_space) S(sp_score) S(sp_continuum) S(sp_child_options) S(sp_loss) S(sp_region)        \
    S(sp_classes) S(sp_link) S(sp_link_bounds) S(sp_public_part) S(sp_public_bounds) S(sp_tilt) S(sp_tilt_bounds)     \
    S(sp_record_form) S(sp_record_bounds) S(sp_record_map) S(sp_affine) S(sp_regulariser) S(sp_measure) S(sp_problem) \
    S(sp_dataset) S(sp_reference) S(sp_generator) S(sp_parts)

#endif
