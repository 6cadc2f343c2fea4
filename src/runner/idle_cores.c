/* Every half second the CPU time of each attempt (with its descendants) is read, and that of the
 * machine. Clones do not count as use: they run behind others (start.c), so what they take is
 * there for these, too. What an attempt takes is measured without clones, which may be
 * starved.
 *
 * Numbers are reported in quarters of a core, and only when they change: a turn of the brain for
 * every flicker would fill the journal. An attempt that takes less than a twentieth of a core
 * mostly waits, and not for a core; one that has taken more before may be starved by others.
 * Looking must not become work itself: with many attempts we look less often. */
#include "runner/idle_cores.h"

#include "runner/clock.h"

enum {
    IDLE_FIRST_US = 200000, /* after the first clone */
    IDLE_EVERY_US = 500000,
    IDLE_COST = 100,   /* times as long as a look takes passes until the next one */
    IDLE_WAITS = 50,   /* thousandths of a core: an attempt that takes less mostly waits ... */
    IDLE_STARVES = 20, /* ... or, if it has taken more before, starves */
    IDLE_STEP = 250,   /* reported numbers are multiples of it ... */
    IDLE_ERROR = 50,   /* ... and the next one counts as met if so little is missing */
};

/* Adds what the process, which has used `cpu_us` in all, used since the last look until now. */
static void idle_add(struct idle_cores *s, const struct process *p, int64_t cpu_us, int64_t now_us)
{
    int64_t from_us = p->started_us > s->last.at_us ? p->started_us : s->last.at_us;
    int64_t used_us = cpu_us > p->cpu_us ? cpu_us - p->cpu_us : 0;

    if (p->extra) {
        s->extra_us += used_us;
    } else {
        s->cpu_us += used_us;
        s->wall_us += now_us > from_us ? now_us - from_us : 0;
    }
}

/* Sums up what the processes have used, and notes how far they are. Returns whether any runs. */
static bool idle_sum(struct idle_cores *s, struct process_table *table, int64_t now_us)
{
    bool any = false;

    for (uint32_t i = 0; i < table->at.count; i++) {
        struct process *p = &table->at.at[i];
        if (p->state != PROCESS_RUNNING)
            continue;
        int64_t cpu_us = cores_time_of(&s->cores, p->pid);
        idle_add(s, p, cpu_us, now_us);
        if (cpu_us > p->cpu_us)
            p->cpu_us = cpu_us;
        any = true;
    }
    return any;
}

static void idle_restart(struct idle_cores *s, struct cores_used now)
{
    s->last = now;
    s->extra_us = s->cpu_us = s->wall_us = 0;
}

void idle_cores_launched(struct idle_cores *s, struct process_table *table, const struct process *p,
                         int64_t now_us)
{
    if (!s->on && p->extra) {
        s->on = true;
        cores_init(&s->cores, "");
        idle_sum(s, table, now_us);
        s->next_us = INT64_MAX;
    }
    if (s->on && s->next_us == INT64_MAX) {
        idle_restart(s, cores_read(&s->cores));
        s->next_us = now_us + IDLE_FIRST_US;
    }
}

void idle_cores_ended(struct idle_cores *s, const struct process *p, const struct packet_end *end)
{
    if (s->on)
        idle_add(s, p, end->cpu_us, p->started_us + end->wall_us);
}

/* Rounded down to steps, after `more` was added. */
static int32_t in_steps(int64_t value, int32_t more)
{
    return (int32_t)((value + more) / IDLE_STEP * IDLE_STEP);
}

bool idle_cores_look(struct idle_cores *s, struct process_table *table, int64_t now_us,
                     struct packet *m)
{
    if (!s->on || now_us < s->next_us)
        return false;
    struct cores_used now = cores_read(&s->cores);
    if (!idle_sum(s, table, now.at_us)) {
        s->next_us = INT64_MAX;
        return false;
    }
    int32_t spare = in_steps(cores_idle(&s->cores, &s->last, &now, s->extra_us), IDLE_ERROR);
    int64_t rate = s->wall_us > 0 ? s->cpu_us * 1000 / s->wall_us : s->reported_each;
    int32_t each = rate < (s->reported_each ? IDLE_STARVES : IDLE_WAITS)
                       ? 0
                       : in_steps(rate - IDLE_ERROR, IDLE_STEP);
    idle_restart(s, now);
    int64_t cost_us = (clock_now_us() - now_us) * IDLE_COST;
    s->next_us = now_us + (cost_us > IDLE_EVERY_US ? cost_us : IDLE_EVERY_US);
    if (each == s->reported_each && (each == 0 || spare == s->reported_spare))
        return false;
    s->reported_spare = spare;
    s->reported_each = each;
    *m = (struct packet){.type = PACKET_CORES, .u.cores = {spare, each}};
    return true;
}
