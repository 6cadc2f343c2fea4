#include "core/shepherd/watch.h"

void watch_fini(struct watch *w)
{
    vec_free(&w->records);
}

static struct watch_record *record_of(struct watch *w, const struct world *world,
                                      const struct attempt *a)
{
    uint32_t index = (uint32_t)(a - world->attempts.at);
    while (w->records.count <= index)
        vec_push(&w->records, (struct watch_record){0});
    struct watch_record *r = &w->records.at[index];
    if (!attempt_equal(r->of, attempt_ref_of(a)))
        *r = (struct watch_record){.of = attempt_ref_of(a)};
    return r;
}

void watch_fetched(struct watch *w, const struct world *world, const struct attempt *a)
{
    record_of(w, world, a)->ready_us = world->now_us;
}

const struct watch_record *watch_look(struct watch *w, const struct world *world,
                                      const struct attempt *a)
{
    struct watch_record *r = record_of(w, world, a);
    struct progress now = world_progress(world, a);
    if (now.total <= 0 || now.at_us <= a->started_us || now.at_us == r->at_us)
        return r;
    double share = (double)now.done / (double)now.total;
    r->still = r->at_us > 0 && share <= r->share;
    r->lately_s =
        r->at_us > 0 && !r->still ? (double)(now.at_us - r->at_us) / 1e6 / (share - r->share) : 0;
    r->at_us = now.at_us;
    r->share = share;
    return r;
}

int64_t watch_began_us(const struct watch *w, const struct world *world, const struct attempt *a)
{
    size_t index = (size_t)(a - world->attempts.at);
    if (index >= w->records.count || !attempt_equal(w->records.at[index].of, attempt_ref_of(a)) ||
        w->records.at[index].ready_us < a->started_us)
        return a->started_us;
    return w->records.at[index].ready_us;
}
