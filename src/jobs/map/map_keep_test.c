/* A command line comes back from the folder as it went in, and nothing that is damaged does. */
#include "jobs/map/map_keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "jobs/map/map.h"
#include "jobs/streams/bytes.h"
#include "tests/unit/test.h"

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
    expect(map_keep(&m, &err) == 0);
    map_close(&m);
}

static bool reads(struct map *m, struct err *err)
{
    *m = (struct map){.look = true};
    return map_keep_read(m, folder, err) == 0 && map_open(m, err) == 0;
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

TEST(map_keep_refuses_what_is_damaged)
{
    static char copy[4096];
    char path[64];
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
    expect(!reads(&m, &err) && strstr(err.text, "does not hold a run") != NULL);
    map_close(&m);
    size_t tasks = (size_t)((char *)memmem(copy, whole.length, "tasks=3", 7) - copy) + 6;
    spoil(whole, whole.length, tasks, '4');
    expect(!reads(&m, &err) && strstr(err.text, "had 4 tasks") != NULL);
    map_close(&m);
    spoil(whole, whole.length, tasks, 'x');
    expect(!reads(&m, &err) && strstr(err.text, "is damaged") != NULL);
    map_close(&m);
    spoil(whole, whole.length, whole.length, 0);
    expect(reads(&m, &err));
    map_close(&m);
    tree_remove(folder);
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
    expect(strstr(err.text, ": has changed since the run began, and so have its blocks"));
    unlink(file);
    expect(map_keep_enter(&m, &err) < 0 && strstr(err.text, "No such file or directory"));
    options_fini(&m.options);
}
