#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jobs/task/task_state.h"
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
