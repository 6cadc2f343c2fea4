/* task_copy.c - a process that copies an output, no byte of which passes through another process.
 * See task.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "data/sorted_file.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"

enum { PIECE = 1 << 20 };

/* Where the system cannot copy by itself. */
static int copy_by_hand(struct err *err)
{
    static char piece[PIECE];
    ssize_t n = 0;

    while ((n = read(STDIN_FILENO, piece, sizeof piece)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "the output to copy cannot be read: %s", strerror(errno));
        if (write_all(STDOUT_FILENO, piece, (size_t)n) < 0)
            return err_system(err, "the copy cannot be written: %s", strerror(errno));
    }
    return 0;
}

/* Standard output must not append for that: the system refuses to copy to the end of a file. */
static int copy_all(struct err *err)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    ssize_t n = -1;

    if (flags >= 0 && fcntl(STDOUT_FILENO, F_SETFL, flags & ~O_APPEND) == 0)
        do
            n = copy_file_range(STDIN_FILENO, NULL, STDOUT_FILENO, NULL, (size_t)1 << 30, 0);
        while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0 ? 0 : copy_by_hand(err); /* goes on where that stopped */
}

/* Each partition has its checksum, or nobody could read it. */
static int check_run(const char *path, struct err *err)
{
    struct sorted_file file;
    struct sorted_file_cursor cursor;
    int good = 0;

    if (sorted_file_open(&file, path, err) < 0)
        return -1;
    for (uint32_t i = 0; i < file.partitions && good == 0; i++) {
        good = sorted_file_begin(&file, i, &cursor, err);
        sorted_file_end(&cursor);
    }
    sorted_file_close(&file);
    return good;
}

int task_copy(struct task_control *control, bool is_run, struct err *err)
{
    static const char copy[] = "/proc/self/fd/1";
    struct task_sum sum = {0};
    struct err ignored;

    if (copy_all(err) < 0)
        return -1;
    if ((!is_run || check_run(copy, err) == 0) && task_result_look(copy, is_run, &sum, err) == 0)
        return task_result_tell(control, &sum, err);
    struct packet damaged = {.type = PACKET_FETCH_FAILED, .u.fetch.error = EBADMSG};
    task_control_send(control, &damaged, &ignored);
    return -1;
}
