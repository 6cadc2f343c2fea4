#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "jobs/task/task_state.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* A piece of the file `in` as it is now. */
static struct plan_split piece(uint64_t from, uint64_t bytes)
{
    static char path[] = "in";
    struct stat st = {0};

    expect(stat(path, &st) == 0);
    return (struct plan_split){path,
                               from,
                               bytes,
                               (uint64_t)st.st_size,
                               (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
                               false};
}

/* Reads the piece. Returns true if it is this text, of so many lines. */
static bool reads(const struct task_attempt *t, const char *want, uint64_t lines)
{
    struct str text = {0};
    struct err err;
    const char *at;
    int64_t n;
    struct task_input *in = task_piece_open(t, &err);

    if (!in)
        return false;
    while ((n = in->feed(in, &at, &err)) > 0)
        str_add_bytes(&text, at, (size_t)n);
    str_add(&text, "");
    expect(in->feed(in, &at, &err) == 0 && in->check(in, &err) == 0);
    bool right = n == 0 && in->read == lines;
    in->close(in);
    right = text_was(&text, want) && right;
    str_free(&text);
    return right;
}

TEST(task_piece_has_whole_lines_with_their_ends)
{
    static const struct {
        const char *file;
        uint64_t from, bytes;
        bool hadoop;
        uint8_t offsets;
        const char *want;
        uint64_t lines;
    } rows[] = {
        {"one\ntwo\nthree", 0, 13, false, PLAN_LINES, "one\ntwo\nthree\n", 3},
        {"one\ntwo\nthree", 0, 2, false, PLAN_LINES, "one\n", 1},
        {"one\ntwo\nthree", 2, 2, false, PLAN_LINES, "", 0},
        {"one\ntwo\nthree", 4, 1, false, PLAN_LINES, "two\n", 1},
        {"one\ntwo\nthree", 5, 8, false, PLAN_LINES, "three\n", 1},
        {"one\r\ntwo\r\n", 0, 10, false, PLAN_LINES, "one\r\ntwo\r\n", 2},
        {"one\r\ntwo\r\n", 0, 10, true, PLAN_LINES, "one\ntwo\n", 2},
        {"one\r\ntwo\r\n", 0, 10, true, PLAN_OFFSETS, "0\tone\n5\ttwo\n", 2},
        {"one\r\ntwo\r\n", 0, 10, false, PLAN_OFFSETS, "0\tone\r\n5\ttwo\r\n", 2},
        {"one\r\ntwo\r\n", 3, 7, true, PLAN_OFFSETS, "5\ttwo\n", 1},
        {"one\r\nt\two", 0, 10, true, PLAN_TABS, "one\t\nt\two\n", 2},
        {"", 0, 0, true, PLAN_LINES, "", 0},
    };
    struct command_folder f;
    int open_before = limits_open();

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_phase p = {
            .above = PLAN_INPUTS, .as_hadoop = rows[i].hadoop, .offsets = rows[i].offsets};
        command_file("in", rows[i].file);
        struct task_attempt t = {
            .phase = &p, .split = piece(rows[i].from, rows[i].bytes), .progress = -1};
        expect(reads(&t, rows[i].want, rows[i].lines));
    }
    command_end(&f);
    expect(limits_open() == open_before);
}

TEST(task_piece_of_no_input_is_empty)
{
    static char none[] = "";
    struct plan_phase p = {.above = PLAN_INPUTS};
    struct task_attempt t = {.phase = &p, .split = {.path = none}, .progress = -1};

    expect(reads(&t, "", 0));
}

/* Before it is read, and while it is. */
TEST(task_piece_refuses_an_input_that_has_changed)
{
    static const char why[] = "in: this input has changed since the job began";
    struct plan_phase p = {.above = PLAN_INPUTS};
    struct command_folder f;
    struct err err;
    int open_before = limits_open();

    command_begin(&f);
    command_file("in", "one\ntwo\n");
    struct task_attempt t = {.phase = &p, .split = piece(0, 8), .progress = -1};
    t.split.changed_ns++;
    expect(!task_piece_open(&t, &err) && strcmp(err.text, why) == 0);
    t.split.changed_ns--;
    t.split.size++;
    expect(!task_piece_open(&t, &err) && strcmp(err.text, why) == 0 && err.kind == ERR_INPUT);
    t.split.size--;
    struct task_input *in = task_piece_open(&t, &err);
    expect(in && in->check(in, &err) == 0);
    command_file("in", "one\ntwo\nthree\n");
    expect(in->check(in, &err) == -1 && strcmp(err.text, why) == 0);
    in->close(in);
    expect(unlink("in") == 0 && !task_piece_open(&t, &err) && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "in: No such file or directory") == 0);
    command_end(&f);
    expect(limits_open() == open_before);
}
