#include "jobs/map/map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/command.h"
#include "tests/unit/deny.h"

/* Reads all that these words name. `dir`: the folder of the run. */
static int open_map(struct map *m, const char *dir, char **argv, struct err *err)
{
    int argc = 0;

    *m = (struct map){.dir = mem_strdup(dir)};
    while (argv[argc])
        argc++;
    expect(options_parse(&m->options, argc, argv, err) == 0);
    return map_open(m, err);
}

#define OPEN(m, dir, err, ...) open_map(m, dir, (char *[]){"map", __VA_ARGS__, NULL}, err)

TEST(map_reads_slots_from_the_first_line_of_a_file)
{
    static const struct {
        const char *text, *why; /* NULL: there are 7 slots */
    } rows[] = {
        {"7\n9\n", NULL},
        {"7 or so", NULL},
        {"x\n7\n", "j: -j: expected a number such as 8, 0, 50%, +2 or -1, not 'x'"},
        {"", "j: -j: expected a number such as 8, 0, 50%, +2 or -1, not ''"},
        {"\n7\n", "j: -j: expected a number such as 8, 0, 50%, +2 or -1, not ''"},
        {"1000001\n", "j: -j 1000001: expected at most 1000000 at once"},
    };
    struct command_folder f;
    struct map m;
    struct err err;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        command_file("j", rows[i].text);
        int result = OPEN(&m, "d", &err, "-j", "j", "echo", ":::", "a");
        expect(rows[i].why ? result < 0 && strcmp(err.text, rows[i].why) == 0
                           : result == 0 && m.slot_count == 7);
        map_close(&m);
    }
    expect(OPEN(&m, "d", &err, "-j", ".", "echo", ":::", "a") < 0);
    expect(!strcmp(err.text, ".: -j: expected a number such as 8, 0, 50%, +2 or -1, not ''"));
    map_close(&m);
    unlink("j");
    expect(OPEN(&m, "d", &err, "-j", "j", "echo", ":::", "a") < 0);
    expect(!strcmp(err.text, "-j: expected a number such as 8, 0, 50%, +2 or -1, not 'j'"));
    map_close(&m);
    command_end(&f);
}

TEST(map_keeps_a_stream_in_a_folder_of_the_run)
{
    struct command_folder f;
    struct stat st;
    struct map m;
    struct err err;

    command_begin(&f);
    command_file("lines", "1\n2\n");
    expect(OPEN(&m, "lines", &err, "--pipe", "-a", "lines", "cat") < 0 && err.kind == ERR_SYSTEM);
    expect(!strcmp(err.text, "lines/in: cannot make a folder: Not a directory"));
    map_close(&m);
    expect(mkdir("d", 0700) == 0);
    expect(OPEN(&m, "d", &err, "--pipe", "-N1", "-a", "lines", "cat") == 0 && m.tasks == 2);
    expect(stat("d/in", &st) == 0 && (st.st_mode & 0777) == 0700);
    map_close(&m);
    expect(OPEN(&m, "d", &err, "--pipe", "-a", "lines", "cat") < 0); /* another run's */
    expect(!strcmp(err.text, "d/in: cannot make a folder: File exists"));
    map_close(&m);
    command_end(&f);
}

static bool names_what_round_robin_lacks(void)
{
    struct map m;
    struct err err;
    int ends[2];

    return pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO &&
           deny_call(SYS_epoll_create1, EMFILE) &&
           OPEN(&m, "d", &err, "--pipe", "--round-robin", "cat") < 0 && err.kind == ERR_SYSTEM &&
           !strcmp(err.text, "cannot watch standard input: Too many open files");
}

TEST(map_does_not_begin_where_it_cannot_deal_out_its_stream)
{
    struct command_folder f;

    command_begin(&f);
    expect(mkdir("d", 0700) == 0);
    deny_test(names_what_round_robin_lacks);
    command_end(&f);
}

/* A private folder: made, or the place where it cannot be made is named. */
TEST(map_dir_names_the_folder_for_temporary_files)
{
    struct command_folder f;
    char *argv[] = {"map", "--tmpdir", "here", "echo", ":::", "a"};
    struct map m = {0};
    struct err err;

    command_begin(&f);
    command_file("here", "");
    expect(options_parse(&m.options, 6, argv, &err) == 0 && map_dir_open(&m, &err) < 0);
    expect(!strcmp(err.text, "here: cannot make a folder there: Not a directory"));
    expect(err.kind == ERR_SYSTEM && !m.dir && !m.dir_private);
    expect(unlink("here") == 0 && mkdir("here", 0700) == 0 && map_dir_open(&m, &err) == 0);
    expect(m.dir_private && strncmp(m.dir, "here/dolly-map-", 15) == 0);
    map_close(&m);
    expect(rmdir("here") == 0); /* nothing is left in it */
    command_end(&f);
}

/* Tasks of the log are left out, or only those that failed there are run. */
TEST(map_leaves_out_what_the_job_log_has)
{
    static const struct {
        char *how;
        uint32_t tasks;
        const char *first;
        uint64_t seq;
    } rows[] = {
        {"--resume", 1, "echo c", 3},
        {"--resume-failed", 2, "echo b", 2},
        {"--retry-failed", 1, "in the log", 2},
    };
    struct command_folder f;
    struct map m;
    struct err err;

    command_begin(&f);
    command_file("log", JOBLOG_HEADER "\n"
                                      "1\t:\t1.0\t     0.100\t0\t0\t0\t0\techo a\n"
                                      "2\t:\t1.0\t     0.100\t0\t0\t4\t0\tin the log\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str command = {0};
        expect(OPEN(&m, "d", &err, rows[i].how, "--joblog", "log", "echo", ":::", "a", "b", "c") ==
               0);
        expect(m.tasks == rows[i].tasks && plan_seq(m.plan, 0) == rows[i].seq);
        plan_command(m.plan, 0, 1, &command);
        expect(!strcmp(command.text, rows[i].first));
        str_free(&command);
        map_close(&m);
    }
    command_end(&f);
}

/* A named folder: made, refused if it holds a run, and given up if nothing began in it. */
TEST(map_dir_takes_a_named_folder)
{
    struct command_folder f;
    char *argv[] = {"map", "--dir", "named", "echo", ":::", "a"};
    struct err err;

    command_begin(&f);
    for (int began = 0; began < 2; began++) {
        struct map m = {0};
        expect(options_parse(&m.options, 6, argv, &err) == 0 && map_dir_open(&m, &err) == 0);
        expect(m.dir[0] == '/' && strstr(m.dir, "/named") && !m.dir_private && m.lock_fd > 0);
        expect(map_dir_open(&m, &err) == 0); /* once */
        m.began = began;
        map_close(&m);
        expect((access("named", F_OK) == 0) == began);
    }
    command_file("named/journal", "");
    for (int resumed = 0; resumed < 2; resumed++) {
        struct map m = {0};
        expect(options_parse(&m.options, 6, argv, &err) == 0);
        m.options.resume = resumed ? RESUME_ALL : RESUME_NO;
        expect(map_dir_open(&m, &err) == (resumed ? 0 : -1));
        expect(resumed ? strstr(m.dir, "/named/resumed-1") != NULL
                       : !strcmp(err.text, "named: already holds a run; `dolly resume` continues "
                                           "it, `dolly report` shows it; expected a new folder "
                                           "for each run"));
        map_close(&m);
    }
    command_end(&f);
}
