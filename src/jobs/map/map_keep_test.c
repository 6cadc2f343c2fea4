/* A command line comes back from the folder as it went in, and nothing that is damaged does. */
#include "jobs/map/map_keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "jobs/map/map.h"
#include "jobs/map/map_look.h"
#include "jobs/streams/bytes.h"
#include "tests/unit/test.h"
#include "ui/cli.h"

static char folder[] = "/tmp/dolly-keep-XXXXXX";
static char *argv[] = {"map", "--joblog", "", "-j3", "echo", "a b", "{}", ":::", "x\ny", "", "z"};

enum { ARGC = sizeof argv / sizeof *argv };

/* Keeps a run of three tasks. */
static void keep(void)
{
    struct map m = {.argc = ARGC, .argv = argv, .begun_s = 1234.5, .id = 77};
    struct err err;

    argv[2] = "log file";
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    expect(mkdtemp(folder) != NULL);
    expect(options_parse(&m.options, ARGC, argv, &err) == 0 && map_open(&m, &err) == 0);
    m.dir = mem_strdup(folder);
    m.shell = mem_strdup("/bin/zsh");
    m.began = true;
    mode_t before = umask(0);
    expect(map_keep(&m, &err) == 0);
    umask(before);
    expect(test_mode(path_of("%s/run", folder).text) == 0600);
    expect(test_mode(path_of("%s/args", folder).text) == 0700);
    map_close(&m);
}

static bool reads(struct map *m, struct err *err)
{
    *m = (struct map){.look = true};
    return map_keep_read(m, folder, err) == 0 && map_open(m, err) == 0;
}

/* Returns true if reading fails with these words behind the name of the folder. */
static bool refuses(const char *why)
{
    struct map m;
    struct err err;
    size_t length = strlen(folder);
    bool fails = !reads(&m, &err);

    map_close(&m);
    return fails && err.kind == ERR_INPUT && strncmp(err.text, folder, length) == 0 &&
           strcmp(err.text + length, why) == 0;
}

TEST(map_keep_returns_the_command_line)
{
    struct map m;
    struct err err;
    struct str command = {0};

    keep();
    expect(reads(&m, &err) && m.argc == ARGC && m.tasks == 3 && m.slot_count == 3);
    for (int i = 0; i < m.argc; i++)
        expect(strcmp(m.argv[i], argv[i]) == 0);
    expect(m.begun_s == 1234.5 && m.id == 77 && strcmp(m.shell, "/bin/zsh") == 0);
    plan_command(m.plan, 0, 1, &command);
    expect(strcmp(command.text, "echo a b 'x\ny'") == 0);
    str_free(&command);
    map_close(&m);
    tree_remove(folder);
}

/* Writes the first bytes of `run` back, with one of them changed. */
static void spoil(struct bytes whole, size_t length, size_t at, char c)
{
    char path[64];

    snprintf(path, sizeof path, "%s/run", folder);
    FILE *f = fopen(path, "we");
    for (size_t i = 0; i < length; i++)
        putc(i == at ? c : whole.at[i], f);
    fclose(f);
}

static size_t place_of(struct bytes whole, const char *text)
{
    const char *found = memmem(whole.at, whole.length, text, strlen(text));

    expect(found != NULL);
    return found ? (size_t)(found - whole.at) : 0;
}

TEST(map_keep_refuses_what_is_damaged)
{
    static char copy[4096];
    char path[64], want[160];
    struct map m;
    struct err err;

    keep();
    snprintf(path, sizeof path, "%s/run", folder);
    struct bytes b = bytes_open(path);
    struct bytes whole = {copy, b.length};
    expect(b.length > 0 && b.length < sizeof copy);
    memcpy(copy, b.at, b.length);
    bytes_close(b);
    for (size_t n = 0; n < whole.length; n++) { /* cut off anywhere */
        spoil(whole, n, n, 0);
        expect(!reads(&m, &err));
        map_close(&m);
    }
    spoil(whole, whole.length, 0, 'D');
    expect(refuses(": does not hold a run of dolly map that can be resumed"));
    size_t tasks = place_of(whole, "tasks=3") + 6;
    spoil(whole, whole.length, tasks, '4');
    expect(refuses(": the run had 4 tasks, and its command line makes 3 now"));
    spoil(whole, whole.length, tasks, 'x');
    expect(refuses("/run: is damaged"));
    spoil(whole, whole.length, place_of(whole, "-j3") + 1, '@'); /* no such option */
    expect(refuses("/run: is damaged"));
    spoil(whole, whole.length, place_of(whole, "slots=3") + 6, '0');
    expect(refuses("/run: is damaged"));
    spoil(whole, whole.length, place_of(whole, "version=") + 8, 'z');
    snprintf(want, sizeof want,
             ": was started by dolly z%s, this is dolly " DOLLY_VERSION
             "; resume it with the version that started it",
             &DOLLY_VERSION[1]);
    expect(refuses(want));
    spoil(whole, whole.length, whole.length, 0);
    expect(reads(&m, &err));
    map_close(&m);
    tree_remove(folder);
}

static void put(const char *name, const void *at, size_t length)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    expect(f && fwrite(at, 1, length, f) == length && fclose(f) == 0);
}

/* Jobs of a run whose arguments came while tasks ran must not have more tasks than arguments. */
TEST(map_keep_refuses_sizes_of_jobs_that_are_damaged)
{
    static const uint64_t one[] = {2, 1}, more[] = {2, 2}, far[] = {JOB_TASKS_MAX + 1ULL},
                          sum[] = {1, JOB_TASKS_MAX};
    char path[64];
    static char copy[4096];
    struct map m;
    struct err err;

    keep();
    snprintf(path, sizeof path, "%s/run", folder);
    struct bytes b = bytes_open(path);
    struct bytes whole = {copy, b.length};
    memcpy(copy, b.at, b.length < sizeof copy ? b.length : sizeof copy);
    bytes_close(b);
    spoil(whole, whole.length, place_of(whole, "fed=0") + 4, '1');
    put("args/jobs", one, sizeof one);
    expect(reads(&m, &err) && m.tasks == 3 && m.feed.firsts.count == 2);
    map_close(&m);
    put("args/jobs", more, sizeof more);
    expect(refuses("/args/jobs: is damaged"));
    put("args/jobs", far, sizeof far);
    expect(refuses("/args/jobs: is damaged"));
    put("args/jobs", sum, sizeof sum);
    expect(refuses("/args/jobs: is damaged"));
    tree_remove(folder);
}

/* Each command of --retry-failed has the number that it had. */
TEST(map_keep_refuses_numbers_that_are_damaged)
{
    char log[128];
    char *words[] = {"map", "--retry-failed", "--joblog", log};
    struct map m = {.argc = 4, .argv = words};
    struct err err;

    strcpy(folder + sizeof folder - 7, "XXXXXX");
    expect(mkdtemp(folder) != NULL);
    snprintf(log, sizeof log, "%s/log", folder);
    static const char lines[] = JOBLOG_HEADER "\n7\t:\t1\t1\t0\t0\t1\t0\tfalse\n";
    put("log", lines, sizeof lines - 1);
    expect(options_parse(&m.options, 4, words, &err) == 0 && map_open(&m, &err) == 0);
    m.dir = mem_strdup(folder);
    m.began = true;
    expect(m.tasks == 1 && map_keep(&m, &err) == 0);
    map_close(&m);
    expect(reads(&m, &err) && m.tasks == 1 && plan_seq(m.plan, 0) == 7);
    map_close(&m);
    put("args/seqs", "", 0);
    expect(refuses("/args/seqs: is damaged"));
    tree_remove(folder);
}

/* Less than what was kept is another run: tasks that are done would run again, or some never. */
TEST(map_keep_refuses_what_cannot_be_read)
{
    static const char *const names[] = {"args/skip", "args/seqs"};
    char path[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct map m = {.dir = folder};
        struct err err;
        strcpy(folder + sizeof folder - 7, "XXXXXX");
        expect(mkdtemp(folder) != NULL);
        expect(map_keep_read_log(&m, &err) == 0 && m.log.finished.count == 0);
        snprintf(path, sizeof path, "%s/args", folder);
        expect(mkdir(path, 0700) == 0);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        expect(mkdir(path, 0700) == 0);
        expect(map_keep_read_log(&m, &err) < 0 && err.kind == ERR_SYSTEM);
        expect(strstr(err.text, names[i]) && strstr(err.text, ": Is a directory"));
        map_log_fini(&m.log);
        tree_remove(folder);
    }
}

/* Where the run was started, with the file that was cut into blocks. */
TEST(map_keep_enter_needs_what_was_there)
{
    char file[] = "/tmp/dolly-keep-file-XXXXXX", here[1024];
    char *words[] = {"map", "--pipepart", "-a", file, "cat"};
    struct map m = {.dir = (char *)"d"};
    struct err err;

    close(mkstemp(file));
    expect(getcwd(here, sizeof here) != NULL && options_parse(&m.options, 5, words, &err) == 0);
    m.keep.cwd = (char *)"/nowhere";
    expect(map_keep_enter(&m, &err) < 0);
    expect(strcmp(err.text, "d: cannot change to /nowhere, where the run was started: No such file "
                            "or directory") == 0);
    m.keep.cwd = here;
    expect(map_keep_enter(&m, &err) == 0);
    m.keep.pipepart = (char *)"another";
    expect(map_keep_enter(&m, &err) < 0);
    size_t length = strlen(file);
    expect(strncmp(err.text, file, length) == 0);
    expect(!strcmp(err.text + length, ": has changed since the run began, and so have its blocks"));
    unlink(file);
    expect(map_keep_enter(&m, &err) < 0 && strstr(err.text, "No such file or directory"));
    options_fini(&m.options);
}

TEST(map_look_knows_the_tasks_of_a_kept_run)
{
    struct str command = {0};
    char want[100];

    keep();
    struct map_look *l = map_look_open(folder);
    expect(l && map_look_tasks(l) == 3 && map_look_seq(l, 2) == 3);
    expect(map_look_fits(l, 3) && !map_look_fits(l, 2) && !map_look_fits(l, 4));
    map_look_command(l, 2, &command);
    expect(strcmp(command.text, "echo a b z") == 0);
    snprintf(want, sizeof want, "%s/failed/2/stderr", folder);
    expect(strcmp(map_look_stderr(l, 2).text, want) == 0);
    str_free(&command);
    map_look_close(l);
    expect(access(folder, F_OK) == 0);
    tree_remove(folder);
    expect(!map_look_open(folder));
    map_look_close(NULL);
}

TEST(map_keep_names_what_it_cannot_write)
{
    struct map m = {.argc = ARGC, .argv = argv};
    struct err err = {0};
    char want[100];

    argv[2] = "log";
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    expect(mkdtemp(folder) != NULL);
    expect(options_parse(&m.options, ARGC, argv, &err) == 0 && map_open(&m, &err) == 0);
    m.dir = mem_strdup(folder);
    m.began = true;
    expect(mkdir(path_of("%s/args", folder).text, 0700) == 0);
    snprintf(want, sizeof want, "%s/args: File exists", folder);
    expect(map_keep(&m, &err) < 0 && err.kind == ERR_SYSTEM);
    if (strcmp(err.text, want) != 0)
        printf("%s\n", err.text);
    expect(strcmp(err.text, want) == 0);
    map_close(&m);
    tree_remove(folder);
}
