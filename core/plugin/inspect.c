/* inspect.c -- see inspect.h. */
#include "core/plugin/inspect.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const sp_host host = {
    .size = sizeof(sp_host),
#define ENTRY(type, name, parameters, arguments) .name = name,
#define ENTRY_V(type, name, parameters) .name = name,
    SP_HOST_FUNCTIONS(ENTRY, ENTRY_V)
};

static const sp_structure ours[] = {
#define STRUCTURE(name) { #name, sizeof(name) },
    SP_HOST_STRUCTURES(STRUCTURE)
};

static sp_status check_structures(const char *path, const sp_plugin *plugin, sp_error *error)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        const sp_structure *theirs = plugin->structure;
        while (theirs->name && strcmp(theirs->name, ours[i].name) != 0)
            theirs++;
        if (!theirs->name)
            return sp_fail(error, SP_EINVAL, "%s: structure %s: the plugin, built with %s, does not have it; build it again",
                           path, ours[i].name, plugin->built_with);
        if (theirs->size != ours[i].size)
            return sp_fail(error, SP_EINVAL, "%s: structure %s: %zu bytes in the plugin, built with %s, and %zu in this "
                           "program; build it again", path, ours[i].name, theirs->size, plugin->built_with, ours[i].size);
    }
    return SP_OK;
}

sp_status sp_plugin_check(const char *path, const sp_plugin *plugin, sp_error *error)
{
    if (!plugin || memcmp(plugin->magic, SP_PLUGIN_MAGIC, sizeof plugin->magic) != 0)
        return sp_fail(error, SP_EINVAL, "%s: magic: not a plugin of Stillpoint", path);
    if (plugin->abi < SP_PLUGIN_ABI_OLDEST || plugin->abi > SP_PLUGIN_ABI)
        return sp_fail(error, SP_EINVAL, "%s: abi %u: this program takes plugins of abi %d to %d", path, plugin->abi,
                       SP_PLUGIN_ABI_OLDEST, SP_PLUGIN_ABI);
    if (plugin->size != sizeof *plugin)
        return sp_fail(error, SP_EINVAL, "%s: size: the description has %u bytes, and %zu in this program; build the plugin "
                       "again", path, plugin->size, sizeof *plugin);
    if (!plugin->built_with || !plugin->structure || !plugin->attach)
        return sp_fail(error, SP_EINVAL, "%s: %s: missing in the description", path,
                       !plugin->built_with ? "built_with" : !plugin->structure ? "structure" : "attach");
    if (plugin->host_size > host.size)
        return sp_fail(error, SP_EINVAL, "%s: host_size: the plugin, built with %s, knows a table of functions of %zu bytes, "
                       "of which this program has %zu", path, plugin->built_with, plugin->host_size, host.size);
    return check_structures(path, plugin, error);
}

sp_status sp_plugin_inspect(const char *path, const sp_plugin **out, sp_error *error)
{
    char here[1024];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path); /* not what the system has of that name */
    *out = NULL;
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return sp_fail(error, SP_EINVAL, "%s: it cannot be loaded: %s", path, dlerror());
    const sp_plugin *(*describe)(void) = (const sp_plugin *(*)(void))dlsym(library, "stillpoint_plugin");
    if (!describe)
        return sp_fail(error, SP_EINVAL, "%s: no plugin of Stillpoint: it exports no stillpoint_plugin", path);
    const sp_plugin *plugin = describe();
    const sp_status status = sp_plugin_check(path, plugin, error);
    if (status != SP_OK)
        return status;
    plugin->attach(&host);
    *out = plugin;
    return SP_OK;
}
