#include "commands/reproduce/repro_jq.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

static bool fails(const char *program, const json_t *input, const char *why)
{
    struct err err = {0};

    return !repro_jq_run(".", program, NULL, 0, input, &err) && err.kind == ERR_SYSTEM &&
           strcmp(err.text, why) == 0;
}

/* Four files are needed: a program, its input, its output and its messages. */
TEST(repro_jq_needs_four_files)
{
    for (int n = 0; n < 4; n++) {
        struct rlimit before = limits_descriptors(n);
        bool refused = fails("1", NULL, "cannot make a temporary file: Too many open files");
        setrlimit(RLIMIT_NOFILE, &before);
        expect(refused);
    }
}

/* The program, an input that fits into a buffer, and one that does not. */
TEST(repro_jq_needs_space_for_them)
{
    static const char full[] = "cannot make a temporary file: File too large";
    char text[20000];
    json_t *small = json_string("xx");

    memset(text, 'x', sizeof text);
    json_t *large = json_stringn(text, sizeof text);
    struct rlimit before = limits_bytes(0);
    bool program = fails("1", NULL, full);
    limits_bytes(1);
    bool input = fails("1", small, full), inputs = fails("1", large, full);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    expect(program);
    expect(input);
    expect(inputs);
    json_decref(small);
    json_decref(large);
}

TEST(repro_jq_says_where_jq_is_missing)
{
    char *path = mem_strdup(getenv("PATH"));

    expect(setenv("PATH", "/nonexistent", 1) == 0);
    bool missing = fails("1", NULL,
                         "cannot start jq, which formulas need (Debian: jq): No such file or "
                         "directory");
    expect(setenv("PATH", path, 1) == 0 && missing);
    mem_free(path);
}
