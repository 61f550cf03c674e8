/* inspect.h -- a plugin, opened by the program: does it mean what the program means (plugin.h)? */
#ifndef SP_PLUGIN_INSPECT_H
#define SP_PLUGIN_INSPECT_H

#include "core/base/status.h"
#include "core/plugin/plugin.h"

/* Loads the shared library at `path`, which stays until the program ends, and hands it the program's functions. What it
 * does while it is loaded is done to this process. SP_EINVAL for a file that is no plugin, and for one that means
 * something else: the message names the field, and both values. */
sp_status sp_plugin_inspect(const char *path, const sp_plugin **, sp_error *);
/* The same of a description that is in memory; `path` is for messages. */
sp_status sp_plugin_check(const char *path, const sp_plugin *, sp_error *);

#endif
