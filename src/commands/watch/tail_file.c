#include "commands/watch/tail_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int64_t time_us(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000 + t->tv_nsec / 1000;
}

static void note(struct tail_file *t, const struct stat *st)
{
    t->size = st->st_size;
    t->written_us = time_us(&st->st_mtim);
}

int tail_file_init(struct tail_file *t, const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return err_set(err, "journal %s: cannot open: %s", path, strerror(errno));
    *t = (struct tail_file){.path = path, .device = st.st_dev, .inode = st.st_ino};
    note(t, &st);
    return 0;
}

enum tail_change tail_file_look(struct tail_file *t)
{
    struct stat st;

    if (stat(t->path, &st) < 0)
        return TAIL_GONE;
    if (st.st_dev != t->device || st.st_ino != t->inode)
        return TAIL_REPLACED;
    if (st.st_size < t->size)
        return TAIL_CUT;
    note(t, &st);
    return TAIL_SAME;
}

const char *tail_file_words(enum tail_change change)
{
    static const char *const words[] = {[TAIL_SAME] = "is the same",
                                        [TAIL_CUT] = "was cut",
                                        [TAIL_REPLACED] = "was replaced",
                                        [TAIL_GONE] = "is gone"};
    return words[change];
}

int64_t tail_file_age_us(const struct tail_file *t)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age_us = time_us(&now) - t->written_us;
    return age_us > 0 ? age_us : 0;
}
