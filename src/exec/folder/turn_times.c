/* turn_times.c - the line of DIR/turns.
 *
 * One process writes it and others read it meanwhile, without a lock: a line has a fixed length and
 * ends with a checksum, so that a reader that comes in the middle notices, and looks again.
 *
 * Rejected: shared memory, which a full disk turns into a fatal signal; and a new file each time,
 * which costs four system calls instead of one. */
#include "exec/folder/turn_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/os/path.h"
#include "exec/folder/xxh3.h"
#include "exec/process/sys.h"

/* A line has these numbers and the checksum of all before it, each with a blank or a newline behind
 * it. Its length never changes, so that no reader finds the end of an older one. */
enum {
    NUMBERS = TURN_TIMES_BOUNDS + 2,
    DIGITS = 20,
    SUM_AT = NUMBERS * (DIGITS + 1),
    LINE_BYTES = SUM_AT + 17,
    TRIES = 5, /* of a reader that comes while the line is written */
};

const int64_t turn_times_bound_us[TURN_TIMES_BOUNDS] = {
    100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000, 3000000, 10000000};

void turn_times_open(struct turn_times *t, const char *dir)
{
    t->fd = dir ? sys_open(path_of("%s/turns", dir).text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                           0600)
                : -1;
}

void turn_times_close(struct turn_times *t)
{
    turn_times_write(t);
    sys_close(&t->fd);
}

void turn_times_begin(struct turn_times *t, int64_t now_us)
{
    t->begun_us = now_us;
}

void turn_times_end(struct turn_times *t, int64_t now_us)
{
    int i = 0;

    if (t->begun_us == 0)
        return;
    int64_t took_us = now_us - t->begun_us;
    while (i < TURN_TIMES_BOUNDS && took_us > turn_times_bound_us[i])
        i++;
    t->sums.count[i]++;
    t->sums.sum_us += (uint64_t)took_us;
    t->begun_us = 0;
    t->unwritten = true;
}

static uint64_t *number(struct turn_times_sums *s, int i)
{
    return i <= TURN_TIMES_BOUNDS ? &s->count[i] : &s->sum_us;
}

void turn_times_write(struct turn_times *t)
{
    char line[LINE_BYTES + 1];
    int at = 0;

    if (t->fd < 0 || !t->unwritten)
        return;
    for (int i = 0; i < NUMBERS; i++)
        at +=
            snprintf(line + at, sizeof line - (size_t)at, "%020" PRIu64 " ", *number(&t->sums, i));
    snprintf(line + at, sizeof line - (size_t)at, "%016" PRIx64 "\n",
             (uint64_t)XXH3_64bits(line, SUM_AT));
    if (pwrite(t->fd, line, LINE_BYTES, 0) != LINE_BYTES)
        sys_close(&t->fd);
    t->unwritten = false;
}

static bool parse(char *line, struct turn_times_sums *out)
{
    uint64_t sum;
    char end;

    line[LINE_BYTES] = '\0';
    if (sscanf(line + SUM_AT, "%16" SCNx64 "%c", &sum, &end) != 2 || end != '\n' ||
        sum != XXH3_64bits(line, SUM_AT))
        return false;
    for (int i = 0; i < NUMBERS; i++)
        if (sscanf(line + i * (DIGITS + 1), "%20" SCNu64 "%c", number(out, i), &end) != 2 ||
            end != ' ')
            return false;
    return true;
}

bool turn_times_read(const char *dir, struct turn_times_sums *out)
{
    char line[LINE_BYTES + 1];
    int fd = open(path_of("%s/turns", dir).text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    bool good = false;

    *out = (struct turn_times_sums){0};
    for (int i = 0; i < TRIES && fd >= 0 && !good; i++)
        good = pread(fd, line, LINE_BYTES, 0) == LINE_BYTES && parse(line, out);
    sys_close(&fd);
    return good;
}
