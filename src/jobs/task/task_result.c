/* task_result.c - an attempt's report about its own output, so that no other process has to read
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "data/mapped.h"
#include "data/run_file.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"

int task_result_open(struct err *err)
{
    int fd = open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC);

    return fd >= 0 ? fd : err_system(err, "standard output cannot be read: %s", strerror(errno));
}

int task_result_tell(const struct task_attempt *t, int output, const struct task_sum *sum,
                     struct err *err)
{
    struct packet m = {.type = PACKET_RESULT};
    char path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", output);
    if (t->phase->partitions > 0) {
        struct run_file file;
        if (run_file_open(&file, path, err) < 0)
            return -1;
        m.u.result.bytes = (int64_t)file.size;
        m.u.result.checksum = run_file_checksum(&file);
        run_file_close(&file);
    } else if (sum->is_known) {
        m.u.result.bytes = (int64_t)sum->of.bytes;
        m.u.result.checksum = sum->of.checksum;
    } else {
        struct mapped file;
        if (mapped_open(&file, path, err) < 0)
            return -1;
        m.u.result.bytes = (int64_t)file.size;
        m.u.result.checksum = XXH3_64bits(file.at, file.size);
        mapped_close(&file);
    }
    return task_control_send(t->control, &m, err);
}
