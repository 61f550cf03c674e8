/* kept.h -- a static structure as a plan keeps a problem or a method, whole: for cells that are written down. */
#ifndef SP_TESTS_KEPT_H
#define SP_TESTS_KEPT_H

#include "core/plan/cell.h"

#define KEPT(name, structure)                                                                             \
    static const sp_unlike name##_itself = { .like = &(structure), .size = sizeof(structure) };           \
    static const sp_kept name = { .unlike = &name##_itself }

#endif
