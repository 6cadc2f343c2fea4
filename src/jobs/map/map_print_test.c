#include "jobs/map/map_print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "jobs/map/map_files.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

static void begin(struct map *m, char **argv)
{
    struct err err;
    int argc = 0;

    *m = (struct map){.dir = mem_strdup("d")};
    while (argv[argc])
        argc++;
    expect(options_parse(&m->options, argc, argv, &err) == 0 && map_open(m, &err) == 0);
}

#define BEGIN(m, ...) begin(m, (char *[]){"map", __VA_ARGS__, NULL})

/* Shows the file `out` from there. Returns true if this is printed. */
static bool shows(struct map *m, struct map_shown *shown, const char *tag, bool lines,
                  const char *want)
{
    struct capture c;
    struct str text = {0};

    capture_begin(&c, STDOUT_FILENO);
    int result = map_print_show(m, "out", shown, STDOUT_FILENO, tag, lines);
    char *printed = capture_end(&c);
    str_add(&text, printed);
    mem_free(printed);
    bool same = text_was(&text, want) && result == 0;
    str_free(&text);
    return same;
}

TEST(map_print_shows_a_file_that_grows_by_whole_lines)
{
    struct command_folder f;
    struct map_shown shown = {0};
    struct map m = {0};
    int open_before = limits_open();

    command_begin(&f);
    expect(shows(&m, &shown, NULL, true, "")); /* there is none yet */
    command_file("out", "one\ntw");
    expect(shows(&m, &shown, NULL, true, "one\n") && shown.printed == 4);
    expect(shows(&m, &shown, NULL, true, "") && shown.searched == 6);
    command_file("out", "one\ntwo");
    expect(shows(&m, &shown, NULL, true, "") && shown.searched == 7);
    command_file("out", "one\ntwo\n\nx");
    expect(shows(&m, &shown, "t", true, "t\ttwo\nt\t\n") && shown.printed == 9);
    expect(shows(&m, &shown, NULL, false, "x") && shown.printed == 10);
    expect(shows(&m, &shown, NULL, false, ""));
    shown = (struct map_shown){0};
    expect(shows(&m, &shown, "a b", false, "a b\tone\na b\ttwo\na b\t\na b\tx"));
    m.fail.aborts = true; /* then nothing more is printed */
    shown = (struct map_shown){0};
    expect(shows(&m, &shown, NULL, false, "") && shown.printed == 0);
    command_end(&f);
    expect(limits_open() == open_before);
}

/* Longer than what is read at once: the tag stands at the beginning of the line alone. */
TEST(map_print_shows_long_lines)
{
    enum { LONG = 150000 };
    struct command_folder f;
    struct map_shown shown = {0};
    struct map m = {0};
    struct str text = {0}, want = {0};
    char *line = mem_resize(NULL, LONG + 1, 1);

    memset(line, 'x', LONG);
    line[LONG] = 0;
    str_addf(&text, "short\n%s\nend\n", line);
    str_addf(&want, "t\tshort\nt\t%s\nt\tend\n", line);
    command_begin(&f);
    command_file("out", text.text);
    expect(shows(&m, &shown, "t", true, want.text) && shown.printed == LONG + 11);
    str_cut(&text, LONG); /* whose second line has no end yet */
    command_file("out", text.text);
    shown = (struct map_shown){0};
    expect(shows(&m, &shown, NULL, true, "short\n") && shown.printed == 6);
    expect(shows(&m, &shown, NULL, true, "") && shown.searched == LONG);
    command_end(&f);
    str_free(&text);
    str_free(&want);
    mem_free(line);
}

TEST(map_print_fails_with_a_file_that_cannot_be_read)
{
    struct command_folder f;
    struct map_shown shown = {0};
    struct map m = {0};

    command_begin(&f);
    expect(mkdir("out", 0700) == 0);
    expect(map_print_show(&m, "out", &shown, STDOUT_FILENO, NULL, false) == -1 && errno == EISDIR);
    command_file("file", "");
    expect(map_print_show(&m, "file/out", &shown, STDOUT_FILENO, NULL, false) == -1 &&
           errno == ENOTDIR);
    expect(!m.fail.aborts);
    command_end(&f);
}

/* A reader that has gone is not an error to report; anything else is. */
TEST(map_print_notes_what_cannot_be_written)
{
    struct map m = {0}, n = {0};

    map_print_write(&m, -1, "x", 1);
    expect(m.fail.aborts &&
           !strcmp(m.fail.why.text, "cannot write to stderr: Bad file descriptor"));
    n.fail.aborts = true;
    map_print_write(&n, -1, "x", 1);
    expect(!n.fail.why.text[0]);
}

/* ---- tasks ---- */

/* The output of a task that is done. */
static struct map_end done(const char *dir, uint32_t task, const char *out, const char *err)
{
    char path[64];

    mkdir(dir, 0700);
    for (int i = 0; i < 4; i++) {
        static const char *const folders[] = {"out", "out/0", "out/0/map", "err"};
        snprintf(path, sizeof path, "%s/%s", dir, folders[i]);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof path, "%s/out/0/map/%u", dir, task);
    command_file(path, out);
    snprintf(path, sizeof path, "%s/err/%u", dir, task);
    if (*err)
        command_file(path, err);
    return (struct map_end){.state = MAP_TASK_DONE,
                            .received = (int64_t)strlen(out),
                            .said = (int64_t)strlen(err),
                            .silent = !*err,
                            .runtime_s = 2};
}

/* Begins to keep what is printed on both streams. */
static void listen(struct capture c[2])
{
    capture_begin(&c[0], STDOUT_FILENO);
    capture_begin(&c[1], STDERR_FILENO);
}

static bool heard(struct capture c[2], const char *out, const char *err)
{
    char *printed[2];

    printed[1] = capture_end(&c[1]);
    printed[0] = capture_end(&c[0]);
    bool same = strcmp(printed[0], out) == 0 && strcmp(printed[1], err) == 0;
    if (!same)
        printf("%s%s    not\n%s%s", printed[0], printed[1], out, err);
    mem_free(printed[0]);
    mem_free(printed[1]);
    return same;
}

TEST(map_print_keeps_the_order_or_does_not)
{
    for (int keep = 0; keep < 2; keep++) {
        struct command_folder f;
        struct capture c[2];
        struct map_end ends[4] = {{0}};
        struct map m;
        command_begin(&f);
        BEGIN(&m, keep ? "-k" : "--nok", "echo", ":::", "a", "b", "c", "d");
        m.print.ends = keep ? ends : NULL;
        struct map_end all[] = {done("d", 0, "a\n", ""), done("d", 1, "b\n", "oh b\n"),
                                done("d", 2, "", "oh c\n"), done("d", 3, "d\n", "")};
        listen(c);
        map_print_over(&m, 1, &all[1]);
        map_print_over(&m, 3, &all[3]);
        expect(heard(c, keep ? "" : "b\nd\n", keep ? "" : "oh b\n"));
        listen(c);
        map_print_over(&m, 0, &all[0]);
        expect(heard(c, keep ? "a\nb\n" : "a\n", keep ? "oh b\n" : ""));
        listen(c);
        map_print_flush(&m); /* the third is never over */
        expect(heard(c, keep ? "d\n" : "", ""));
        expect(m.counts.done == 3 && m.counts.runtimes.count == 3 && m.counts.failed == 0);
        expect(m.counts.runtimes.at[0] == 2);
        map_close(&m);
        command_end(&f);
    }
}

/* What was over in an earlier life is printed when all of it is known. */
TEST(map_print_waits_while_it_recalls)
{
    for (int keep = 0; keep < 2; keep++) {
        struct command_folder f;
        struct capture c[2];
        struct map_end ends[3] = {{0}};
        struct map m;
        command_begin(&f);
        BEGIN(&m, keep ? "-k" : "--nok", "echo", ":::", "a", "b", "c");
        m.print.ends = ends;
        m.recalling = true;
        struct map_end all[] = {done("d", 0, "a\n", ""), done("d", 1, "b\n", ""),
                                done("d", 2, "c\n", "")};
        listen(c);
        for (uint32_t i = 3; i-- > 0;)
            map_print_over(&m, i, &all[i]);
        ends[1].state = MAP_TASK_OPEN; /* its output was lost again */
        expect(heard(c, "", "") && m.print.recalled.count == 3);
        m.recalling = false;
        listen(c);
        map_print_recalled(&m);
        expect(heard(c, keep ? "a\n" : "c\na\n", "") && m.print.recalled.count == 0);
        map_close(&m);
        command_end(&f);
    }
}

TEST(map_print_adds_tags_commands_and_names)
{
    static const struct {
        char *option, *value;
        const char *out, *err;
    } rows[] = {
        {"--tag", NULL, "a\tone\na\ttwo", "a\toh\n"},
        {"--tagstring", "<{}>", "<a>\tone\n<a>\ttwo", "<a>\toh\n"},
        {"-v", NULL, "echo a\none\ntwo", "oh\n"},
        {"--json", NULL,
         "{\"results\":[\n{\"seq\":1,\"command\":\"echo a\",\"state\":\"done\",\"exit\":0,"
         "\"signal\":0,\"start_s\":0.000,\"runtime_s\":2.000000,\"cpu_s\":0.000000,"
         "\"attempt\":0,\"clone\":false,\"stdout\":\"one\\ntwo\",\"stderr\":\"oh\\n\"}",
         ""},
        {"--results", "there", "", ""},
        {"--output", "file", "", "oh\n"},
        {"--error", "file", "one\ntwo", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct command_folder f;
        struct capture c[2];
        struct map m;
        command_begin(&f);
        if (rows[i].value)
            BEGIN(&m, rows[i].option, rows[i].value, "echo", ":::", "a");
        else
            BEGIN(&m, rows[i].option, "echo", ":::", "a");
        struct map_end end = done("d", 0, "one\ntwo", "oh\n");
        listen(c);
        map_print_over(&m, 0, &end);
        expect(heard(c, rows[i].out, rows[i].err));
        expect(access("d/out/0/map/0", F_OK) == 0 && !m.fail.aborts);
        map_close(&m);
        command_end(&f);
    }
}

/* A private folder keeps nothing that was printed. */
TEST(map_print_removes_what_is_not_needed)
{
    struct command_folder f;
    struct capture c[2];
    struct map m;

    command_begin(&f);
    BEGIN(&m, "echo", ":::", "a", "b");
    m.dir_private = true;
    struct map_end end = done("d", 0, "one\n", "oh\n"), failed = {.state = MAP_TASK_FAILED};
    expect(mkdir("d/failed", 0700) == 0 && mkdir("d/failed/1", 0700) == 0);
    command_file("d/failed/1/stdout", "half\n");
    command_file("d/failed/1/stderr", "why\n");
    listen(c);
    map_print_over(&m, 0, &end);
    map_print_over(&m, 1, &failed);
    expect(heard(c, "one\nhalf\n", "oh\nwhy\n") && m.counts.failed == 1 && m.counts.done == 1);
    expect(access("d/out/0/map/0", F_OK) < 0 && access("d/err/0", F_OK) < 0);
    expect(access("d/failed/1", F_OK) < 0 && access("d/failed", F_OK) == 0);
    map_close(&m);
    command_end(&f);
}

/* ---- files that the user has named ---- */

/* Prints a task of which `--results` or the like keep the outputs. */
static void print_one(struct map *m, uint32_t task, const char *out, const char *err)
{
    struct map_end end = done("d", task, out, err);
    struct capture c[2];

    listen(c);
    map_print_over(m, task, &end);
    expect(heard(c, "", ""));
}

static bool holds(const char *path, const char *want)
{
    char text[256];
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    text[n] = 0;
    if (f)
        fclose(f);
    return f && strcmp(text, want) == 0;
}

TEST(map_files_keeps_results_in_folders_or_beside_each_other)
{
    struct command_folder f;
    struct map m;
    int open_before = limits_open();

    command_begin(&f);
    BEGIN(&m, "--results", "r", "echo", ":::", "a", "b");
    print_one(&m, 1, "one\n", "oh\n");
    expect(holds("r/1/b/stdout", "one\n") && holds("r/1/b/stderr", "oh\n"));
    expect(holds("r/1/b/seq", "2") && !m.fail.aborts);
    map_close(&m);
    BEGIN(&m, "--results", "s/{}/", "echo", ":::", "a", "b");
    print_one(&m, 0, "one\n", "");
    expect(holds("s/a/stdout", "one\n") && holds("s/a/stderr", "") && holds("s/a/seq", "1"));
    map_close(&m);
    BEGIN(&m, "--results", "t/{}.x", "echo", ":::", "a", "b");
    print_one(&m, 0, "one\n", "oh\n");
    expect(holds("t/a.x", "one\n") && holds("t/a.x.err", "oh\n") && holds("t/a.x.seq", "1"));
    map_close(&m);
    command_file("file", "");
    BEGIN(&m, "--results", "file/r", "echo", ":::", "a");
    print_one(&m, 0, "one\n", "");
    expect(m.fail.aborts && strstr(m.fail.why.text, "cannot write file/r/1/a/stdout: Not a dir"));
    map_close(&m);
    command_end(&f);
    expect(limits_open() == open_before);
}

/* A file of all tasks is emptied once, and each adds to it; one of its own is replaced. */
TEST(map_files_are_shared_or_of_one_task)
{
    struct command_folder f;
    struct map m;
    struct err err;

    command_begin(&f);
    command_file("all", "earlier\n");
    command_file("own.1", "earlier\n");
    BEGIN(&m, "--output", "all", "--error", "own.%a", "echo", ":::", "a", "b");
    expect(map_files_open(&m, &err) == 0 && holds("all", "") && holds("own.1", "earlier\n"));
    print_one(&m, 0, "one\n", "");
    print_one(&m, 1, "two\n", "oh\n");
    expect(holds("all", "one\ntwo\n") && holds("own.1", "") && holds("own.2", "oh\n"));
    map_close(&m);
    BEGIN(&m, "--output", "both", "--error", "both", "echo", ":::", "a");
    expect(map_files_open(&m, &err) == 0);
    print_one(&m, 0, "one\n", "oh\n");
    expect(holds("both", "one\noh\n"));
    map_close(&m);
    BEGIN(&m, "--output", "%a.x", "--error", "%a.x", "echo", ":::", "a");
    expect(map_files_open(&m, &err) == 0);
    print_one(&m, 0, "one\n", "oh\n");
    print_one(&m, 0, "one\n", "oh\n"); /* in its place, not behind it */
    expect(holds("1.x", "one\noh\n"));
    map_close(&m);
    BEGIN(&m, "--output", "all/x", "echo", ":::", "a");
    expect(map_files_open(&m, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(!strcmp(err.text, "cannot write all/x: Not a directory"));
    map_close(&m);
    command_end(&f);
}

TEST(map_files_name_the_copy_of_an_output)
{
    struct command_folder f;
    struct map m;
    struct str path = {0};

    command_begin(&f);
    BEGIN(&m, "--files", "--tmpdir", "t", "echo", ":::", "a");
    struct map_end end = done("d", 0, "one\n", "");
    struct map_output p = {.end = &end, .out = path_of("d/out/0/map/0")};
    map_files_name(&m, &p, &path);
    expect(m.fail.aborts && strstr(m.fail.why.text, "cannot write t/dolly"));
    m.fail.aborts = false;
    str_cut(&path, 0);
    expect(mkdir("t", 0700) == 0);
    map_files_name(&m, &p, &path);
    expect(!m.fail.aborts && strncmp(path.text, "t/dolly", 7) == 0 && holds(path.text, "one\n"));
    expect(path.length > 11 && strcmp(path.text + path.length - 4, ".par") == 0);
    str_free(&path);
    map_close(&m);
    BEGIN(&m, "--files", "--results", "r", "echo", ":::", "a");
    map_files_name(&m, &p, &path);
    expect(!strcmp(path.text, "r/1/a/stdout"));
    str_free(&path);
    map_close(&m);
    command_end(&f);
}
