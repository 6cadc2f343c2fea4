#include "jobs/task/write_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "tests/unit/test.h"

/* Writes `count` bytes in steps of `step`, and reads them back. */
static void write_and_compare(size_t count, size_t step)
{
    char name[] = "/tmp/dolly-behind.XXXXXX";
    int fd = mkstemp(name);
    char *bytes = mem_zalloc(1, count + 1), *back = mem_zalloc(1, count + 1);
    struct write_behind_sum sum;
    struct err err;

    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)(i * i / 7);
    struct write_behind *b = write_behind_create(fd);
    for (size_t at = 0; at < count; at += step)
        expect(write_behind_add(b, bytes + at, count - at < step ? count - at : step, &err) == 0);
    expect(write_behind_finish(b, &sum, &err) == 0);
    expect(sum.bytes == count && sum.checksum == XXH3_64bits(bytes, count));
    uint64_t lines = count > 0 && bytes[count - 1] != '\n';
    for (size_t i = 0; i < count; i++)
        lines += bytes[i] == '\n';
    expect(sum.lines == lines);
    expect(pread(fd, back, count + 1, 0) == (ssize_t)count && memcmp(bytes, back, count) == 0);
    mem_free(bytes);
    mem_free(back);
    close(fd);
    unlink(name);
}

TEST(write_behind_writes_all_in_order)
{
    write_and_compare(0, 1);
    write_and_compare(1, 1);
    write_and_compare(1 << 18, 1 << 18);
    write_and_compare((1 << 18) + 1, 1 << 18);
    write_and_compare(3 << 20, 7777);
    write_and_compare(3 << 20, 3 << 20);
}

TEST(write_behind_says_that_the_disk_is_full)
{
    static char piece[1 << 18];
    struct write_behind_sum sum;
    struct err err;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), result = 0;
    struct write_behind *b = write_behind_create(fd);

    for (int i = 0; i < 20 && result == 0; i++)
        result = write_behind_add(b, piece, sizeof piece, &err);
    expect(result < 0 && errno == ENOSPC && strstr(err.text, "No space left"));
    err.text[0] = 0;
    errno = 0;
    expect(write_behind_finish(b, &sum, &err) < 0 && strstr(err.text, "No space left"));
    expect(errno == ENOSPC); /* what failed in the thread is told here */
    b = write_behind_create(fd);
    expect(write_behind_add(b, "x", 1, &err) == 0);
    expect(write_behind_finish(b, &sum, &err) < 0 && strstr(err.text, "No space left"));
    close(fd);
}

#ifdef __GLIBC__ /* others limit the stack of a thread to one that can be had */
TEST(write_behind_needs_a_thread_for_more_than_a_piece)
{
    static char piece[1 << 18];
    struct write_behind_sum sum;
    struct err err;
    pthread_attr_t before, huge;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct write_behind *b = write_behind_create(fd);

    expect(pthread_getattr_default_np(&before) == 0 && pthread_attr_init(&huge) == 0);
    expect(pthread_attr_setstacksize(&huge, SIZE_MAX / 2) == 0);
    expect(pthread_setattr_default_np(&huge) == 0);
    expect(write_behind_add(b, piece, sizeof piece - 1, &err) == 0);
    expect(write_behind_add(b, piece, 1, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strncmp(err.text, "cannot start a thread: ", 23) == 0);
    expect(pthread_setattr_default_np(&before) == 0);
    expect(write_behind_finish(b, &sum, &err) == 0 && sum.bytes == sizeof piece);
    close(fd);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
}
#endif
