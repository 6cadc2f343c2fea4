#include "jobs/streams/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "tests/unit/test.h"

TEST(bytes_are_copied_up_to_a_limit_or_the_end)
{
    char from[] = "/tmp/dolly-bytes-XXXXXX", to[] = "/tmp/dolly-bytes-XXXXXX";
    int in = mkstemp(from), out = mkstemp(to);

    expect(write_all(in, "0123456789", 10) == 0 && lseek(in, 2, SEEK_SET) == 2);
    expect(bytes_copy(in, out, 3) == 3 && bytes_copy(in, out, INT64_MAX) == 5);
    errno = EINTR; /* of an earlier call: the end is the end */
    expect(bytes_copy(in, out, INT64_MAX) == 0 && bytes_copy(-1, out, 1) == -1);
    struct bytes b = bytes_open(to);
    expect(b.length == 8 && memcmp(b.at, "23456789", 8) == 0);
    bytes_close(b);
    expect(ftruncate(out, 0) == 0 && bytes_open(to).length == 0);
    expect(bytes_open("/nowhere").length == 0);
    close(in);
    close(out);
    unlink(from);
    unlink(to);
}

TEST(bytes_wait_for_a_stream_that_does_not_block)
{
    static char chunk[1 << 17];
    int fds[2];
    size_t seen = 0;
    ssize_t n;

    expect(pipe2(fds, O_CLOEXEC) == 0);
    pid_t reader = fork();
    if (reader == 0) {
        close(fds[1]);
        usleep(20000);
        while ((n = read(fds[0], chunk, sizeof chunk)) > 0)
            seen += (size_t)n;
        _exit(seen == sizeof chunk ? 0 : 1);
    }
    close(fds[0]);
    expect(fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0);
    expect(write_all(fds[1], chunk, sizeof chunk) == 0);
    close(fds[1]);
    int status;
    expect(waitpid(reader, &status, 0) == reader && status == 0);
}
