#include "exec/folder/ends.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/path.h"
#include "base/os/tree.h"
#include "tests/unit/test.h"

struct ends_seen {
    uint32_t count;
    struct attempt_ref at;
    struct packet_end end;
};

static void found(void *ctx, struct attempt_ref at, const struct packet_end *end)
{
    struct ends_seen *s = ctx;

    *s = (struct ends_seen){s->count + 1, at, *end};
}

TEST(ends_are_read_as_they_were_noted)
{
    char dir[] = "/tmp/dolly-ends-XXXXXX";
    struct err err;
    struct ends_seen s = {0};
    struct packet_end end = {.status = 256,
                             .wall_us = 1234567890123,
                             .cpu_us = -1,
                             .peak_rss_kib = 77,
                             .read_bytes = 5,
                             .told = true};

    expect(mkdtemp(dir));
    ends_read(dir, found, &s);
    expect(s.count == 0); /* there is no file */
    int fd = ends_open(dir, &err);
    expect(fd >= 0);
    ends_note(fd, "/some/where/attempts/1.2.4000000000.3", &end);
    ends_read(dir, found, &s);
    expect(s.count == 1 && s.at.job.v == 1 && s.at.phase == 2 && s.at.task == 4000000000 &&
           s.at.attempt == 3);
    expect(s.end.status == 256 && s.end.wall_us == 1234567890123 && s.end.cpu_us == -1 &&
           s.end.peak_rss_kib == 77 && s.end.read_bytes == 5 && s.end.told);
    /* A line that was cut, and one of something else, are nobody's end. */
    expect(write(fd, "nonsense\n0.0.1.0 0 1 1 1 1 1 1 1", 33) == 33);
    ends_read(dir, found, &s);
    expect(s.count == 2);
    close(fd);
    tree_remove(dir);
}

TEST(ends_of_before_a_boot_do_not_count)
{
    char dir[] = "/tmp/dolly-ends-XXXXXX";
    struct err err;
    struct ends_seen s = {0};
    struct packet_end end = {.status = 0};

    expect(mkdtemp(dir));
    FILE *f = fopen(path_of("%s/ends", dir).text, "we");
    expect(f);
    fputs("0.0.1.0 0 1 1 1 1 1\n"
          "boot of another machine\n0.0.2.0 0 1 1 1 1 1\n",
          f);
    fclose(f);
    expect(!ends_read(dir, found, &s) && s.count == 0);
    int fd = ends_open(dir, &err);
    ends_note(fd, "/some/where/attempts/0.0.3.0", &end);
    expect(!ends_read(dir, found, &s) && s.count == 1 && s.at.task == 3);
    close(fd);
    fd = ends_open(dir, &err);
    expect(ends_read(dir, found, &s) && s.count == 2);
    close(fd);
    tree_remove(dir);
}

/* Of another version of dolly. */
TEST(ends_without_what_is_left_are_read)
{
    char dir[] = "/tmp/dolly-ends-XXXXXX";
    struct err err;
    struct ends_seen s = {0};
    const char *lines = "0.0.1.0 0 1 2 3 4 1\n0.0.2.0 0 1 2 3 4 1 2\n0.0.3.0 0 1 2 3 4 1 2 3\n";

    expect(mkdtemp(dir));
    int fd = ends_open(dir, &err);
    expect(write(fd, lines, 20) == 20);
    ends_read(dir, found, &s);
    expect(s.count == 1 && s.end.told && s.end.left == PACKET_LEFT_UNSEEN);
    expect(write(fd, lines + 20, strlen(lines + 20)) > 0);
    ends_read(dir, found, &s);
    expect(s.count == 3 && s.at.task == 2 && s.end.left == PACKET_LEFT_SOMETHING);
    close(fd);
    tree_remove(dir);
}

TEST(ends_that_are_retracted_do_not_count)
{
    char dir[] = "/tmp/dolly-ends-XXXXXX";
    struct err err;
    struct ends_seen s = {0};
    struct packet_end end = {.left = PACKET_LEFT_NOTHING};

    expect(mkdtemp(dir));
    ends_retract(dir, (struct attempt_ref){.task = 1}); /* there is no file */
    int fd = ends_open(dir, &err);
    ends_note(fd, "attempts/0.0.11.0", &end);
    ends_note(fd, "attempts/0.0.1.0", &end);
    ends_retract(dir, (struct attempt_ref){.task = 1});
    ends_note(fd, "attempts/0.0.12.0", &end);
    ends_read(dir, found, &s);
    expect(s.count == 2 && s.at.task == 12 && s.end.left == PACKET_LEFT_NOTHING);
    ends_retract(dir, (struct attempt_ref){.task = 12});
    s.count = 0;
    ends_read(dir, found, &s);
    expect(s.count == 1 && s.at.task == 11);
    close(fd);
    tree_remove(dir);
}
