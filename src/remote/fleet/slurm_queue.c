#include "remote/fleet/slurm_queue.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "remote/fleet/fleet.h"
#include "remote/fleet/fleet_words.h"
#include "remote/fleet/slurm_tool.h"

enum { QUEUE_BYTES_MAX = 1 << 20 };

/* Cuts the next field off, up to a bar. NULL: there is none. */
static char *queue_field(char **at)
{
    char *field = *at, *bar = strchr(field, '|');

    if (!bar)
        return NULL;
    *bar = 0;
    *at = bar + 1;
    return field;
}

void slurm_queue_read(struct slurm_queue *q, char *text)
{
    q->text = text;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        char *id = queue_field(&line);
        char *nodes = id ? queue_field(&line) : NULL;
        char *start = nodes ? queue_field(&line) : NULL;
        if (start && *id)
            vec_push(&q->at, ((struct slurm_queue_job){id, nodes, start, line}));
    }
}

/* What the command prints, up to QUEUE_BYTES_MAX. NULL with *err. */
static char *queue_output(char *const *argv, struct err *err)
{
    struct fleet_process p;
    char *text = NULL;
    int status = -1, fd = memfd_create("squeue", MFD_CLOEXEC);

    if (fd < 0 || fleet_process_start(&p, argv, "", 0, fd, -1, false) < 0) {
        err_system(err, "squeue cannot be started: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    bool ended = fleet_process_wait(&p, clock_now_us() + SLURM_TOOL_LIMIT_US, &status);
    fleet_process_end(&p, 0);
    if (ended && status == 0) {
        text = mem_zalloc(QUEUE_BYTES_MAX, 1);
        if (pread(fd, text, QUEUE_BYTES_MAX - 1, 0) < 0)
            text[0] = 0;
    } else {
        err_system(err, "squeue failed to list waiting jobs");
    }
    close(fd);
    return text;
}

int slurm_queue_ask(struct slurm_queue *q, const char *name, struct err *err)
{
    struct fleet_words w = {0};

    if (!slurm_tool_exists("squeue"))
        return err_system(err, "squeue is not in PATH, so the queue cannot be listed");
    fleet_words_add(&w, "squeue", "--me", "--noheader", "--states=PENDING");
    fleet_words_addf(&w, "--name=%s", name);
    fleet_words_add(&w, "--format=%i|%D|%S|%r");
    char *text = queue_output(fleet_words_argv(&w), err);
    fleet_words_fini(&w);
    if (!text)
        return -1;
    slurm_queue_read(q, text);
    return 0;
}

void slurm_queue_fini(struct slurm_queue *q)
{
    vec_free(&q->at);
    mem_free(q->text);
}
