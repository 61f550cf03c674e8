/* plugins.h -- plugins (core/plugin/plugin.h) into the tables of the registry. */
#ifndef SP_PLAN_PLUGINS_H
#define SP_PLAN_PLUGINS_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Loads the plugin at `path` and registers what it holds, first in a process of its own: one that crashes, or is not
 * done after ten seconds, is a message. A file that is loaded already, the same bytes, is nothing new. SP_EINVAL for a
 * file that is no plugin, that does not fit this program, for a name that is taken or no name, for what has no run
 * function or no text. `sp_source_hash` of what it holds is the SHA-256 of the file. */
sp_status sp_plugins_load(const char *path, sp_error *);
size_t sp_plugins_loaded(void);
/* Adds "; plugin mine.so 0f3a..." for each, in the order that they were loaded in. */
void sp_plugins_print(sp_text *);

/* Does `work` in a process of its own, where it is all undone, for at most so many seconds: SP_OK whatever it returns, but
 * when a crash ends it: SP_EINVAL "WHAT: a plugin crashed (Segmentation fault): mine.so". Where no plugin is loaded
 * nothing is done. */
sp_status sp_plugins_try(void (*work)(void *context), void *context, unsigned seconds, const char *what, sp_error *);

#endif
