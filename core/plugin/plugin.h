/* plugin.h -- what a plugin is: a shared library with one exported function, stillpoint_plugin(), which returns a constant
 * description. The methods, losses, measures and generators in it are what they are in the program's own folders, in
 * files that compile there as well; one file more says which they are:
 *
 *   #include "core/plugin/plugin.h"
 *   extern const sp_algorithm sp_algorithm_mine;
 *   static const sp_algorithm *const algorithms[] = { &sp_algorithm_mine, NULL };
 *   SP_PLUGIN(.algorithms = algorithms)
 *
 * It is compiled with -DSTILLPOINT_PLUGIN and linked with libstillpoint_plugin.a, as `pkg-config stillpoint` and CMake's
 * find_package(stillpoint) say. That library calls the program's functions through a table, which the program hands over
 * once it has found that both mean the same by everything here. */
#ifndef SP_PLUGIN_PLUGIN_H
#define SP_PLUGIN_PLUGIN_H

#include "algorithms/algorithm.h"
#include "core/numeric/rng.h"
#include "core/data/generator.h"
#include "core/plugin/functions.h"
#include "losses/loss.h"
#include "measures/measure.h"

#include <stdbool.h>
#include <stddef.h>

#define SP_PLUGIN_MAGIC "stillpoint plug" /* with its end 16 bytes */
/* A number that changes when something here changes its meaning and not its size. The program takes plugins from OLDEST
 * to its own. */
enum { SP_PLUGIN_ABI = 1, SP_PLUGIN_ABI_OLDEST = 1 };

/* The program's functions. Only its end grows, so a plugin needs the table to be at least as large as it knows it. */
typedef struct sp_host {
    size_t size; /* bytes */
#define SP_HOST_MEMBER(type, name, parameters, arguments) type(*name) parameters;
#define SP_HOST_MEMBER_V(type, name, parameters) type(*name) parameters;
    SP_HOST_FUNCTIONS(SP_HOST_MEMBER, SP_HOST_MEMBER_V)
#undef SP_HOST_MEMBER
#undef SP_HOST_MEMBER_V
} sp_host;

typedef struct sp_structure {
    const char *name; /* "sp_query" */
    size_t size;      /* bytes */
} sp_structure;

typedef struct sp_plugin {
    char magic[16];
    unsigned abi;
    unsigned size;                 /* of this structure */
    const char *built_with;        /* "stillpoint 0.1.0" */
    size_t host_size;              /* of the table, as the plugin knows it */
    const sp_structure *structure; /* ends with { 0 } */
    void (*attach)(const sp_host *);
    /* Each ends with NULL; NULL: there are none. */
    const sp_algorithm *const *algorithms;
    const sp_loss *const *losses;
    const sp_measure *const *measures;
    const sp_generator *const *generators;
} sp_plugin;

#ifdef STILLPOINT_PLUGIN
/* In libstillpoint_plugin.a */
void sp_plugin_attach(const sp_host *);
extern const sp_structure sp_plugin_structures[];
extern const char sp_plugin_built_with[];

#define SP_PLUGIN(...)                                                                                                \
    __attribute__((visibility("default"))) const sp_plugin *stillpoint_plugin(void);                                  \
    const sp_plugin *stillpoint_plugin(void)                                                                          \
    {                                                                                                                 \
        static const sp_plugin plugin = {                                                                             \
            .magic = SP_PLUGIN_MAGIC, .abi = SP_PLUGIN_ABI, .size = sizeof plugin, .built_with = sp_plugin_built_with,   \
            .host_size = sizeof(sp_host), .structure = sp_plugin_structures, .attach = sp_plugin_attach, __VA_ARGS__  \
        };                                                                                                            \
        return &plugin;                                                                                               \
    }
#endif

#endif
