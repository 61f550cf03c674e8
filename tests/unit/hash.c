/* hash.c -- the test vectors of FIPS 180-4, pieces and fields. */
#include "core/base/hash.h"
#include "tests/check.h"

static const char *hex_of(const char *bytes, size_t count, size_t piece)
{
    static char hex[SP_HASH_HEX];
    sp_hash hash;
    sp_hash_start(&hash);
    for (size_t i = 0; i < count; i += piece)
        sp_hash_add(&hash, bytes + i, count - i < piece ? count - i : piece);
    sp_hash_end_hex(&hash, hex);
    return hex;
}

static void test_vectors(void)
{
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    CHECK_TEXT(hex_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT(hex_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t piece = 1; piece <= 56; piece += 11)
        CHECK_TEXT(hex_of(two_blocks, 56, piece), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_bytes(void)
{
    sp_hash hash;
    unsigned char bytes[SP_HASH_SIZE];
    char hex[SP_HASH_HEX];
    sp_hash_start(&hash);
    sp_hash_add(&hash, "abc", 3);
    sp_hash_end(&hash, bytes);
    CHECK_EQUAL(bytes[0], 0xba);
    CHECK_EQUAL(bytes[31], 0xad);
    sp_hash_hex(bytes, hex);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_fields(void)
{
    char first[SP_HASH_HEX], second[SP_HASH_HEX];
    sp_hash hash;
    sp_hash_start(&hash);
    sp_hash_text(&hash, "ab");
    sp_hash_text(&hash, "c");
    sp_hash_end_hex(&hash, first);
    CHECK_TEXT(first, hex_of("ab\0c", 5, 5)); /* each with its NUL */
    sp_hash_start(&hash);
    sp_hash_text(&hash, "a");
    sp_hash_text(&hash, "bc");
    sp_hash_end_hex(&hash, second);
    CHECK(strcmp(first, second) != 0);
}

int main(void)
{
    test_vectors();
    test_bytes();
    test_fields();
    return sp_check_done();
}
