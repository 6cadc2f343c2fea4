#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "jobs/map/map.h"
#include "tests/unit/command.h"

/* Task 1 done, 2 failed and then done, 3 failed twice, 4 killed; the last line is torn. */
static const char lines[] = JOBLOG_HEADER "\n"
                                          "1\t:\t1.0\t     0.100\t0\t0\t0\t0\techo 1\n"
                                          "3\t:\t1.0\t     0.100\t0\t0\t1\t0\tfirst 3\n"
                                          "2\t:\t1.0\t     0.100\t0\t0\t1\t0\techo 2\n"
                                          "4\t:\t1.0\t     0.100\t0\t0\t0\t9\techo 4\n"
                                          "3\t:\t1.0\t     0.100\t0\t0\t2\t0\tlast 3\n"
                                          "2\t:\t1.0\t     0.100\t0\t0\t0\t0\techo 2\n"
                                          "70\t:\t1.0\t     0.100\t0\t0\t0\t0\techo 70\n"
                                          "5\t:\t1.0\t     0.100\t0\t0\t0\t0\tech";

static void read_log(struct map *m, char *how)
{
    static char path[] = "/tmp/dolly-log-XXXXXX";
    char *argv[] = {"map", how, "--joblog", path, "echo", ":::", "x"};
    struct err err;

    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    expect(fd >= 0 && write_all(fd, lines, sizeof lines - 1) == 0);
    close(fd);
    *m = (struct map){0};
    expect(options_parse(&m->options, 7, argv, &err) == 0 && map_log_read(m, &err) == 0);
    unlink(path);
}

/* The tasks from 1 to 6 that are left out, as digits. */
static const char *left_out(struct map *m)
{
    static char digits[8];
    int n = 0;

    for (uint64_t seq = 1; seq <= 6; seq++)
        if (map_log_has(&m->log, seq))
            digits[n++] = (char)('0' + seq);
    digits[n] = 0;
    return digits;
}

TEST(map_log_leaves_out_what_was_run_or_what_is_done)
{
    struct map m;

    read_log(&m, "--resume");
    expect(strcmp(left_out(&m), "1234") == 0 && map_log_has(&m.log, 70));
    expect(!map_log_has(&m.log, 69) && !map_log_has(&m.log, 100000) && m.log.retry.count == 0);
    map_close(&m);
    read_log(&m, "--resume-failed");
    expect(strcmp(left_out(&m), "12") == 0);
    map_close(&m);
}

TEST(map_log_retries_what_failed_in_the_end)
{
    struct map m;

    read_log(&m, "--retry-failed");
    expect(m.log.seqs.count == 2 && m.log.seqs.at[0] == 4 && m.log.seqs.at[1] == 3);
    expect(m.log.retry.count == 2 && strcmp(m.log.retry.at[0], "echo 4") == 0 &&
           strcmp(m.log.retry.at[1], "last 3") == 0);
    map_close(&m);
}

TEST(map_log_needs_stdout_for_a_dash)
{
    char *argv[] = {"map", "--joblog", "-", "echo", ":::", "x"};
    struct map m = {0};
    struct err err;
    int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

    expect(options_parse(&m.options, 6, argv, &err) == 0);
    close(STDOUT_FILENO);
    int result = map_log_open(&m, &err);
    expect(dup2(before, STDOUT_FILENO) == STDOUT_FILENO);
    close(before);
    expect(result < 0 && err.kind == ERR_SYSTEM && !m.log.file);
    expect(strcmp(err.text, "standard output: Bad file descriptor") == 0);
    map_close(&m);
}

/* Opens the log `log` again after a life that was adding the line of task 1 behind `before` bytes.
 * Returns true if that task is done with it. */
static bool goes_on(const char *text, int64_t before, const char *want)
{
    char *argv[] = {"map", "--joblog", "log", "echo", ":::", "x", "y", "z"};
    struct map m = {.again = true};
    struct err err;
    char have[256];

    command_file("log", text);
    m.mark = mark_open(".", 3, false, false, &err);
    mark_log(m.mark, 1, before);
    mark_close(m.mark);
    expect(options_parse(&m.options, 8, argv, &err) == 0);
    m.mark = mark_open(".", 3, false, true, &err);
    expect(m.mark && map_log_open(&m, &err) == 0);
    bool done = mark_is_done(m.mark, 1);
    expect(!mark_is_done(m.mark, 0) && !mark_is_done(m.mark, 2));
    fclose(m.log.file);
    m.log.file = NULL;
    mark_close(m.mark);
    m.mark = NULL;
    unlink("printed");
    FILE *f = fopen("log", "re");
    size_t n = f ? fread(have, 1, sizeof have - 1, f) : 0;
    have[n] = 0;
    if (f)
        fclose(f);
    expect(strcmp(have, want) == 0);
    m.again = false;
    options_fini(&m.options);
    return done;
}

/* A line that was being added is whole, or goes. */
TEST(map_log_mends_its_last_line)
{
    struct command_folder f;

    command_begin(&f);
    expect(!goes_on("head\none\n", 9, "head\none\n"));
    expect(goes_on("head\none\ntwo\n", 9, "head\none\ntwo\n"));
    expect(!goes_on("head\none\ntw", 9, "head\none\n"));
    expect(!goes_on("head\none", 8, "head\none\n")); /* torn, and not by that line */
    expect(!goes_on("", 0, JOBLOG_HEADER "\n"));
    command_end(&f);
}

TEST(map_log_entry_has_the_node_and_what_a_failed_task_printed)
{
    char *argv[] = {"map", "echo", ":::", "x", "y"};
    struct map m = {0};
    struct map_end end = {.state = MAP_TASK_FAILED,
                          .start_s = 7,
                          .runtime_s = 2,
                          .sent = 3,
                          .received = 4,
                          .exit = 5,
                          .signal = 6,
                          .node = {1}};
    struct map_output p = {.task = 1, .end = &end, .out = path_of("out")};
    struct command_folder f;
    struct str command = {0};
    struct err err;

    command_begin(&f);
    command_file("out", "seven b");
    expect(options_parse(&m.options, 5, argv, &err) == 0 && map_open(&m, &err) == 0);
    map_log_node(&m.log, (struct node_id){1}, "old");
    map_log_node(&m.log, (struct node_id){1}, "n1");
    expect(m.log.hosts.count == 2 && !m.log.hosts.at[0]);
    struct joblog_entry e = map_log_entry(&m, &p, &command);
    expect(e.seq == 2 && !strcmp(e.host, ":") && !strcmp(e.command, "echo y"));
    expect(e.start_s == 7 && e.runtime_s == 2 && e.sent == 3 && e.received == 7);
    expect(e.exit == 5 && e.signal == 6);
    m.options.where.spec = "local:2";
    end.state = MAP_TASK_DONE;
    end.command = "as it was";
    str_cut(&command, 0);
    e = map_log_entry(&m, &p, &command);
    expect(!strcmp(e.host, "n1") && e.received == 4 && !strcmp(e.command, "as it was"));
    end.node = NODE_NONE;
    expect(!strcmp(map_log_entry(&m, &p, &command).host, ":"));
    end.node.v = 2; /* which never joined */
    expect(!strcmp(map_log_entry(&m, &p, &command).host, ":"));
    str_free(&command);
    m.options.where.spec = NULL;
    map_close(&m);
    command_end(&f);
}
