/* keeper.h -- the process between this one and a program, which ends all that the program has started. */
#ifndef SP_METHODS_KEEPER_H
#define SP_METHODS_KEEPER_H

#include <sys/types.h>

/* To be called in a process that was forked for this. It starts the program as a child, which calls `become` with `context` and
 * the identity of this process. It adopts every descendant of the program when the descendant's parent dies. It writes two
 * numbers to the socket `leash`: first the errno of the fork (0: it succeeded), later the program's state, as of waitpid, when
 * the program has ended. When the other end of `leash` is closed or shut down, which also happens when its holder is killed,
 * it kills all descendants and exits. */
_Noreturn void sp_keeper_run(int leash, void (*become)(pid_t parent, const void *context), const void *context);

#endif
