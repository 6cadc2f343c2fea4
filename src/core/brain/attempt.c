/* attempt.c - the pool of attempts, and the accounts of the resources that they hold.
 *
 * Resources are charged when a launch is decided and credited only when its end is confirmed: its
 * room as soon as it has stopped, all else when its ending is reported. Three sums follow from the
 * attempts of each task: the free resources of nodes, how many tasks of a job are being worked on
 * (fair shares count that, so clones cost a job nothing), and how much extra attempts of cloned
 * phases hold (the clone budget). Extra is a property of the task, not of one attempt: beyond one
 * per unfinished task, or all of a finished one. The clone budget counts the same without backups,
 * which have limits of their own. The last two sums are kept by subtracting a task's share before a
 * change and adding it again after; no other code adds to them. */
#include "core/brain/attempt.h"

#include "base/check.h"
#include "core/brain/state.h"

struct tally {
    uint32_t extra, charged;
    bool busy;
};

/* How many live attempts of the task the clone budget pays for: its extra ones but backups, in a
 * cloned phase. Where a backup has finished first, one of the others goes on as the one that was
 * needed: what is charged must not grow when nothing was launched. */
static uint32_t task_charged(const struct brain *b, const struct phase *p, const struct task *t)
{
    uint32_t needed = task_is_open(t) || t->backed, others = t->live;
    if (!p->cloned || p->job->lead)
        return p->cloned ? t->live : 0;
    if (!b->backs_up)
        return task_extra(t);
    FOR_ATTEMPTS (a, &b->world, t)
        others -= a->state != ATTEMPT_FINISHED && a->kind == LAUNCH_BACKUP;
    return others > needed ? others - needed : 0;
}

/* The lead of a cloned job needs its attempts; all those of its other copies are extra. */
static inline struct tally task_tally(const struct brain *b, const struct phase *p,
                                      const struct task *t)
{
    if (t->live == 0)
        return (struct tally){0};
    return (struct tally){.extra = p->job->lead ? t->live : task_extra(t),
                          .charged = p->cloned ? task_charged(b, p, t) : 0,
                          .busy = t->live > 0 && task_is_open(t)};
}

static void tally_changed(struct brain *b, struct phase *p, struct tally old, struct tally now)
{
    if (cost_cap_is_on(b))
        cost_cap_hold(b, p, (int64_t)now.extra - (int64_t)old.extra);
    if (now.charged != old.charged)
        res_sum_add(&b->world.clone_held, &p->demand, (int64_t)now.charged - (int64_t)old.charged);
    if (now.busy != old.busy) {
        p->job->busy += now.busy ? 1U : -1U;
        queue_follow(b, p->job, FOLLOWS_BUSY);
    }
}

static inline void task_retally(struct brain *b, struct phase *p, const struct task *t,
                                struct tally old)
{
    struct tally now = task_tally(b, p, t);
    if (now.extra != old.extra || now.charged != old.charged || now.busy != old.busy)
        tally_changed(b, p, old, now);
}

void attempt_set_task(struct brain *b, struct phase *p, struct task *t, uint8_t state)
{
    if (t->live == 0) { /* it is in no account, before and after */
        t->state = state;
        return;
    }
    struct tally old = task_tally(b, p, t);
    t->state = state;
    task_retally(b, p, t, old);
}

void attempt_charge_job(struct brain *b, const struct job *j, int sign)
{
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase *p = &j->phases[k];
        for (uint32_t t = 0; t < p->count && p->cloned; t++) {
            struct tally one = task_tally(b, p, &p->tasks[t]);
            res_sum_add(&b->world.clone_held, &p->demand, sign * (int64_t)one.charged);
            if (cost_cap_is_on(b))
                cost_cap_hold(b, p, sign * (int64_t)one.extra);
        }
    }
}

void attempt_charge_phase(struct brain *b, struct phase *p)
{
    if (p->cloned)
        return;
    p->cloned = true;
    for (uint32_t t = 0; t < p->count; t++)
        res_sum_add(&b->world.clone_held, &p->demand, task_charged(b, p, &p->tasks[t]));
}

struct attempt *attempt_find(const struct brain *b, struct attempt_ref ref)
{
    const struct job *j = world_job(&b->world, ref.job);
    struct attempt *a = j ? attempt_find_in(&b->world, j, ref) : NULL;
    if (a || !j) /* mostly, and what is known of copies is in another cache line */
        return a;
    for (j = j->copies; j && !a; j = j->next)
        a = attempt_find_in(&b->world, j, ref);
    return a;
}

bool attempt_is_slow(const struct attempt *a)
{
    return a->unwanted && (a->stop_why == WHY_PRUNED || a->stop_why == WHY_RESTART_FASTER);
}

int64_t attempt_shown_us(const struct world *w, const struct attempt *a, bool finished)
{
    int64_t elapsed_us = attempt_elapsed_us(w, a);
    if (finished || a->state == ATTEMPT_ENDED || !attempt_is_slow(a) || !w->keeps_progress)
        return elapsed_us;
    if (!a->reported)
        return elapsed_us + (int64_t)(a->left_s < 1e12 ? a->left_s * 1e6 : 1e18);
    struct progress said = world_progress(w, a);
    if (said.done <= 0 || said.total <= 0)
        return elapsed_us;
    double whole_us = (double)(said.at_us - a->started_us) * (double)said.total / (double)said.done;
    return whole_us > (double)elapsed_us ? (int64_t)whole_us : elapsed_us;
}

bool attempt_is_spare(const struct world *w, const struct attempt *a)
{
    const struct task *t = &attempt_phase(a)->tasks[a->task];
    if (!task_is_open(t) || a->job->lead)
        return true;
    FOR_ATTEMPTS (other, w, t)
        if (other != a && !other->unwanted && other->state != ATTEMPT_FINISHED)
            return true;
    return false;
}

static uint32_t attempt_index(const struct brain *b, const struct attempt *a)
{
    return (uint32_t)(a - b->world.attempts.at);
}

static void link_add(struct copy_link *links, uint32_t *newest, uint32_t index)
{
    links[index] = (struct copy_link){.newer = ATTEMPT_NONE, .older = *newest};
    if (*newest != ATTEMPT_NONE)
        links[*newest].newer = index;
    *newest = index;
}

static void link_remove(struct copy_link *links, uint32_t *newest, uint32_t index)
{
    struct copy_link x = links[index];
    *(x.newer != ATTEMPT_NONE ? &links[x.newer].older : newest) = x.older;
    if (x.older != ATTEMPT_NONE)
        links[x.older].newer = x.newer;
}

/* Clones are listed together, backups are, and both are by node. */
static uint32_t *extra_list(struct world *w, const struct attempt *a)
{
    return a->kind == LAUNCH_CLONE ? &w->newest_clone : &w->newest_backup;
}

static void extra_link(struct world *w, const struct attempt *a, uint32_t index)
{
    if (!attempt_is_extra(a))
        return;
    pool_reserve(&w->copies, index + 1);
    link_add(w->copies.at, extra_list(w, a), index);
    w->clones_live += a->kind == LAUNCH_CLONE;
    if (w->keeps_extras) {
        pool_reserve(&w->extras, index + 1);
        link_add(w->extras.at, &w->nodes.at[a->node.v].newest_extra, index);
    }
}

static void extra_unlink(struct world *w, const struct attempt *a, uint32_t index)
{
    if (!attempt_is_extra(a))
        return;
    link_remove(w->copies.at, extra_list(w, a), index);
    w->clones_live -= a->kind == LAUNCH_CLONE;
    if (w->keeps_extras)
        link_remove(w->extras.at, &w->nodes.at[a->node.v].newest_extra, index);
}

/* Appends to the list of running attempts; a list linked through the attempts would touch two
 * neighbours, anywhere in memory, whenever one ends. */
static void running_add(struct world *w, uint32_t index)
{
    world_attempt(w, index)->running_at = w->running.count;
    pool_add(&w->running);
    w->running.at[w->running.count - 1] = index;
}

/* Leaves a hole; once there are more holes than attempts, the list is closed up. */
static void running_remove(struct world *w, const struct attempt *a)
{
    w->running.at[a->running_at] = ATTEMPT_NONE;
    if (++w->running_gone < 64 || w->running_gone * 2 < w->running.count)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->running.count; i++)
        if (w->running.at[i] != ATTEMPT_NONE) {
            world_attempt(w, w->running.at[i])->running_at = kept;
            w->running.at[kept++] = w->running.at[i];
        }
    w->running.count = kept;
    w->running_gone = 0;
}

void attempt_starts(struct brain *b, struct attempt *a, int64_t started_us)
{
    a->state = ATTEMPT_RUNNING;
    a->started_us = started_us;
    if (b->world.keeps_running)
        running_add(&b->world, attempt_index(b, a));
}

/* `sign` 1 charges the attempt to node, job and task, -1 credits it. */
static inline void attempt_account(struct brain *b, struct attempt *a, int sign)
{
    struct world *w = &b->world;
    struct phase *p = attempt_phase(a);
    struct job *j = job_lead(a->job);
    struct node *n = &w->nodes.at[a->node.v];
    bool limited = j->running_max > 0, capped = limited && job_is_full(j);

    if (sign > 0) {
        res_sub(&n->free, &p->demand);
        res_sum_plus(&w->used, &p->demand);
    } else {
        res_add(&n->free, &p->demand);
        res_sum_minus(&w->used, &p->demand);
    }
    if (a->kind == LAUNCH_BACKUP)
        res_sum_add(&w->backups, &p->demand, sign);
    n->live += (uint32_t)sign;
    world_refit_node(w, a->node.v);
    w->live += (uint32_t)sign;
    j->live += (uint32_t)sign;
    if (b->queue.keeps_held)
        queue_hold(b, a, sign);
    if (limited && job_is_full(j) != capped)
        queue_refresh_job(b, j);
}

/* The task has one attempt more or less: others of it may be spare now, and yield where they are
 * or, where a limit of their group is in the way, anywhere. */
static void attempt_eases_others(struct brain *b, const struct task *t)
{
    uint32_t extras = 0;
    FOR_ATTEMPTS (a, &b->world, t) {
        node_set_add(b->world.roomier, a->node.v);
        extras += attempt_is_extra(a);
    }
    b->queue.wanted_anew |= extras > 0 && b->world.groups.count > 0;
}

struct attempt *attempt_create(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                               struct node_id node)
{
    struct world *w = &b->world;
    struct task *t = &p->tasks[task];
    uint32_t index = w->attempt_free;
    if (index != ATTEMPT_NONE) {
        w->attempt_free = world_attempt(w, index)->next;
    } else {
        index = w->attempts.count;
        pool_add(&w->attempts);
    }
    if (index < w->progress.count)
        w->progress.at[index] = (struct progress){0};
    struct attempt *a = world_attempt(w, index);
    t->launches++;
    *a = (struct attempt){.job = p->job,
                          .task = task,
                          .phase = p->index,
                          .ordinal = task_named(p, task)->ordinals++,
                          .node = node,
                          .kind = kind,
                          .state = ATTEMPT_LAUNCHING,
                          .next = ATTEMPT_NONE,
                          .launched_us = w->now_us};

    struct tally old = task_tally(b, p, t);
    uint32_t *link = &t->attempts; /* oldest first, so that the first finisher is found first */
    while (*link != ATTEMPT_NONE)
        link = &world_attempt(w, *link)->next;
    *link = index;
    check(t->live < UINT8_MAX);
    t->live++;
    p->live++;
    a->spare = t->state == TASK_DONE;
    if (!a->spare)
        t->state = TASK_ACTIVE;
    task_retally(b, p, t, old);
    p->job->kept++;
    attempt_account(b, a, 1);
    extra_link(w, a, index);
    if (b->world.roomier)
        attempt_eases_others(b, t);
    return a;
}

static void attempt_unlink(struct brain *b, struct attempt *a)
{
    struct world *w = &b->world;
    uint32_t index = attempt_index(b, a);
    uint32_t *link = &attempt_phase(a)->tasks[a->task].attempts;
    while (*link != index)
        link = &world_attempt(w, *link)->next;
    *link = a->next;
    a->next = w->attempt_free;
    w->attempt_free = index;
    a->job->kept--;
}

/* Takes it off the lists of those that hold room, and credits that. */
static void attempt_leave(struct brain *b, struct attempt *a)
{
    extra_unlink(&b->world, a, attempt_index(b, a));
    if (a->dying) {
        b->world.clones_dying--;
        res_sum_add(&b->world.clone_dying, &attempt_phase(a)->demand, -1);
    }
    a->dying = false;
    if (a->state == ATTEMPT_RUNNING && b->world.keeps_running)
        running_remove(&b->world, a);
    attempt_account(b, a, -1);
}

void attempt_vacate(struct brain *b, struct attempt *a)
{
    check(a->state == ATTEMPT_RUNNING);
    attempt_leave(b, a);
    a->ran_us = b->world.now_us - a->started_us;
    a->state = ATTEMPT_ENDED;
}

void attempt_release(struct brain *b, struct attempt *a, bool to_finished)
{
    struct phase *p = attempt_phase(a);
    struct task *t = &p->tasks[a->task];
    check(a->state != ATTEMPT_FINISHED);
    if (a->state != ATTEMPT_ENDED)
        attempt_leave(b, a);

    struct tally old = task_tally(b, p, t);
    t->live--;
    p->live--;
    if (to_finished) {
        if (task_is_open(t))
            t->backed = a->kind == LAUNCH_BACKUP;
        a->took_us = attempt_elapsed_us(&b->world, a);
        a->state = ATTEMPT_FINISHED;
        t->finished++;
    } else {
        attempt_unlink(b, a);
    }
    task_retally(b, p, t, old);
    if (b->world.roomier)
        attempt_eases_others(b, t);
}

void attempt_bar(struct brain *b, struct attempt *a)
{
    struct phase *p = attempt_phase(a);
    struct task *t = &p->tasks[a->task];
    check(a->state == ATTEMPT_FINISHED);
    if (a->barred)
        return;
    a->barred = true;
    if (t->live == 0) { /* as in attempt_set_task */
        t->finished--;
    } else {
        struct tally old = task_tally(b, p, t);
        t->finished--;
        task_retally(b, p, t, old);
    }
}

void attempt_forget(struct brain *b, struct attempt *a)
{
    attempt_bar(b, a);
    attempt_unlink(b, a);
}
