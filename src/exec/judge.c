#include "exec/judge.h"

#include <sys/wait.h>

static const char *judge_end(const struct packet_end *end)
{
    if (!WIFEXITED(end->status) && !WIFSIGNALED(end->status))
        return "its status is not an exit status";
    if (end->wall_us < 0 || end->cpu_us < 0 || end->peak_rss_kib < 0 || end->read_bytes < 0)
        return "its usage is negative";
    return NULL;
}

const char *judge_packet(const struct packet *p, const struct attempt_row *row)
{
    if (p->type == PACKET_CORES)
        return p->u.cores.spare < 0 || p->u.cores.each < 0 ? "the number of cores is negative"
                                                           : NULL;
    if (p->type == PACKET_PRESSURE)
        return p->u.pressure.disk < 0 || p->u.pressure.disk > 1000 || p->u.pressure.memory < 0 ||
                       p->u.pressure.memory > 1000
                   ? "the pressure is outside 0 to 1000"
                   : NULL;
    if (!row)
        return "the attempt does not exist";
    if (row->left && p->type != PACKET_EXITED && p->type != PACKET_KILLED)
        return "it has ended";
    bool starts = p->type == PACKET_STARTED || p->type == PACKET_LAUNCH_FAILED;
    if (row->state != (starts ? ROW_LAUNCHING : ROW_RUNNING))
        return starts ? "it is not being launched" : "it is not running";
    switch (p->type) {
    case PACKET_STARTED:
        return p->u.started_us < 0 ? "its start is negative" : NULL;
    case PACKET_LAUNCH_FAILED:
        return p->u.error > 0 ? NULL : "the failure has no error number";
    case PACKET_PROGRESS:
        return p->u.progress.done < 0 || p->u.progress.total < -1 ? "its progress is negative"
                                                                  : NULL;
    case PACKET_FETCH_STARTED:
    case PACKET_FETCH_DONE:
    case PACKET_FETCH_FAILED:
    case PACKET_SOURCE_LOST:
        return p->u.fetch.bytes < 0 || p->u.fetch.took_us < 0 ? "its read bytes or time are "
                                                                "negative"
                                                              : NULL;
    case PACKET_STATUS:
    case PACKET_NO_SPACE:
        return NULL;
    case PACKET_RESULT:
        return p->u.result.bytes < 0 ? "its output has a negative size" : NULL;
    case PACKET_EXITED:
    case PACKET_KILLED:
        return judge_end(&p->u.end);
    default:
        return "the packet is not a report";
    }
}
