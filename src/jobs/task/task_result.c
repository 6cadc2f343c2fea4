/* task_result.c - an attempt's report about its own output, so that no other process has to read
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "data/line_ends.h"
#include "data/mapped.h"
#include "data/sorted_file.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"

int task_result_open(struct err *err)
{
    int fd = open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC);

    return fd >= 0 ? fd : err_system(err, "standard output cannot be read: %s", strerror(errno));
}

static int look_at_run(const char *path, struct task_sum *sum, struct err *err)
{
    struct sorted_file file;

    if (sorted_file_open(&file, path, err) < 0)
        return -1;
    sum->of.bytes = file.size;
    sum->of.checksum = sorted_file_checksum(&file);
    sorted_file_close(&file);
    return 0;
}

static int look_at_lines(const char *path, struct task_sum *sum, struct err *err)
{
    struct mapped file;

    if (mapped_open(&file, path, err) < 0)
        return -1;
    sum->of.bytes = file.size;
    sum->of.checksum = XXH3_64bits(file.at, file.size);
    sum->of.lines =
        line_ends_count(file.at, file.size) + (file.size > 0 && file.at[file.size - 1] != '\n');
    mapped_close(&file);
    return 0;
}

int task_result_look(const char *path, bool is_run, struct task_sum *sum, struct err *err)
{
    return (is_run ? look_at_run : look_at_lines)(path, sum, err);
}

int task_result_measure(const struct task_attempt *t, int output, struct task_sum *sum,
                        struct err *err)
{
    char path[40];
    bool is_run = t->phase->partitions > 0;

    snprintf(path, sizeof path, "/proc/self/fd/%d", output);
    if (!sum->is_known && task_result_look(path, is_run, sum, err) < 0)
        return -1;
    if (!is_run &&
        !t->phase->native) /* functions have counted theirs, which may have several lines */
        sum->records = sum->of.lines;
    return 0;
}

int task_result_tell(struct task_control *to, const struct task_sum *sum, struct err *err)
{
    struct packet m = {.type = PACKET_RESULT,
                       .u.result = {.bytes = (int64_t)sum->of.bytes, .checksum = sum->of.checksum}};

    return task_control_send(to, &m, err);
}
