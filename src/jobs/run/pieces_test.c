#include "jobs/run/pieces.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/command.h"

/* Cuts a file of that size into pieces of about ten bytes. */
static struct task_plan cut(uint64_t size, bool packed)
{
    struct task_plan p = {0};

    vec_push(&p.splits,
             ((struct plan_split){
                 .path = mem_strdup("f"), .bytes = size, .size = size, .packed = packed}));
    pieces_cut(&p, 10, 1);
    return p;
}

TEST(pieces_of_a_file_are_equally_long)
{
    static const struct {
        uint64_t size;
        uint32_t count, bytes[3];
    } cuts[] = {{0, 1, {0}},      {1, 1, {1}},       {14, 1, {14}},      {15, 2, {7, 8}},
                {19, 2, {9, 10}}, {24, 2, {12, 12}}, {25, 3, {8, 8, 9}}, {30, 3, {10, 10, 10}}};

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct task_plan p = cut(cuts[i].size, false);
        uint64_t from = 0;
        expect(p.splits.count == cuts[i].count);
        for (uint32_t k = 0; k < p.splits.count && k < cuts[i].count; k++) {
            expect(p.splits.at[k].from == from && p.splits.at[k].bytes == cuts[i].bytes[k]);
            expect(p.splits.at[k].size == cuts[i].size);
            from += p.splits.at[k].bytes;
        }
        plan_fini(&p);
    }
}

TEST(pieces_leave_a_packed_file_whole)
{
    struct task_plan p = cut(100, true);

    expect(p.splits.count == 1 && p.splits.at[0].bytes == 100);
    plan_fini(&p);
}

static int add(struct task_plan *p, const char *pattern, struct err *err)
{
    return pieces_add(p, pattern, &(struct pieces_how){0}, err);
}

TEST(pieces_of_lines_begin_where_lines_do)
{
    char path[] = "/tmp/dolly-pieces.XXXXXX";
    static const char text[] = "a\n\nbcd\ne\nlast";
    int fd = mkstemp(path);
    struct task_plan p = {0};
    struct err err;

    expect(write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    expect(add(&p, path, &err) == 0 && pieces_cut_lines(&p, 2, &err) == 0);
    expect(p.splits.count == 3 && p.splits.at[0].bytes == 3);
    expect(p.splits.at[1].from == 3 && p.splits.at[1].bytes == 6);
    expect(p.splits.at[2].from == 9 && p.splits.at[2].bytes == 4); /* no newline at its end */
    plan_fini(&p);
    expect(truncate(path, 9) == 0); /* and no piece behind the last line */
    expect(add(&p, path, &err) == 0 && pieces_cut_lines(&p, 2, &err) == 0);
    expect(p.splits.count == 2);
    plan_fini(&p);
    expect(truncate(path, 0) == 0); /* an empty file is one piece */
    expect(add(&p, path, &err) == 0 && pieces_cut_lines(&p, 2, &err) == 0);
    expect(p.splits.count == 1 && p.splits.at[0].bytes == 0);
    unlink(path);
    expect(pieces_cut_lines(&p, 1, &err) == -1 && strstr(err.text, path));
    plan_fini(&p);
}

static void make(const char *folder, const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    expect(f && fclose(f) == 0);
}

/* How many files a pattern in the folder stands for; -1: it is refused. */
static int found(const char *folder, const char *pattern, struct pieces_how how)
{
    struct task_plan p = {0};
    struct err err;
    char path[400];

    snprintf(path, sizeof path, pattern, folder, folder);
    int count = pieces_add(&p, path, &how, &err) < 0 ? -1 : (int)p.splits.count;
    plan_fini(&p);
    return count;
}

TEST(pieces_leave_out_what_is_hidden)
{
    char folder[] = "/tmp/dolly-pieces.XXXXXX", path[200];
    const struct pieces_how plain = {0}, strict = {.refuses_folders = true, .commas = true},
                            deep = {.recursive = true}, empty = {.may_be_empty = true};
    static const char *const names[] = {"a",    "b",    "_SUCCESS", "_counters.json",
                                        ".crc", "in/c", "in/_d"};

    expect(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/in", folder);
    expect(mkdir(path, 0700) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        make(folder, names[i]);
    expect(found(folder, "%s", plain) == 2 && found(folder, "%s", deep) == 3);
    expect(found(folder, "%s", strict) == -1 && found(folder, "%s/*", plain) == 3);
    expect(found(folder, "%s/_*", plain) == -1 && found(folder, "%s/_SUCCESS", plain) == 1);
    expect(found(folder, "%s/{_SUCCESS,a}", plain) == 2 && found(folder, "%s/*/_d", plain) == 1);
    expect(found(folder, "%s/a,%s/{b,in}", strict) == 3);
    expect(found(folder, "%s/a,%s/b", plain) == -1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    expect(found(folder, "%s/in", plain) == -1 && found(folder, "%s/in", empty) == 0);
    snprintf(path, sizeof path, "%s/in", folder);
    rmdir(path);
    rmdir(folder);
}

TEST(pieces_name_inputs_that_are_none)
{
    static const struct {
        const char *pattern, *why;
    } rows[] = {
        {"nosuch*", "nosuch*: no input matches this pattern"},
        {"_*", "_*: no input matches this pattern"},
        {".*", ".*: no input matches this pattern"}, /* neither this folder nor the one above */
        {".*/_hidden", ".*/_hidden: no input matches this pattern"},
        {"empty", "empty: this input has no files"},
        {"/dev/null", "/dev/null: expected a file or a folder as input"},
        {"odd", "odd/pipe: expected a file or a folder as input"},
        {"broken", "broken/link: No such file or directory"},
    };
    struct command_folder f;
    command_begin(&f);
    expect(mkdir("empty", 0700) == 0 && mkdir("odd", 0700) == 0 && mkdir("broken", 0700) == 0);
    expect(mkfifo("odd/pipe", 0600) == 0 && symlink("nowhere", "broken/link") == 0);
    command_file("_hidden", "x\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task_plan p = {0};
        struct err err = {0};
        expect(add(&p, rows[i].pattern, &err) == -1 && err.kind == ERR_INPUT);
        expect(strcmp(err.text, rows[i].why) == 0 && p.splits.count == 0);
        plan_fini(&p);
    }
    command_end(&f);
}

TEST(pieces_of_a_job_that_goes_on_are_as_they_were)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    struct timespec times[2] = {{.tv_sec = 100}, {.tv_sec = 100}};
    char why[300];
    command_begin(&f);
    command_file("in", "a\nb\n");
    expect(utimensat(AT_FDCWD, "in", times, 0) == 0);
    expect(add(&p, "in", &err) == 0 && pieces_cut_lines(&p, 1, &err) == 0 && p.splits.count == 2);
    expect(plan_write(&p, "plan", &err) == 0 && pieces_check(&p, &err) == 0);
    snprintf(why, sizeof why,
             "%s: this input has changed since the job began; restore it, with its time, or start "
             "the job again in a new folder",
             p.splits.at[0].path);
    times[1].tv_nsec = 1;
    expect(utimensat(AT_FDCWD, "in", times, 0) == 0);
    expect(pieces_check(&p, &err) == -1 && strcmp(err.text, why) == 0);
    command_file("in", "a\nb\nc\n");
    times[1].tv_nsec = 0;
    expect(utimensat(AT_FDCWD, "in", times, 0) == 0);
    expect(pieces_check(&p, &err) == -1 && strcmp(err.text, why) == 0);
    expect(unlink("in") == 0);
    snprintf(why, sizeof why,
             "%s: No such file or directory; restore this input, with its time, or start the job "
             "again in a new folder",
             p.splits.at[0].path);
    expect(pieces_check(&p, &err) == -1 && strcmp(err.text, why) == 0 && err.kind == ERR_INPUT);
    plan_fini(&p);
    command_end(&f);
}

/* Links may lead in a circle. */
TEST(pieces_are_found_in_a_hundred_folders)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    const struct pieces_how deep = {.recursive = true};
    char path[300] = "d";
    command_begin(&f);
    expect(mkdir("d", 0700) == 0);
    for (int i = 1; i < 100; i++) {
        strcat(path, "/d");
        expect(mkdir(path, 0700) == 0);
    }
    strcat(path, "/f");
    command_file(path, "x\n");
    expect(pieces_add(&p, "d", &deep, &err) == 0 && p.splits.count == 1);
    expect(mkdir("above", 0700) == 0 && rename("d", "above/d") == 0);
    expect(pieces_add(&p, "above", &deep, &err) == -1 && err.kind == ERR_INPUT);
    const char *why = strstr(err.text, "/d: more than 100 folders lie in each other");
    expect(strncmp(err.text, "above/d/d/", 10) == 0 && why && why - err.text == 203);
    expect(p.splits.count == 1);
    plan_fini(&p);
    command_end(&f);
}

/* Cuts a file of so many mebibytes for these slots, and returns the number of pieces. */
static uint32_t cut_for(uint64_t mebibytes, uint32_t slots)
{
    struct task_plan p = {0};

    vec_push(&p.splits, ((struct plan_split){.path = mem_strdup("f"), .size = mebibytes << 20}));
    pieces_cut(&p, 0, slots);
    uint32_t count = p.splits.count;
    plan_fini(&p);
    return count;
}

TEST(pieces_are_four_for_a_slot_within_bounds)
{
    expect(cut_for(8, 1) == 4 && cut_for(100, 3) == 12);
    expect(cut_for(2, 1) == 2 && cut_for(1, 8) == 1);         /* none is shorter than 1 MiB */
    expect(cut_for(1024, 1) == 16 && cut_for(1024, 4) == 16); /* nor longer than 64 MiB */
}

TEST(pieces_of_packed_files_are_known_by_their_first_bytes)
{
    static const struct {
        const char *bytes;
        int at;
    } marks[] = {{"\x1f\x8b", 0},         {"\x28\xb5\x2f\xfd", 0}, {"\xfd\x37zXZ", 0}, {"BZh", 0},
                 {"\x04\x22\x4d\x18", 0}, {"PK\x03\x04", 0},       {"ustar", 257}};
    struct command_folder f;
    char text[300];
    command_begin(&f);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct task_plan p = {0};
        struct err err;
        memset(text, 'x', sizeof text);
        strcpy(text + marks[i].at, marks[i].bytes);
        command_file("whole", text);
        text[strlen(text) - 1] = 0;
        command_file("short", text);
        expect(add(&p, "whole", &err) == 0 && add(&p, "short", &err) == 0);
        expect(p.splits.at[0].packed && !p.splits.at[1].packed);
        plan_fini(&p);
    }
    command_end(&f);
}

TEST(pieces_are_found_by_patterns_with_dots_and_braces)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    command_begin(&f);
    expect(mkdir("in", 0700) == 0 && mkdir("beside", 0700) == 0 && chdir("in") == 0);
    command_file("a1", "");
    command_file("a2", "");
    command_file("../beside/b1", "");
    expect(add(&p, "./a*", &err) == 0 && p.splits.count == 2);
    expect(add(&p, "../beside/b*", &err) == 0 && p.splits.count == 3);
    expect(add(&p, ".././in/./a?", &err) == 0 && p.splits.count == 5);
    expect(add(&p, "{./a1,../beside/b}*", &err) == 0 && p.splits.count == 7);
    expect(mkdir("_", 0700) == 0 && chdir("_") == 0); /* names within names are others */
    command_file("_a", "");
    command_file("x_a", "");
    expect(add(&p, "{x_a,*}", &err) == 0 && p.splits.count == 9);
    expect(rename("x_a", "_ab") == 0);
    expect(add(&p, "{_ab,*}", &err) == 0 && p.splits.count == 11 && chdir("..") == 0);
    command_file("}", "");
    expect(pieces_add(&p, "},{a1,a2},,./a1", &(struct pieces_how){.commas = true}, &err) == 0);
    expect(p.splits.count == 15);
    plan_fini(&p);
    command_end(&f);
}

/* Only those that lie in each other are counted. */
TEST(pieces_are_found_in_many_folders_side_by_side)
{
    struct command_folder f;
    struct task_plan p = {0};
    struct err err = {0};
    char path[32];
    command_begin(&f);
    expect(mkdir("in", 0700) == 0);
    for (int i = 0; i < 101; i++) {
        snprintf(path, sizeof path, "in/%d", i);
        expect(mkdir(path, 0700) == 0);
    }
    command_file("in/100/f", "");
    expect(pieces_add(&p, "in", &(struct pieces_how){.recursive = true}, &err) == 0);
    expect(p.splits.count == 1);
    plan_fini(&p);
    command_end(&f);
}
