/* message.h -- a result as one block of bytes, sent through a socket from a worker to its parent. Both ends are the
 * same program with the same memory layout, so the block contains the structure's own bytes, preceded by the lengths of
 * all parts and followed by what its pointers point to. */
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
