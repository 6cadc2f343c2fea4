/* turn_times.h - how long the coordinator takes for its turns, for programs that watch the run.
 *
 * The times are in DIR/turns, a line of text that the coordinator writes anew now and then. The
 * journal does not have them: it is the same whenever the same things happen. The file is never
 * synced, and a run does without it where it cannot be made or written. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TURN_TIMES_BOUNDS = 11, TURN_TIMES_EVERY_US = 1000000 };

/* The upper bounds of the buckets; one more has all that is longer. */
extern const int64_t turn_times_bound_us[TURN_TIMES_BOUNDS];

/* Zero-initialise. */
struct turn_times_sums {
    uint64_t count[TURN_TIMES_BOUNDS + 1]; /* of each bucket by itself */
    uint64_t sum_us;
};

struct turn_times {
    int fd;           /* -1: there is no file */
    int64_t begun_us; /* when the turn began, by the monotonic clock; 0: none has */
    bool unwritten;   /* turns have ended since the file was written */
    struct turn_times_sums sums;
};

/* Makes the file, which begins with no turn. Without one (`dir` is NULL, or it cannot be made)
 * times are counted, but not written. Zero-initialise *t. */
void turn_times_open(struct turn_times *t, const char *dir);

/* Writes the times of turns that have ended since, and closes the file. */
void turn_times_close(struct turn_times *t);

/* A turn begins, or ends if one has begun. `now_us` is of the monotonic clock. */
void turn_times_begin(struct turn_times *t, int64_t now_us);
void turn_times_end(struct turn_times *t, int64_t now_us);

/* Writes the times of all turns that have ended. If that fails, the file is closed. */
void turn_times_write(struct turn_times *t);

/* Reads the file of a run, which may be written meanwhile. Returns false if there is none, or none
 * that can be understood. */
bool turn_times_read(const char *dir, struct turn_times_sums *out);
