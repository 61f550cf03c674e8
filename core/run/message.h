/* message.h -- a result as one block of bytes, for the socket between a worker and its parent. Both ends are the same
 * program in the same memory layout, so the bytes are the structure's own, with the lengths of all parts before them
 * and what its pointers point to behind them. */
#ifndef SP_RUN_MESSAGE_H
#define SP_RUN_MESSAGE_H

#include "core/run/execute.h"

/* *bytes is a new block. */
sp_status sp_message_pack(const sp_result *, char **bytes, size_t *size);
/* Has all of it arrived? */
bool sp_message_whole(const char *bytes, size_t size);
/* SP_ECRASH when the bytes are not one whole message: its sender died while writing. */
sp_status sp_message_unpack(const char *bytes, size_t size, sp_result *);

#endif
