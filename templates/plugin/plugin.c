/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * plugin.c -- what NAME.so adds to stillpoint: lists of methods, losses, measures and generators, each ending with NULL
 * (.algorithms, .losses, .measures, .generators). */
#include "core/plugin/plugin.h"

extern const sp_algorithm sp_algorithm_NAME;
static const sp_algorithm *const algorithms[] = { &sp_algorithm_NAME, NULL };

SP_PLUGIN(.algorithms = algorithms)
