/* idle_cores.h - measures the cores, disk and memory that attempts leave for clones.
 *
 * Nothing is measured until the first clone. */
#pragma once

#include "exec/process/cores.h"
#include "exec/process/packet.h"
#include "exec/process/process.h"

/* Zero-initialise. */
struct idle_cores {
    bool active;
    struct cores cores;
    struct cores_used last;
    int64_t next_us; /* when to look next; INT64_MAX: after the next launch */
    /* Totals of processes that have ended since the last look. */
    int64_t extra_us, cpu_us, wall_us;
    int32_t reported_spare, reported_each; /* each 0 at first: nothing was reported */
    /* The same for pressure. */
    struct cores_stalled stalled;
    int64_t pressure_us;       /* when to look next; INT64_MAX: after the next launch */
    int64_t pressure_every_us; /* interval after that */
    int32_t reported_disk, reported_memory;
};

/* Notes that a process was launched; the first clone turns it on. */
void idle_cores_launched(struct idle_cores *s, struct process_table *table, const struct process *p,
                         int64_t now_us);

/* Notes the end of a process, with its use. Call this and the functions below only while it is on.
 */
void idle_cores_ended(struct idle_cores *s, const struct process *p, const struct packet_end *end);

/* Returns when to look at either next; INT64_MAX: after the next launch. */
static inline int64_t idle_cores_next_us(const struct idle_cores *s)
{
    if (!s->active)
        return INT64_MAX;
    return s->next_us < s->pressure_us ? s->next_us : s->pressure_us;
}

/* Looks, if it is time. Returns true if *m is to be reported. */
bool idle_cores_look(struct idle_cores *s, struct process_table *table, int64_t now_us,
                     struct packet *m);

/* Measures the disk and memory, if it is time. Returns true if *m is to be reported. */
bool idle_cores_look_pressure(struct idle_cores *s, struct process_table *table, int64_t now_us,
                              struct packet *m);
