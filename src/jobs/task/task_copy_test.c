#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"
#include "tests/unit/test.h"

/* A copy from one descriptor to another, and the other end of the control socket. */
struct copied {
    int result;
    struct err err;
    struct packet told; /* .type 0: nothing */
};

static struct copied copy(int from, int to, bool is_run)
{
    struct copied c = {0};
    struct packet_socket other;
    int fds[2], before[2] = {fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                             fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};

    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    packet_socket_init(&other, fds[0]);
    struct task_control *control = task_control_open(fds[1]);
    dup2(from, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    c.result = task_copy(control, is_run, &c.err);
    dup2(before[0], STDIN_FILENO);
    dup2(before[1], STDOUT_FILENO);
    close(before[0]);
    close(before[1]);
    if (packet_socket_receive(&other, &c.told) != 1)
        c.told.type = 0;
    task_control_close(control);
    packet_socket_fini(&other);
    return c;
}

static int memory_file(const char *text)
{
    int fd = memfd_create("copy", MFD_CLOEXEC);

    expect(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

TEST(task_copy_reports_what_it_has_copied)
{
    int from = memory_file("some\nlines\n"), to = memory_file("");
    struct copied c = copy(from, to, false);
    char have[16] = "";

    expect(c.result == 0 && c.told.type == PACKET_RESULT && c.told.u.result.bytes == 11);
    expect(c.told.u.result.checksum == XXH3_64bits("some\nlines\n", 11));
    expect(pread(to, have, sizeof have, 0) == 11 && strcmp(have, "some\nlines\n") == 0);
    close(from);
    close(to);
}

/* The original is not to blame if either end cannot be used; one that is damaged is. */
TEST(task_copy_says_which_end_has_failed)
{
    int from = memory_file("some\nlines\n"), to = memory_file("");
    int folder = open("/", O_RDONLY | O_CLOEXEC), full = open("/dev/full", O_RDWR | O_CLOEXEC);
    struct copied c = copy(folder, to, false);

    expect(c.result < 0 && c.err.kind == ERR_SYSTEM && c.told.type == 0);
    expect(strcmp(c.err.text, "the output to copy cannot be read: Is a directory") == 0);
    c = copy(from, full, false);
    expect(c.result < 0 && c.err.kind == ERR_SYSTEM && c.told.type == 0);
    expect(strcmp(c.err.text, "the copy cannot be written: No space left on device") == 0);
    expect(lseek(from, 0, SEEK_SET) == 0);
    c = copy(from, to, true); /* not a sorted file */
    expect(c.result < 0 && c.told.type == PACKET_FETCH_FAILED && c.told.u.fetch.error == EBADMSG);
    close(from);
    close(to);
    close(folder);
    close(full);
}
