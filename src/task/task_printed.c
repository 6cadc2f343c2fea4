/* task_printed.c - what tasks above have printed, one after the other, as it is. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

struct printed {
    struct task_input input; /* first */
    const struct task_attempt *task;
    uint32_t next; /* the task above whose output comes next */
    int fd;        /* of the one that is being read; -1: none */
    char piece[PIECE_BYTES];
};

static struct str path_of(const struct task_attempt *t, uint32_t above)
{
    struct str path = {0};

    str_addf(&path, "%s/%" PRIu32, t->inputs, above);
    return path;
}

static int open_next(struct printed *p, struct err *err)
{
    struct str path = path_of(p->task, p->next);
    int result = 0;

    p->fd = open(path.text, O_RDONLY | O_CLOEXEC);
    if (p->fd < 0)
        result = err_system(err, "%s: %s", path.text, strerror(errno));
    p->next++;
    str_free(&path);
    return result;
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct printed *p = ctx;

    for (;;) {
        if (p->fd < 0) {
            if (p->next > p->task->last)
                return 0;
            if (open_next(p, err) < 0)
                return -1;
        }
        ssize_t n = read(p->fd, p->piece, sizeof p->piece);
        if (n > 0) {
            *at = p->piece;
            return n;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "%s/%" PRIu32 ": %s", p->task->inputs, p->next - 1,
                              strerror(errno));
        close(p->fd);
        p->fd = -1;
    }
}

static void close_printed(struct task_input *in)
{
    struct printed *p = (struct printed *)in;

    if (p->fd >= 0)
        close(p->fd);
    mem_free(p);
}

struct task_input *task_printed_open(const struct task_attempt *t, struct err *err)
{
    struct printed *p = mem_zalloc(1, sizeof *p);

    (void)err;
    p->input = (struct task_input){.feed = feed, .close = close_printed};
    p->task = t;
    p->next = t->first;
    p->fd = -1;
    return &p->input;
}
