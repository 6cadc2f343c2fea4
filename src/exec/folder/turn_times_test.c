#include "exec/folder/turn_times.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static void turn(struct turn_times *t, int64_t took_us)
{
    turn_times_begin(t, 5000000);
    turn_times_end(t, 5000000 + took_us);
}

static uint64_t all(const struct turn_times_sums *s)
{
    uint64_t count = 0;

    for (int i = 0; i <= TURN_TIMES_BOUNDS; i++)
        count += s->count[i];
    return count;
}

TEST(turn_times_are_read_as_written)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];
    struct turn_times t = {0};
    struct turn_times_sums s;
    struct stat st;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/turns", dir);
    turn_times_open(&t, dir);
    turn_times_end(&t, 7);                             /* none has begun */
    expect(!turn_times_read(dir, &s) && all(&s) == 0); /* nothing is written yet */
    turn(&t, 0);
    turn(&t, 100);
    turn(&t, 101);
    turn(&t, 10000001);
    turn_times_write(&t);
    expect(turn_times_read(dir, &s) && all(&s) == 4 && s.sum_us == 10000202);
    expect(s.count[0] == 2 && s.count[1] == 1 && s.count[TURN_TIMES_BOUNDS] == 1);
    expect(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    turn(&t, 1000);
    expect(turn_times_read(dir, &s) && all(&s) == 4);
    turn_times_close(&t);
    expect(turn_times_read(dir, &s) && all(&s) == 5 && s.count[2] == 1);

    struct turn_times anew = {0};
    turn_times_open(&anew, dir);
    expect(!turn_times_read(dir, &s));
    turn_times_close(&anew);
}

TEST(turn_times_of_a_damaged_file_are_none)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], line[400], bad[400];
    struct turn_times t = {0};
    struct turn_times_sums s;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/turns", dir);
    turn_times_open(&t, dir);
    turn(&t, 42);
    turn_times_close(&t);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t length = read(fd, line, sizeof line);
    expect(length > 100 && turn_times_read(dir, &s));
    for (ssize_t i = 0; i < length; i++) {
        memcpy(bad, line, (size_t)length);
        bad[i] = bad[i] == '1' ? '2' : '1';
        expect(pwrite(fd, bad, (size_t)length, 0) == length && !turn_times_read(dir, &s));
    }
    expect(pwrite(fd, line, (size_t)length, 0) == length && turn_times_read(dir, &s));
    expect(ftruncate(fd, length - 1) == 0 && !turn_times_read(dir, &s));
    close(fd);
    expect(unlink(path) == 0 && mkfifo(path, 0600) == 0 && !turn_times_read(dir, &s));
}

TEST(turn_times_without_a_file_are_counted)
{
    struct turn_times t = {0}, none = {0};

    turn_times_open(&t, NULL);
    turn(&t, 42);
    turn_times_write(&t);
    turn_times_close(&t);
    expect(all(&t.sums) == 1);
    turn_times_open(&none, "/nowhere/at/all");
    expect(none.fd < 0);
    turn(&none, 42);
    turn_times_close(&none);
}
