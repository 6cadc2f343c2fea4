#include "core/shepherd/ward.h"

#include <math.h>

#include "core/shepherd/outlook.h"
#include "core/shepherd/rate.h"

/* Where a look looks. */
struct view {
    const struct fold *fold;
    const struct phase *phase;
    const struct world *world;
    const struct watch *watch;
    struct slowness *curve;
};

/* The end of a running attempt that is not steady. */
static struct outlook_end unsteady_end_of(const struct view *v, const struct watch_record *r,
                                          double healthy_s, double age_s)
{
    struct outlook_facts f = {.healthy_s = healthy_s, .age_s = age_s};
    if (r->report_s > 0) {
        f.report_s = r->report_s;
        f.share = r->share;
        f.lately_s = r->lately_s;
        f.still = r->still;
    }
    if (f.lately_s <= 0 && v->phase->edge_count == 0) { /* others begin with fetches */
        f.start_s = v->fold->starts.start_s;
        f.first_s = v->fold->starts.first_s;
    }
    return outlook_of(&f, v->curve);
}

/* The end of a running attempt, and its age. */
static inline struct outlook_end end_of(const struct view *v, uint32_t index, double healthy_s,
                                        double *age_s)
{
    const struct watch_record *r = &v->watch->records.at[index];
    double age = *age_s = watch_age_s(r, v->world, world_attempt(v->world, index)), left_s;
    if (age < r->steady_s) /* most are, look after look, ... */
        left_s = outlook_steady_left_s(age, r->report_s, r->share, r->lately_s);
    else if (r->stuck_s > 0 && age >= r->stuck_s) /* ... and most others */
        left_s = outlook_stuck_left_s(age, healthy_s, v->curve);
    else
        return unsteady_end_of(v, r, healthy_s, age);
    return outlook_end_of(left_s, age, healthy_s);
}

/* A task ends with the best of its attempts, and is late if all are. */
static void best_end(const struct view *v, struct ward *w)
{
    uint32_t copies = 0, late = 0;
    w->left_s = HUGE_VAL;
    w->age_s = 0;
    const struct attempt *a;
    for (uint32_t i = v->phase->tasks[w->task].attempts; i != ATTEMPT_NONE; i = a->next) {
        a = world_attempt(v->world, i);
        if (!rate_counts(a))
            continue;
        struct outlook_end o = {w->fresh_s, false};
        double age_s = 0;
        if (a->state == ATTEMPT_RUNNING)
            o = end_of(v, i, w->healthy_s, &age_s);
        copies++;
        late += o.late;
        if (o.left_s >= w->left_s)
            continue;
        w->left_s = o.left_s;
        w->age_s = age_s;
    }
    w->copies = copies;
    w->sound = copies - late;
    w->late = late == copies;
}

void ward_look(struct ward *w, const struct fold *fold, const struct phase *p,
               const struct world *world, const struct watch *watch, struct slowness *curve)
{
    const struct view v = {fold, p, world, watch, curve};
    double healthy_s = fold->rate * rate_bytes(p, w->task) / 1e6;
    w->healthy_s = healthy_s > 1e-6 ? healthy_s : 1e-6;
    w->fresh_s = w->healthy_s + fold->fetched_s;
    uint32_t index = p->tasks[w->task].attempts;
    const struct attempt *a = world_attempt(world, index);
    if (a->next != ATTEMPT_NONE || a->state != ATTEMPT_RUNNING || a->unwanted) {
        best_end(&v, w);
        return;
    }
    struct outlook_end o = end_of(&v, index, w->healthy_s, &w->age_s); /* the same, faster */
    w->left_s = o.left_s;
    w->late = o.late;
    w->copies = 1;
    w->sound = !o.late;
}
