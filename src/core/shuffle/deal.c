#include "core/shuffle/deal.h"

#include "core/brain/decider.h"

enum { ON_ITS_NODE, IN_ITS_RACK, ELSEWHERE };

/* How far an attempt is from its task's input. */
static int distance(const struct world *w, const struct phase *p, const struct attempt *a)
{
    int least = ELSEWHERE;
    if (!p->replica_from)
        return least;
    for (uint32_t i = p->replica_from[a->task]; i < p->replica_from[a->task + 1]; i++) {
        uint32_t at = p->replicas[i].v;
        if (at == a->node.v)
            return ON_ITS_NODE;
        if (at < w->nodes.count && w->nodes.at[at].rack == w->nodes.at[a->node.v].rack)
            least = IN_ITS_RACK;
    }
    return least;
}

void deal_keep_nearest(const struct part_ctx *s, const struct phase *p, const struct task *t)
{
    const struct attempt *kept = NULL;
    FOR_ATTEMPTS (a, s->world, t)
        if (a->state != ATTEMPT_FINISHED && !a->unwanted &&
            (!kept || distance(s->world, p, a) < distance(s->world, p, kept)))
            kept = a;
    FOR_ATTEMPTS (a, s->world, t)
        if (a->state != ATTEMPT_FINISHED && a != kept)
            decider_stop(s->brain, a, &REASON_PLAIN(WHY_LOST_RACE));
}

const struct attempt *deal_second(const struct world *w, const struct task *t)
{
    FOR_ATTEMPTS (a, w, t)
        if (a->source)
            return a;
    return NULL;
}

bool deal_is_second(const struct world *w, const struct attempt *reader, const struct task *t)
{
    uint32_t turn = 0, copies = 0;
    FOR_ATTEMPTS (a, w, &attempt_phase(reader)->tasks[reader->task]) {
        if (a == reader)
            turn = copies;
        copies += a->state != ATTEMPT_FINISHED && !a->unwanted;
    }
    return turn % 2 == 1 && t->clones + 1U >= copies;
}
