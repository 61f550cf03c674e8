/* export_resolved.h -- what each parameter of a method was in a run, whoever decided it. */
#ifndef SP_EXPORT_EXPORT_RESOLVED_H
#define SP_EXPORT_EXPORT_RESOLVED_H

#include "core/run/execute.h"

/* The parameters of a method and of the methods within it, "eta", "first.steps": their names go to add(context, name),
 * where they live as long as the call. Whatever add() fails with. */
sp_status sp_parameter_names(const sp_method *, sp_status (*add)(void *context, const char *name), void *context);
/* Adds the value that the parameter `name` had in a run of the cell: what the run resolved, else what is given, else the
 * default. False: the method has no such parameter, or nothing is known of it. */
bool sp_parameter_value(const sp_cell *, const sp_result *, const char *name, sp_text *out);

#endif
