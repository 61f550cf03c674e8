/* build.h -- what the program was built from. cmake/commit.cmake writes it for the program at every build; a test is
 * "unknown". */
#ifndef SP_STORE_BUILD_H
#define SP_STORE_BUILD_H

extern const char sp_build_commit[]; /* 40 hex digits, or "unknown" */
extern const int sp_build_changed;   /* 1: the sources differed from the commit (results/ and plots/ do not count) */

#endif
