#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "jobs/task/task_state.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* Lines of the functions must not get among the results: without both streams nothing is loaded. */
TEST(task_native_needs_stdout_and_stderr)
{
    struct plan_phase phase = {.name = "a", .native = "/nowhere.so", .above = PLAN_INPUTS};
    struct task_attempt t = {.phase = &phase, .split.path = "/in"};
    uint64_t emitted = 0;

    for (int which = STDOUT_FILENO; which <= STDERR_FILENO; which++) {
        int open_before = limits_open(), before = fcntl(which, F_DUPFD_CLOEXEC, 3);
        struct err err;
        close(which);
        int result = task_native_run(&t, NULL, NULL, &emitted, &err);
        dup2(before, which);
        close(before);
        expect(result < 0 && err.kind == ERR_SYSTEM && emitted == 0);
        expect(strcmp(err.text, "standard output: Bad file descriptor") == 0);
        expect(limits_open() == open_before);
    }
}

/* ---- functions that run ---- */

/* Each is named after what it does with a line; `begin` and `end` print their names. */
static const char source[] =
    "#include <dolly.h>\n"
    "#define LINE(name) static int name(struct dolly_task *t, struct dolly_bytes line)\n"
    "LINE(print) { dolly_print(t, line); return 0; }\n"
    "LINE(emit) { dolly_emit(t, dolly_text(\"k\"), line); return 0; }\n"
    "LINE(refuse) { dolly_print(t, line); return dolly_fail(t, \"not with me\"); }\n"
    "LINE(say_no) { dolly_print(t, line); return 7; }\n"
    "#define HUGE(line) dolly_slice(line.at, (size_t)INT32_MAX + 1)\n" /* refused unread */
    "LINE(huge) { dolly_print(t, HUGE(line)); return 0; }\n"
    "LINE(huge_key) { dolly_emit(t, HUGE(line), line); return 0; }\n"
    "LINE(huge_value) { dolly_emit(t, line, HUGE(line)); return 0; }\n"
    "static int first(struct dolly_task *t) { dolly_print(t, dolly_text(\"begin\")); return 0; }\n"
    "static int last(struct dolly_task *t) { dolly_print(t, dolly_text(\"end\")); return 0; }\n"
    "static int never(struct dolly_task *t) { (void)t; return 3; }\n"
    "#define FUNCTIONS(name) DOLLY_EXPORT const struct dolly_functions name\n"
    "FUNCTIONS(prints) = {.abi = DOLLY_ABI, .map = print};\n"
    "FUNCTIONS(emits) = {.abi = DOLLY_ABI, .map = emit};\n"
    "FUNCTIONS(refuses) = {.abi = DOLLY_ABI, .map = refuse};\n"
    "FUNCTIONS(says_no) = {.abi = DOLLY_ABI, .map = say_no};\n"
    "FUNCTIONS(has_ends) = {.abi = DOLLY_ABI, .begin = first, .map = print, .end = last};\n"
    "FUNCTIONS(cannot_begin) = {.abi = DOLLY_ABI, .begin = never, .map = print};\n"
    "FUNCTIONS(cannot_end) = {.abi = DOLLY_ABI, .map = print, .end = never};\n"
    "FUNCTIONS(huge_lines) = {.abi = DOLLY_ABI, .map = huge};\n"
    "FUNCTIONS(huge_keys) = {.abi = DOLLY_ABI, .map = huge_key};\n"
    "FUNCTIONS(huge_values) = {.abi = DOLLY_ABI, .map = huge_value};\n";

/* Goes to a folder that has the functions as f.so. False, and no folder: there is no compiler. */
static bool compile(struct command_folder *f)
{
    struct str line = {0};
    char *include = realpath("include", NULL);

    command_begin(f);
    command_file("f.c", source);
    str_addf(&line, "cc -std=c11 -shared -fPIC -I'%s' -o f.so f.c 2>cc.err",
             include ? include : "/nowhere");
    bool done = include && system(line.text) == 0;
    free(include);
    str_free(&line);
    if (!done) {
        command_end(f);
        test_skip("no C compiler, or not in the tree");
    }
    return done;
}

/* Gives `count` lines of two bytes, then an end or an error. */
struct given_lines {
    struct task_input input;
    uint32_t count;
    bool broken, changed;
};

static int64_t give(void *ctx, const char **at, struct err *err)
{
    struct given_lines *l = ctx;

    if (l->count == 0)
        return l->broken ? err_set(err, "the input: it broke") : 0;
    l->count--;
    *at = "a\n";
    return 2;
}

static int check_lines(struct task_input *in, struct err *err)
{
    return ((struct given_lines *)in)->changed ? err_set(err, "the input: it has changed") : 0;
}

struct outcome {
    int result;
    uint64_t emitted;
    struct err err;
};

/* Runs these functions with standard output opened as told. */
static struct outcome run(const char *functions, struct given_lines l, const char *output,
                          int flags)
{
    extern char **environ;
    static char *env[] = {"A=1", NULL};
    struct plan_phase phase = {.name = "a",
                               .native = "./f.so",
                               .functions = (char *)(uintptr_t)functions,
                               .separator = "\t",
                               .above = PLAN_INPUTS};
    struct task_attempt t = {.phase = &phase, .split.path = "/in"};
    struct outcome o = {.emitted = UINT64_MAX};
    char **had = environ;
    int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int fd = open(output, flags | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    l.input.feed = give;
    l.input.check = check_lines;
    expect(before >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    close(fd);
    o.result = task_native_run(&t, &l.input, env, &o.emitted, &o.err);
    dup2(before, STDOUT_FILENO);
    close(before);
    expect(environ == had);
    return o;
}

static bool holds(const char *name, const char *expected)
{
    char text[64] = "";
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, sizeof text - 1);

    close(fd);
    return n >= 0 && strcmp(text, expected) == 0;
}

TEST(task_native_prints_lines)
{
    static const struct {
        const char *functions, *lines;
        uint64_t emitted;
    } rows[] = {{"prints", "a\na\n", 2},
                {"emits", "k\ta\nk\ta\n", 2},
                {"has_ends", "begin\na\na\nend\n", 4}};
    struct command_folder f;

    if (!compile(&f))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct given_lines two = {.count = 2};
        struct outcome o = run(rows[i].functions, two, "out", O_WRONLY);
        expect(o.result == 0 && o.emitted == rows[i].emitted && holds("out", rows[i].lines));
    }
    command_end(&f);
}

/* Many lines are more than the buffer, so an error comes with one of them; of few it comes when the
 * file is closed. After an error nothing more is asked for, and the first one is told. */
TEST(task_native_says_what_went_wrong)
{
    enum { MANY = 1 << 18, BUFFER = 1 << 18 };
    static const char no_space[] = "the output: No space left on device",
                      too_long[] = "a key, a value or a line has more than 2 GiB";
    static const struct {
        const char *functions;
        struct given_lines lines;
        const char *output;
        int flags;
        const char *why;
        uint64_t emitted;
    } rows[] = {
        {"prints", {.count = 1}, "/dev/full", O_WRONLY, no_space, 1},
        {"prints", {.count = MANY}, "/dev/full", O_WRONLY, no_space, BUFFER / 2 + 1},
        {"emits", {.count = MANY}, "/dev/full", O_WRONLY, no_space, BUFFER / 4 + 1},
        {"prints", {.count = 2}, "out", O_RDONLY, "the output: Invalid argument", 0},
        {"prints", {.count = 2, .broken = true}, "out", O_WRONLY, "the input: it broke", 2},
        {"prints", {.count = 2, .changed = true}, "out", O_WRONLY, "the input: it has changed", 2},
        {"prints", {.count = 1, .broken = true}, "/dev/full", O_WRONLY, "the input: it broke", 1},
        {"refuses", {.count = 2}, "out", O_WRONLY, "./f.so: not with me", 1},
        {"refuses", {.count = 2}, "/dev/full", O_WRONLY, "./f.so: not with me", 1},
        {"says_no", {.count = 2}, "out", O_WRONLY, "./f.so: map of phase 'a' returned 7", 1},
        {"cannot_begin", {.count = 2}, "out", O_WRONLY, "./f.so: begin of phase 'a' returned 3", 0},
        {"cannot_end", {.count = 2}, "out", O_WRONLY, "./f.so: end of phase 'a' returned 3", 2},
        {"huge_lines", {.count = 2}, "out", O_WRONLY, too_long, 0},
        {"huge_keys", {.count = 2}, "out", O_WRONLY, too_long, 0},
        {"huge_values", {.count = 2}, "out", O_WRONLY, too_long, 0},
        {"nothing",
         {.count = 2},
         "out",
         O_WRONLY,
         "./f.so: it has no 'nothing'; expected `DOLLY_EXPORT const struct dolly_functions "
         "nothing`",
         0},
    };
    struct command_folder f;

    if (!compile(&f))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = run(rows[i].functions, rows[i].lines, rows[i].output, rows[i].flags);
        expect(o.result < 0 && o.emitted == rows[i].emitted);
        expect(strcmp(o.err.text, rows[i].why) == 0);
    }
    command_end(&f);
}
