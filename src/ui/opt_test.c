#include "ui/opt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"
#include "ui/cli.h"

struct opt_sample {
    const char *text, *operand;
    uint32_t count;
    struct field_list list;
    bool flag;
};

static const struct field options[] = {
    {FIELD_OPTION("text", "T", FIELD_TEXT, struct opt_sample, text, "a text")},
    {FIELD_OPTION("count", "N", FIELD_COUNT, struct opt_sample, count, "a number"), .max = 9},
    {FIELD_OPTION("list", "X", FIELD_LIST, struct opt_sample, list, "texts")},
    {FIELD_OPTION("flag", NULL, FIELD_FLAG, struct opt_sample, flag, "a flag")},
    {0},
};

static int take_operand(void *values, const char *text)
{
    ((struct opt_sample *)values)->operand = text;
    return 0;
}

static char said[200]; /* by the last parse */

static bool parse(struct opt_sample *v, int *status, char *one, char *two, char *three)
{
    const struct opt_command c = {
        .name = "sample", .options = options, .operand = take_operand, .usage = "", .notes = ""};
    char *argv[] = {"sample", one, two, three};
    struct capture messages;
    capture_begin(&messages, STDERR_FILENO);
    bool ok = opt_parse(&c, 2 + (two != NULL) + (three != NULL), argv, v, status);
    char *text = capture_end(&messages);
    snprintf(said, sizeof said, "%s", text);
    mem_free(text);
    return ok;
}

TEST(opt_fills_its_fields)
{
    struct opt_sample v = {0};
    int status;
    expect(parse(&v, &status, "--text", "--flag", "-") && !strcmp(v.text, "--flag") && !v.flag);
    expect(!strcmp(v.operand, "-"));
    expect(parse(&v, &status, "--text=a=b", "--flag", "--count=9"));
    expect(!strcmp(v.text, "a=b") && v.flag && v.count == 9);
    expect(parse(&v, &status, "--list=a", "--list", "b") && v.list.texts.count == 2);
    expect(parse(&v, &status, "--text=", NULL, NULL) && !*v.text);
    vec_free(&v.list.texts);
}

TEST(opt_refuses_what_it_cannot_read)
{
    static char *const wrong[][2] = {
        {"--count=10", "--count must be a whole number from 0 to 9, not '10'"},
        {"--count=x", "--count must be a whole number from 0 to 9, not 'x'"},
        {"--flag=1", "--flag takes no value"},
        {"--text", "--text needs a value: --text T"},
        {"--list", "--list needs a value: --list X"},
        {"--tex", "unknown option --tex, did you mean --text?"},
        {"--xyzzy=1", "unknown option --xyzzy=1"},
        {"--", "unknown option --"},
        {"-x", "unknown option -x"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct opt_sample v = {.count = 5};
        int status = 0;
        char want[200];
        snprintf(want, sizeof want, "dolly sample: %s (see `dolly sample --help`)\n", wrong[i][1]);
        expect(!parse(&v, &status, wrong[i][0], NULL, NULL) && status == EXIT_USAGE);
        expect(!strcmp(said, want));
        expect(v.count == 5 && !v.flag && !v.text);
    }
}
