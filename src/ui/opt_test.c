#include "ui/opt.h"

#include <stddef.h>
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

static bool parse_with(const struct opt_command *c, struct opt_sample *v, char *one, char *two,
                       int *status, int fd, char *printed, size_t size)
{
    char *argv[] = {"sample", one, two};
    struct capture capture;
    capture_begin(&capture, fd);
    bool ok = opt_parse(c, 2 + (two != NULL), argv, v, status);
    char *text = capture_end(&capture);
    snprintf(printed, size, "%s", text);
    mem_free(text);
    return ok;
}

static int take_own(void *value, const char *text, struct err *err)
{
    if (strcmp(text, "no") == 0)
        return err_set(err, "never %s", text);
    *(uint32_t *)value += 3;
    return 0;
}

static const struct field more_options[] = {
    {FIELD_OPTION("text", "T", FIELD_TEXT, struct opt_sample, text, "a text"), .alias = "t"},
    {FIELD_OPTION("flag", NULL, FIELD_FLAG, struct opt_sample, flag, "a flag"), .alias = "f"},
    {FIELD_OPTION("own", "X", FIELD_OWN, struct opt_sample, count, "a value\nof our own"),
     .take = take_own},
    {0},
};

static const struct opt_command more = {.name = "sample",
                                        .options = more_options,
                                        .usage = "usage: sample\n\nTries\nthis.\n",
                                        .notes = "\nA note.\n",
                                        .has_operand = true,
                                        .operand_at = offsetof(struct opt_sample, operand),
                                        .absent = "queue",
                                        .instead = "use --text"};

TEST(opt_prints_the_table_as_help)
{
#define ROWS                                                                                       \
    "usage: sample\n\nTries this.\n\n"                                                             \
    "  -t, --text T           a text\n"                                                            \
    "  -f, --flag             a flag\n"                                                            \
    "  --own X                a value of our own\n"                                                \
    "  --help                 this text\n"
    static char *const asked[] = {"-h", "--help", "--help=all"};
    char printed[600];
    for (size_t i = 0; i < 3; i++) {
        struct opt_sample v = {0};
        struct opt_command bare = more;
        bare.notes = NULL;
        int status = -1;
        expect(!parse_with(&more, &v, "--flag", asked[i], &status, STDOUT_FILENO, printed,
                           sizeof printed));
        expect(status == 0 && strcmp(printed, ROWS "\nA note.\n") == 0);
        expect(!parse_with(&bare, &v, asked[i], "--none", &status, STDOUT_FILENO, printed,
                           sizeof printed));
        expect(status == 0 && strcmp(printed, ROWS) == 0);
    }
#undef ROWS
}

TEST(opt_takes_letters_operands_and_values_of_its_own)
{
    static const struct {
        char *one, *two;
        const char *text, *operand;
        uint32_t count;
        bool flag;
    } rows[] = {
        {"-t", "a", "a", NULL, 0, false},  {"-t", "-f", "-f", NULL, 0, false},
        {"-f", "a", NULL, "a", 0, true},   {"--own=a", "--own=b", NULL, NULL, 6, false},
        {"--own", "a", NULL, NULL, 3, false}, {"", NULL, NULL, "", 0, false},
    };
    static const struct {
        char *one, *two;
        const char *why;
    } wrong[] = {
        {"a", "b", "unexpected argument 'b'"},
        {"--own", "no", "never no"},
        {"--queue", "a", "unknown option --queue: use --text"},
        {"--queues", "a", "unknown option --queues"},
        {"-g", "a", "unknown option -g"},
        {"-ft", "a", "unknown option -ft"},
        {"-t", NULL, "--text needs a value: --text T"},
    };
    char printed[200], want[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct opt_sample v = {0};
        int status = -1;
        expect(parse_with(&more, &v, rows[i].one, rows[i].two, &status, STDERR_FILENO, printed,
                          sizeof printed));
        expect(status == 0 && !*printed && v.count == rows[i].count && v.flag == rows[i].flag);
        expect(!v.text == !rows[i].text && (!v.text || strcmp(v.text, rows[i].text) == 0));
        expect(!v.operand == !rows[i].operand &&
               (!v.operand || strcmp(v.operand, rows[i].operand) == 0));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct opt_sample v = {0};
        int status = -1;
        expect(!parse_with(&more, &v, wrong[i].one, wrong[i].two, &status, STDERR_FILENO, printed,
                           sizeof printed));
        snprintf(want, sizeof want, "dolly sample: %s (see `dolly sample --help`)\n", wrong[i].why);
        expect(status == EXIT_USAGE && strcmp(printed, want) == 0);
    }
}
