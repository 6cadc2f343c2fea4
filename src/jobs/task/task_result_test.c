#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

#include "jobs/task/task_state.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* A file can be opened once more, a socket cannot. */
TEST(task_result_needs_a_standard_output_that_can_be_read)
{
    struct err err;
    int fds[2], before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int file = open("/dev/null", O_WRONLY | O_CLOEXEC);

    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    int open_before = limits_open();
    dup2(fds[0], STDOUT_FILENO);
    int socket_fd = task_result_open(&err);
    dup2(file, STDOUT_FILENO);
    int file_fd = task_result_open(&(struct err){0});
    dup2(before, STDOUT_FILENO);
    expect(socket_fd == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "standard output cannot be read: No such device or address") == 0);
    expect(file_fd >= 0 && fcntl(file_fd, F_GETFD) == FD_CLOEXEC);
    close(file_fd);
    expect(limits_open() == open_before);
    close(before);
    close(file);
    close(fds[0]);
    close(fds[1]);
}

/* Lines are counted, with a last one that has no end; what is known is not read again. */
TEST(task_result_measures_what_was_printed)
{
    static const struct {
        const char *text;
        uint64_t lines;
    } rows[] = {{"", 0}, {"a\nb\n", 2}, {"a\nb", 2}, {"\n", 1}, {"a", 1}};
    struct plan_phase phase = {.name = "a"};
    struct task_attempt t = {.phase = &phase};
    struct command_folder f;
    struct err err;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task_sum sum = {.records = 77};
        size_t length = strlen(rows[i].text);
        command_file("out", rows[i].text);
        int fd = open("out", O_RDONLY | O_CLOEXEC);
        phase.native = NULL;
        expect(task_result_measure(&t, fd, &sum, &err) == 0 && sum.of.bytes == length);
        expect(sum.of.checksum == XXH3_64bits(rows[i].text, length));
        expect(sum.of.lines == rows[i].lines && sum.records == rows[i].lines);
        sum = (struct task_sum){.records = 77};
        phase.native = "x.so"; /* whose functions have counted their records */
        expect(task_result_measure(&t, fd, &sum, &err) == 0 && sum.records == 77);
        sum.is_known = true;
        expect(task_result_measure(&t, -1, &sum, &err) == 0 && sum.of.bytes == length);
        sum.is_known = false;
        expect(task_result_measure(&t, -1, &sum, &err) < 0);
        phase.partitions = 1; /* then it is not a sorted file */
        expect(task_result_measure(&t, fd, &sum, &err) < 0 && strstr(err.text, "not a sorted"));
        phase.partitions = 0;
        close(fd);
    }
    command_end(&f);
}
