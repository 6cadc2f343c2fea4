/* shuffle.c - who reads which output.
 *
 * cc (contention cloning, NSDI'13 section 4.1): every reader reads the committed output, that of the first
 * attempt to finish; the other attempts of a won task are of no use any more and are ended at once. */
#include "brain/decider.h"
#include "policy/parts.h"

static void cc_launched(const struct seat *s, struct attempt *reader)
{
    const struct phase *p = attempt_phase(reader);
    for (uint16_t e = 0; e < p->edge_count; e++)
        decider_read_committed(s->brain, reader, p->edges[e].from);
}

static void cc_won(const struct seat *s, struct phase *p, uint32_t task)
{
    for (uint32_t i = p->tasks[task].attempts; i != SLOT_NONE;) {
        struct attempt *a = world_attempt(s->world, i);
        i = a->next;
        if (a->state != ATTEMPT_FINISHED)
            decider_stop(s->brain, a, &REASON_PLAIN(WHY_LOST_RACE));
    }
}

const struct shuffle_ops shuffle_cc = {
    .part = {"cc", "all readers read the first finished attempt's output; its siblings are ended",
             NULL, 0, 0},
    .launched = cc_launched,
    .won = cc_won,
};
