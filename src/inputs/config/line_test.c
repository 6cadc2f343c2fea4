#include "inputs/config/line.h"

#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static struct line_file *open_text(const char *text, size_t length, struct err *err)
{
    struct scratch s = scratch_write(text, length);
    struct line_file *f = line_open(s.path, err);
    scratch_remove(&s);
    return f;
}

TEST(line_cuts_words_and_pairs)
{
    struct err err;
    const char text[] = "# a comment\n"
                        "\n"
                        "  job one at=10s\tuser=ann # more\n"
                        "phase m#1 command=\"echo \\\"hi\\\" # no comment \\\\ \\n\" x=\r\n"
                        "bare a==b";
    struct line_file *f = open_text(text, sizeof text - 1, &err);
    const struct line *line;
    expect(f != NULL);
    expect(line_count(f) == 5);

    expect(line_next(f, &line, &err) == 1);
    expect(line->number == 3 && !strcmp(line->word, "job") && !strcmp(line->name, "one"));
    expect(line->pairs.count == 2);
    expect(!strcmp(line->pairs.at[0].key, "at") && !strcmp(line->pairs.at[0].value, "10s"));
    expect(!strcmp(line->pairs.at[1].key, "user") && !strcmp(line->pairs.at[1].value, "ann"));

    expect(line_next(f, &line, &err) == 1);
    expect(line->number == 4 && !strcmp(line->name, "m#1") && line->pairs.count == 2);
    expect(!strcmp(line->pairs.at[0].value, "echo \"hi\" # no comment \\ \\n"));
    expect(!strcmp(line->pairs.at[1].key, "x") && !strcmp(line->pairs.at[1].value, ""));

    expect(line_next(f, &line, &err) == 1);
    expect(line->number == 5 && line->name == NULL && !strcmp(line->pairs.at[0].value, "=b"));
    expect(line_next(f, &line, &err) == 0);
    expect(line_next(f, &line, &err) == 0);
    expect(line_count(f) == 5);
    line_close(f);
}

TEST(line_skips_a_byte_order_mark)
{
    struct err err;
    struct line_file *f = open_text("\xef\xbb\xbfjob a\n", 9, &err);
    const struct line *line;
    expect(line_next(f, &line, &err) == 1 && !strcmp(line->word, "job"));
    line_close(f);
}

/* The file is read in pieces; a word across their border must not suffer. */
TEST(line_takes_long_lines_whole)
{
    enum { LENGTH = 300 * 1000 };
    char *text = malloc(LENGTH);
    check(text);
    memset(text, 'x', LENGTH);
    memcpy(text, "job a v=", 8);
    struct err err;
    struct line_file *f = open_text(text, LENGTH, &err);
    const struct line *line;
    expect(line_next(f, &line, &err) == 1 && strlen(line->pairs.at[0].value) == LENGTH - 8);
    line_close(f);
    free(text);
}

TEST(line_counts_the_lines_of_an_empty_file_as_one)
{
    struct err err;
    struct line_file *f = open_text("", 0, &err);
    const struct line *line;
    expect(line_count(f) == 1);
    expect(line_next(f, &line, &err) == 0);
    line_close(f);
}

TEST(line_says_what_is_wrong_and_where)
{
    static const struct {
        const char *text;
        unsigned line;
        const char *what;
    } cases[] = {
        {"job a x=\"1\n", 1, "the quote after x= does not end; expected x=\"...\""},
        {"a\njob a x=\"1\"y=2\n", 2, "'y=2' sticks to the quote before it; expected a blank"},
        {"job \"a b\"\n", 1, "a quote inside a word; expected key=\"value\""},
        {"job a x=1\"2\"\n", 1, "a quote inside a word"},
        {"job a =5\n", 1, "'=' without a key; expected key=value"},
        {"\n\nat=5\n", 3, "the line begins with at=; expected a word first"},
        {"job a b\n", 1, "'b' has no value; expected key=value"},
        {"job a x=1 b\n", 1, "'b' has no value; expected key=value, or key=\"two words\""},
        {"job a\x01\n", 1, "a control character (0x01); expected plain text"},
        {"job a\rjob b\r", 1, "a control character (0x0d)"},
        {"# \x7f\n", 1, "a control character (0x7f)"},
        {"job a \xc3z", 1, "'?z' has no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err;
        struct scratch s = scratch_write(cases[i].text, strlen(cases[i].text));
        struct line_file *f = line_open(s.path, &err);
        const struct line *line;
        int rc = 0;
        while (f && (rc = line_next(f, &line, &err)) > 0)
            ;
        expect(rc == -1);
        expect(scratch_blames(&s, err.text, cases[i].line, cases[i].what));
        line_close(f);
        scratch_remove(&s);
    }
}

TEST(line_refuses_what_is_no_text_file)
{
    struct err err;
    struct scratch s = scratch_write("job a\nj\0b b\n", 12);
    expect(line_open(s.path, &err) == NULL);
    expect(scratch_blames(&s, err.text, 2, "a zero byte; expected a text file"));
    scratch_remove(&s);
    expect(line_open(s.path, &err) == NULL && err.kind == ERR_INPUT);
    expect(scratch_blames(&s, err.text, 0, "cannot open: No such file"));

    expect(line_open("/tmp", &err) == NULL && err.kind == ERR_INPUT);
    expect(!strcmp(err.text, "/tmp: a directory; expected a file"));
    expect(line_open("/dev/zero", &err) == NULL);
    expect(!strcmp(err.text, "/dev/zero:1: a zero byte; expected a text file"));
    expect(line_open("/proc/self/mem", &err) == NULL && err.kind == ERR_SYSTEM);
    expect(!strcmp(err.text, "/proc/self/mem: cannot read: Input/output error"));
}

TEST(line_messages_stay_short_and_printable)
{
    char path[600];
    memset(path, 'd', sizeof path - 1);
    path[sizeof path - 1] = 0;
    memcpy(path, "/a\nb/", 5);
    strcpy(path + 590, "tail");
    struct err err;
    expect(line_open(path, &err) == NULL);
    expect(!strncmp(err.text, "...", 3) && strstr(err.text, "tail: cannot open: ") != NULL);
    expect(strcspn(err.text, ":") == 3 + 160);
    path[160] = 0; /* the longest that is shown whole */
    expect(line_open(path, &err) == NULL);
    expect(!strncmp(err.text, "/a?b/ddd", 8) && strcspn(err.text, ":") == 160);
    expect(line_open("/no\nsuch", &err) == NULL && !strncmp(err.text, "/no?such: ", 10));

    expect(!strcmp(line_quote("a\tb\xff").text, "a?b?"));
    expect(!strcmp(line_quote("1234567890123456789012345678901234567890").text,
                   "1234567890123456789012345678901234567890"));
    expect(!strcmp(line_quote("12345678901234567890123456789012345678901").text,
                   "1234567890123456789012345678901234567890..."));
}
