#include "jobs/task/write_behind.h"

#include <fcntl.h>
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
    expect(result < 0 && strstr(err.text, "No space left"));
    err.text[0] = 0;
    expect(write_behind_finish(b, &sum, &err) < 0 && strstr(err.text, "No space left"));
    b = write_behind_create(fd);
    expect(write_behind_add(b, "x", 1, &err) == 0);
    expect(write_behind_finish(b, &sum, &err) < 0 && strstr(err.text, "No space left"));
    close(fd);
}
