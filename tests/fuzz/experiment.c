/* experiment.c -- the Lua of experiments: refused with a message, or a plan. */
#include "core/plan/plan.h"

#include "tests/fuzz/fuzz.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    sp_plan plan = { 0 };
    sp_error error = { 0 };
    snprintf(path, sizeof path, "fuzz_%ld.lua", (long)getpid());
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const sp_status status = sp_plan_load(path, "default", &plan, &error);
    FUZZ_CHECK((status == SP_OK) == (error.text[0] == '\0'));
    sp_plan_free(&plan);
    unlink(path);
    return 0;
}
