/* heads.h -- what stands at the head of a method's source: its recurrence, what its theorem says and where that is, its
 * privacy, how it differs from the paper. Made by cmake/heads.cmake. */
#ifndef SP_REPORT_HEADS_H
#define SP_REPORT_HEADS_H

#include <stddef.h>

/* The comment, without the stars, lines apart by '\n'; NULL: no file of algorithms/ has the name. */
const char *sp_head_of(const char *algorithm);

#endif
