/* digest.h -- the sizes of a SHA-256, in bytes and as a text (hash.h makes them). */
#ifndef SP_BASE_DIGEST_H
#define SP_BASE_DIGEST_H

enum { SP_HASH_SIZE = 32, SP_HASH_HEX = 65 };

#endif
