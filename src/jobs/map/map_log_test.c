#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "jobs/map/map.h"
#include "tests/unit/test.h"

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
