/* history.c - the file of earlier runs.
 *
 * It is small (some 150 KiB at most), so it is always read and written as a whole: under a lock of
 * its own, to a new file that takes the place of the old one. A crash leaves the old or the new
 * one, perhaps with a file beside it that the next run removes, and readers need no lock. Nothing
 * is synced: losing a history is no harm, and a file that a power cut has torn is known by its
 * checksums.
 *
 *     dolly history 1
 *     HASH USED SEEN STRAGGLED COUNT TIME... CHECKSUM
 */
#include "jobs/args/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "base/os/tree.h"
#include "base/stat.h"
#include "base/text.h"
#include "base/vec.h"

#define HISTORY_HEADER "dolly history 1\n"

enum { LOCK_TRIES = 50, LOCK_STEP_NS = 2000000 };

struct history {
    VEC(struct history_entry) at;
    uint32_t damaged;
    bool foreign; /* written by a dolly we do not know */
};

char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct str path = {0};

    if (state && *state == '/')
        str_addf(&path, "%s/dolly/history", state);
    else if (home && *home == '/')
        str_addf(&path, "%s/.local/state/dolly/history", home);
    return path.text;
}

/* ---- what a run adds ---- */

double history_p(const struct history_entry *past)
{
    return (15.0 + past->straggled) / (100.0 + past->seen);
}

/* How many single attempts are worth as much for p as a task that had `copies` at once, one of
 * which was healthy. A task has no healthy one with probability p^copies, and is then seen as that
 * many stragglers; what is counted otherwise has to be so little that p is the share of stragglers
 * among all. For one copy it is 1; for three at p = .15 only .058: that the best of three is
 * healthy says hardly anything about the others. */
static double weight(double copies, double p)
{
    return copies * pow(p, copies - 1) * (1 - p) / (1 - pow(p, copies));
}

void history_summarise(struct history_entry *e, const float *times, uint32_t count,
                       const float *stopped, uint32_t stopped_count, double p)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    e->used_s = now.tv_sec;
    e->count = count < JOB_PAST_MAX ? count : JOB_PAST_MAX;
    /* The latest is the first; of a large run they are evenly spread. */
    for (uint32_t i = 0; i < e->count; i++)
        e->times_us[i] = (int64_t)((double)times[count - 1 - (uint64_t)i * count / e->count] * 1e6);
    if (count < 2)
        return; /* one task has no median to be compared with */
    double median = stat_median(times, count), rivals = 0;
    for (uint32_t i = 0; i < count; i++)
        e->straggled += (double)times[i] > 2 * median;
    double healthy = count - e->straggled;
    /* Of those that were stopped it is known only if they had straggled already. */
    for (uint32_t i = 0; i < stopped_count; i++)
        if ((double)stopped[i] > 2 * median)
            e->straggled++;
        else
            rivals += median > 0 ? fmin((double)stopped[i] / median, 1) : 0;
    if (healthy > 0 && rivals > 0)
        healthy *= weight(1 + rivals / healthy, p);
    /* Rounded by chance: the runs of a small command add up to the right number. */
    e->seen = e->straggled + (uint32_t)(healthy + (double)now.tv_nsec / 1e9);
}

static void merge(struct history_entry *old, const struct history_entry *run)
{
    struct history_entry e = *run;

    for (uint32_t i = 0; i < old->count && e.count < JOB_PAST_MAX; i++)
        e.times_us[e.count++] = old->times_us[i];
    e.seen += old->seen;
    e.straggled += old->straggled;
    while (e.seen > HISTORY_SEEN_MAX) {
        e.seen /= 2;
        e.straggled /= 2;
    }
    *old = e;
}

/* ---- lines ---- */

static uint32_t line_checksum(const char *line, size_t length)
{
    return hash_fold(hash_bytes(HASH_START, line, length));
}

static bool take_number(char **at, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (end == *at || errno || *value < 0)
        return false;
    *at = end;
    return true;
}

static bool line_read(char *line, struct history_entry *e)
{
    char *last = strrchr(line, ' '), *at, *end;
    int64_t used, seen, straggled, count;

    if (!last || strtoul(last + 1, &end, 16) != line_checksum(line, (size_t)(last - line)) ||
        (*end && *end != '\n'))
        return false;
    *last = 0;
    *e = (struct history_entry){.hash = strtoull(line, &at, 16)};
    if (!take_number(&at, &used) || !take_number(&at, &seen) || !take_number(&at, &straggled) ||
        !take_number(&at, &count) || count > JOB_PAST_MAX || straggled > seen || seen > UINT32_MAX)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (!take_number(&at, &e->times_us[i]))
            return false;
    e->used_s = used;
    e->seen = (uint32_t)seen;
    e->straggled = (uint32_t)straggled;
    e->count = (uint32_t)count;
    return *at == 0;
}

static void line_add(struct str *out, const struct history_entry *e)
{
    size_t from = out->length;

    str_addf(out, "%016" PRIx64 " %" PRId64 " %u %u %u", e->hash, e->used_s, e->seen, e->straggled,
             e->count);
    for (uint32_t i = 0; i < e->count; i++)
        str_addf(out, " %" PRId64, e->times_us[i]);
    str_addf(out, " %08x\n", line_checksum(out->text + from, out->length - from));
}

/* ---- the file ---- */

static void read_all(struct history *h, const char *path)
{
    FILE *f = fopen(path, "re");
    struct history_entry e;
    char *line = NULL;
    size_t cap = 0;
    bool first = true;

    while (f && getline(&line, &cap, f) > 0) {
        if (first && strncmp(line, "dolly history ", 14) == 0 && strcmp(line, HISTORY_HEADER) != 0)
            h->foreign = true;
        else if (first && strcmp(line, HISTORY_HEADER) != 0)
            h->damaged++;
        else if (!first && line_read(line, &e) && h->at.count < HISTORY_COMMANDS_MAX)
            vec_push(&h->at, e);
        else if (!first)
            h->damaged++;
        if (first && (h->foreign || h->damaged))
            break;
        first = false;
    }
    free(line);
    if (f)
        fclose(f);
}

bool history_find(const char *path, uint64_t hash, struct history_entry *e, uint32_t *damaged)
{
    struct history h = {0};
    bool found = false;

    read_all(&h, path);
    for (uint32_t i = 0; i < h.at.count; i++)
        if (h.at.at[i].hash == hash) {
            *e = h.at.at[i];
            found = true;
        }
    *damaged = h.damaged + h.foreign;
    vec_free(&h.at);
    return found;
}

static void put(struct history *h, const struct history_entry *run)
{
    uint32_t oldest = 0;

    for (uint32_t i = 0; i < h->at.count; i++) {
        if (h->at.at[i].hash == run->hash) {
            merge(&h->at.at[i], run);
            return;
        }
        if (h->at.at[i].used_s < h->at.at[oldest].used_s)
            oldest = i;
    }
    if (h->at.count < HISTORY_COMMANDS_MAX)
        vec_push(&h->at, *run);
    else
        h->at.at[oldest] = *run;
}

static bool write_history(const struct history *h, const char *path)
{
    struct str text = {0};

    str_add(&text, HISTORY_HEADER);
    for (uint32_t i = 0; i < h->at.count; i++)
        line_add(&text, &h->at.at[i]);
    bool ok = fresh_file_write(path, 0666, text.text, text.length) == 0;
    str_free(&text);
    return ok;
}

/* The lock is beside the file, because the file is exchanged. -1: not within reason. */
static int lock(const char *path)
{
    struct path name = path_of("%s.lock", path);
    int fd = open(name.text, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT) {
        tree_make_above(name.text, 0700);
        fd = open(name.text, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    for (int i = 0; fd >= 0; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (i == LOCK_TRIES) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOCK_STEP_NS}, NULL);
    }
    return -1;
}

bool history_add(const char *path, const struct history_entry *run)
{
    struct history h = {0};
    int fd = lock(path);

    if (fd < 0)
        return false;
    read_all(&h, path);
    bool ok = !h.foreign;
    if (ok) {
        fresh_file_sweep(path);
        put(&h, run);
        ok = write_history(&h, path);
    }
    vec_free(&h.at);
    close(fd);
    return ok;
}
