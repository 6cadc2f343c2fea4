#include "jobs/run/output.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/command.h"

static mode_t mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mode & 0777 : 0;
}

static bool is(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    if (f && !fgets(found, sizeof found, f))
        found[0] = '\0';
    if (f)
        fclose(f);
    return f && strcmp(found, text) == 0;
}

static bool said(const struct err *err, const char *text)
{
    bool same = strcmp(err->text, text) == 0;
    if (!same)
        printf("%s\n", err->text);
    return same;
}

TEST(output_begins_in_a_new_folder)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    umask(027);
    expect(!output_has_begun("a/b/out") && !output_is_done("a/b/out"));
    expect(output_begin("a/b/out", &err) == 0 && mode_of("a") == 0750 && mode_of("a/b") == 0750);
    expect(mode_of("a/b/out") == 0750 && mode_of("a/b/out/_temporary") == 0700);
    expect(output_has_begun("a/b/out") && !output_is_done("a/b/out"));
    expect(output_begin("a/b/out", &err) == -1 && err.kind == ERR_INPUT &&
           said(&err, "a/b/out already exists; choose a new folder"));
    command_file("a/b/out/_SUCCESS", "");
    expect(output_is_done("a/b/out"));
    expect(output_begin("a/b/out", &err) == -1 &&
           said(&err, "a/b/out already exists, with the results of a job; choose a new folder"));
    expect(output_begin("slashes//", &err) == 0 && is("slashes/_temporary"));
    command_file("file", "");
    expect(output_begin("file/out", &err) == -1 && said(&err, "file/out: Not a directory"));
    expect(output_clear("a/b/out", &err) == 0 && is("a/b/out") && !is("a/b/out/_temporary"));
    expect(output_clear("a/b/out", &err) == 0);
    expect(output_clear("file", &err) == -1 && err.kind == ERR_SYSTEM &&
           said(&err, "file/_temporary: cannot be removed: Not a directory") && is("file"));
    output_abandon("slashes");
    expect(!is("slashes"));
    expect(output_begin("/dev/null/out", &err) == -1);
    expect(unlink("a/b/out/_SUCCESS") == 0);
    output_abandon("a/b/out");
    expect(!is("a/b/out") && rmdir("a/b") == 0);
    command_end(&f);
}

/* Two parts and an empty one. */
static void make_parts(const char *output)
{
    struct err err;
    char path[PATH_MAX];
    expect(output_begin(output, &err) == 0);
    static const char *const folders[] = {"run", "run/out", "run/out/0", "run/out/0/sum"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/_temporary/%s", output, folders[i]);
        expect(mkdir(path, 0700) == 0);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/_temporary/run/out/0/sum/%d", output, i);
        command_file(path, i == 0 ? "one" : i == 1 ? "three" : "");
        chmod(path, 0600);
    }
}

static const int64_t sizes[] = {3, 5, 0};

TEST(output_is_finished_when_all_parts_are_there)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    umask(022);
    make_parts("out");
    expect(output_finish("out", "sum", 3, sizes, false, &err) == 0 && output_is_done("out"));
    expect(holds("out/part-00000", "one") && holds("out/part-00001", "three"));
    expect(is("out/part-00002") && mode_of("out/part-00000") == 0644 && !output_has_begun("out"));
    expect(mode_of("out/_SUCCESS") == 0644);
    make_parts("lazy");
    expect(output_finish("lazy", "sum", 3, sizes, true, &err) == 0 && output_is_done("lazy"));
    expect(is("lazy/part-00001") && !is("lazy/part-00002"));
    command_end(&f);
}

/* It is killed between two parts, and goes on. */
TEST(output_is_finished_later)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    make_parts("out");
    expect(rename("out/_temporary/run/out/0/sum/0", "out/part-00000") == 0);
    expect(output_finish("out", "sum", 3, sizes, false, &err) == 0 && output_is_done("out"));
    expect(holds("out/part-00000", "one") && holds("out/part-00001", "three"));
    command_end(&f);
}

TEST(output_that_is_not_whole_is_not_finished)
{
    static const struct {
        const char *file, *text, *why; /* text NULL: gone */
    } t[] = {
        {"_temporary/run/out/0/sum/1", NULL,
         "out/_temporary/run/out/0/sum/1: No such file or directory: the result of task 1 is gone; "
         "run the job again"},
        {"_temporary/run/out/0/sum/1", "four",
         "out/_temporary/run/out/0/sum/1: has 4 bytes now and had 5 when task 1 was done; run the "
         "job again"},
        {"_temporary/run/out/0/sum/2", "x",
         "out/_temporary/run/out/0/sum/2: has 1 bytes now and had 0 when task 2 was done; run the "
         "job again"},
    };
    struct command_folder f;
    struct err err = {0};
    char path[64];
    command_begin(&f);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        make_parts("out");
        snprintf(path, sizeof path, "out/%s", t[i].file);
        if (t[i].text)
            command_file(path, t[i].text);
        else
            expect(unlink(path) == 0);
        expect(output_finish("out", "sum", 3, sizes, false, &err) == -1 && said(&err, t[i].why));
        expect(err.kind == ERR_SYSTEM && !output_is_done("out") && output_has_begun("out"));
        expect(is("out/part-00000") && system("rm -r out") == 0);
    }
    make_parts("out");
    expect(mkdir("out/part-00001", 0700) == 0);
    expect(output_finish("out", "sum", 3, sizes, false, &err) == -1 &&
           said(&err, "out/part-00001: Is a directory"));
    expect(!output_is_done("out") && rmdir("out/part-00001") == 0);
    expect(mkdir("out/_SUCCESS", 0700) == 0);
    expect(output_finish("out", "sum", 3, sizes, false, &err) == -1 &&
           said(&err, "out/_SUCCESS: Is a directory") && output_has_begun("out"));
    command_end(&f);
}

TEST(output_copies_the_journal_where_it_was_promised)
{
    struct command_folder f;
    struct err err = {0};
    char here[PATH_MAX], link[PATH_MAX] = "", want[PATH_MAX + 64];
    command_begin(&f);
    make_parts("out");
    expect(output_journal("out", &err) == 0); /* none was asked for */
    expect(output_promise_journal("out", "j", &err) == 0 && getcwd(here, sizeof here));
    expect(readlink("out/_temporary/journal", link, sizeof link - 1) > 0);
    snprintf(want, sizeof want, "%s/j", here);
    expect(strcmp(link, want) == 0);
    expect(output_journal("out", &err) == -1 && err.kind == ERR_SYSTEM); /* there is none */
    snprintf(want, sizeof want, "%s/j: No such file or directory", here);
    expect(said(&err, want) && !is("j"));
    command_file("out/_temporary/run/journal", "events");
    command_file("j", "before");
    expect(output_journal("out", &err) == 0 && holds("j", "events"));
    expect(output_promise_journal("out", "j", &err) == -1 &&
           said(&err, "out/_temporary/journal: File exists"));
    expect(unlink("out/_temporary/journal") == 0);
    expect(output_promise_journal("out", "/dev/null/j", &err) == 0);
    expect(output_journal("out", &err) == -1 && said(&err, "/dev/null/j: Not a directory"));
    command_end(&f);
}

/* The folder in it would have too long a path. */
TEST(output_that_cannot_begin_leaves_nothing)
{
    struct command_folder f;
    struct err err = {0};
    char path[PATH_MAX];
    command_begin(&f);
    for (size_t i = 0; i < sizeof path - 1; i++)
        path[i] = i % 200 == 199 ? '/' : 'd';
    path[sizeof path - 1] = 0;
    expect(output_begin(path, &err) == -1 && err.kind == ERR_SYSTEM && !is(path));
    path[sizeof path - 1 - strlen("/_temporary")] = 0;
    expect(output_begin(path, &err) == 0 && output_has_begun(path));
    output_abandon(path);
    expect(!is(path));
    command_end(&f);
}
