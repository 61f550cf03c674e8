/* keeper.h -- the process between this one and a program, which ends all that the program has started. */
#ifndef SP_EXTERNAL_KEEPER_H
#define SP_EXTERNAL_KEEPER_H

#include <sys/types.h>

/* To be called in a process that was forked for this. Starts the program as a child, which calls `become` with
 * `context` and the identity of this process, and adopts every descendant of the program whose parent has died. It writes
 * two numbers to the socket `leash`: the errno of the fork, 0 if there was none, and the state of the program, as of
 * waitpid, when that has ended. When the other end of `leash` is closed or shut down, also because the process that held
 * it was killed, it kills all descendants until there are none. */
_Noreturn void sp_keeper_run(int leash, void (*become)(pid_t parent, const void *context), const void *context);

#endif
