#include "remote/fleet/slurm_queue.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/program.h"
#include "remote/fleet/fleet_words.h"
#include "remote/fleet/slurm_tool.h"

void slurm_queue_read(struct slurm_queue *q, char *text)
{
    q->text = text;
    for (char *line; (line = strsep(&text, "\n"));) {
        char *id = strsep(&line, "|"), *nodes = strsep(&line, "|"), *start = strsep(&line, "|");
        if (line && *id)
            vec_push(&q->at, ((struct slurm_queue_job){id, nodes, start, line}));
    }
}

int slurm_queue_ask(struct slurm_queue *q, const char *name, struct err *err)
{
    struct fleet_words w = {0};
    struct slurm_tool squeue;
    char why[200];

    if (!program_find("squeue", NULL))
        return err_system(err, "squeue is not in PATH, so the queue cannot be listed");
    fleet_words_add(&w, "squeue", "--me", "--noheader", "--states=PENDING");
    fleet_words_addf(&w, "--name=%s", name);
    fleet_words_add(&w, "--format=%i|%D|%S|%r");
    int result = slurm_tool_start(&squeue, -1, 0, fleet_words_argv(&w), false, clock_now_us());
    fleet_words_fini(&w);
    if (result < 0)
        return err_system(err, "squeue cannot be started: %s", strerror(errno));
    if (slurm_tool_wait(&squeue, clock_now_us() + SLURM_TOOL_LIMIT_US) &&
        slurm_tool_end(&squeue, why, sizeof why) == SLURM_TOOL_WELL) {
        vec_push(&squeue.streams[0].text, '\0');
        slurm_queue_read(q, mem_strdup(squeue.streams[0].text.at));
    } else {
        result = err_system(err, "squeue failed to list waiting jobs");
    }
    slurm_tool_clear(&squeue);
    return result;
}

void slurm_queue_fini(struct slurm_queue *q)
{
    vec_free(&q->at);
    mem_free(q->text);
}
