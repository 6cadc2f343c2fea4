/* decide.c - what should happen now, once per instant.
 *
 * First the consequences of what was told (commits, losers, finished jobs) in the order in which
 * they arose; then screen, first attempts and clones in the order of their jobs, and the passes of
 * mitigation. The cost is that of what changed: nothing here walks over all jobs, tasks or nodes.
 */
#include "base/check.h"
#include "brain/state.h"

/* ---- the end of jobs ---- */

void job_stop_attempts(struct brain *b, struct job *j, const struct reason *why)
{
    for (uint16_t k = 0; k < j->phase_count && j->kept > 0; k++) {
        struct phase *p = &j->phases[k];
        for (uint32_t t = 0; t < p->count; t++)
            FOR_ATTEMPTS (a, &b->world, &p->tasks[t]) {
                if (a->state != ATTEMPT_FINISHED)
                    decider_stop(b, a, why);
                else if (!(commit_is_asked(p, &p->tasks[t]) && p->tasks[t].winner == a->ordinal))
                    decider_discard(b, a, why);
            }
    }
}

static void job_end(struct brain *b, struct job *j, uint8_t type, struct attempt_ref at,
                    const struct reason *why)
{
    j->state = type == DO_JOB_DONE ? JOB_DONE : JOB_FAILED;
    for (uint16_t k = 0; k < j->phase_count; k++)
        decider_cancel_clones(b, &j->phases[k]);
    queue_refresh_job(b, j);
    j->kept++; /* or the last copy to go would take it along */
    job_copy_drop_all(b, j, &REASON_PLAIN(WHY_JOB_OVER));
    j->kept--;
    if (j->kept > 0)
        job_stop_attempts(b, j, &REASON_PLAIN(WHY_JOB_OVER));
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->job_over)
            BRAIN_MITIGATE(b, i)->job_over(&b->mitigate[i], j);
    brain_add(b, type, at, why);
    job_free_if_over(b, j);
}

void phase_tell(struct brain *b, struct phase *p)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->phase_finished)
            BRAIN_MITIGATE(b, i)->phase_finished(&b->mitigate[i], p);
    if (BRAIN_OPS(b, shuffle)->phase_finished)
        BRAIN_OPS(b, shuffle)->phase_finished(&b->shuffle, p);
    if (BRAIN_OPS(b, screen)->phase_finished)
        BRAIN_OPS(b, screen)->phase_finished(&b->screen, p);
    if (BRAIN_OPS(b, protect)->phase_finished)
        BRAIN_OPS(b, protect)->phase_finished(&b->protect, p);
    vec_free(&p->samples);
}

/* Once, when no task is left that was never done: what the phase teaches. */
void phase_teach(struct brain *b, struct phase *p)
{
    if (p->incomplete > 0 || p->measured || p->done == 0)
        return; /* where every task failed there is nothing to learn */
    phase_measure(p);
    phase_tell(b, p);
}

/* The task failed for good: either the phase bears it, or that is the end of the job. */
static void task_give_up(struct brain *b, struct phase *p, struct attempt_ref at)
{
    const struct task *t = &p->tasks[at.task];
    const struct policy *policy = b->policy;
    struct reason why =
        t->failures >= policy->failures_max
            ? REASON(WHY_TOO_MANY_FAILURES, t->failures, (double)policy->failures_max)
            : REASON(WHY_TOO_MANY_LAUNCHES, t->launches, (double)policy->launches_max);
    if (job_copy_failed(b, p->job, &why))
        return;
    if (p->given_up == p->failures_allowed) {
        job_end(b, p->job, DO_JOB_FAILED, at, &why);
        return;
    }
    brain_add(b, DO_VERDICT, at, &why);
    phase_task_given_up(b, p, at.task);
    phase_teach(b, p);
}

static void job_complete(struct brain *b, struct job *j, struct attempt_ref at)
{
    uint64_t failed = 0;
    for (uint16_t k = 0; k < j->phase_count; k++)
        failed += j->phases[k].given_up;
    struct reason why = failed ? REASON(WHY_ALL_OVER, (double)j->tasks, (double)failed)
                               : REASON(WHY_ALL_COMMITTED, (double)j->tasks);
    job_end(b, j, DO_JOB_DONE, at, &why);
}

static bool phase_fits_somewhere(const struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->world.nodes.count; i++)
        if (res_fits(&p->demand, &b->world.nodes.at[i].capacity))
            return true;
    return b->world.nodes.count == 0;
}

static void job_begin(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (!phase_fits_somewhere(b, &j->phases[k])) {
            job_end(b, j, DO_JOB_FAILED, phase_ref(&j->phases[k]),
                    &REASON_PLAIN(WHY_UNSATISFIABLE));
            return;
        }
    for (uint16_t k = 0; k < j->phase_count; k++)
        phase_review(b, &j->phases[k]);
}

/* ---- what events made necessary ---- */

/* Commits the oldest finished attempt; those of a task that is won already are in vain. */
static void todo_commit(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    if (p->job->holds) {
        job_copy_hold(b, p, task);
        return;
    }
    retract_finished(b, p, task);
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state != ATTEMPT_FINISHED)
            continue;
        if (t->state == TASK_ACTIVE && p->job->state == JOB_LIVE) {
            t->winner = a->ordinal;
            task_set_state(b, p, t, TASK_COMMITTING);
            if (!commit_is_asked(p, t))
                continue; /* its copy commits phase by phase, and has not come so far */
            p->job->commits_due += p->job->copy > 0;
            brain_add(b, DO_COMMIT, attempt_ref_of(a), &REASON_PLAIN(WHY_FIRST_FINISHED));
        } else if (t->state == TASK_DONE && a->checksum == t->checksum &&
                   p->job->state == JOB_LIVE && BRAIN_OPS(b, shuffle)->keeps &&
                   BRAIN_OPS(b, shuffle)->keeps(&b->shuffle, p, a)) {
            a->source = true;
            phase_refill_readers(b, p);
        } else if (t->state == TASK_DONE && a->spare && a->checksum == t->checksum &&
                   p->job->state == JOB_LIVE) {
            continue; /* kept until that output is lost or the job is over */
        } else if (t->state == TASK_DONE) {
            phase_refill_readers(b, p); /* some may have hoped for it */
            decider_discard(
                b, a,
                &REASON_PLAIN(a->checksum == t->checksum ? WHY_LOST_RACE : WHY_NONDETERMINISTIC));
        } else if (p->job->state != JOB_LIVE && t->state != TASK_COMMITTING) {
            decider_discard(b, a, &REASON_PLAIN(WHY_JOB_OVER));
        }
    }
}

static void todo_won(struct brain *b, struct phase *p, uint32_t task)
{
    BRAIN_OPS(b, shuffle)->won(&b->shuffle, p, task);
    phase_refill_readers(b, p);
    todo_commit(b, p, task); /* others that finished meanwhile */
    if (BRAIN_OPS(b, protect)->won && p->job->state == JOB_LIVE) {
        if (!p->guard)
            p->guard = BRAIN_OPS(b, protect)->guard(&b->protect, p);
        BRAIN_OPS(b, protect)->won(&b->protect, p, task);
    }
    phase_teach(b, p);
}

static void todo_stop(struct brain *b, struct attempt_ref at)
{
    struct attempt *a = attempt_find(b, at);
    if (a && a->unwanted && a->state != ATTEMPT_FINISHED)
        decider_stop(
            b, a, &REASON_PLAIN(job_lead(a->job)->state != JOB_LIVE ? WHY_JOB_OVER : a->stop_why));
}

static void todo_do(struct brain *b, const struct todo *todo)
{
    struct job *j = job_copy_find(&b->world, todo->at.job, todo->copy);
    if (!j)
        return;
    struct phase *p = &j->phases[todo->at.phase];
    switch (todo->what) {
    case TODO_COMMIT:
        todo_commit(b, p, todo->at.task);
        job_free_if_over(b, j);
        return;
    case TODO_STOP:
        todo_stop(b, todo->at);
        return;
    case TODO_DISCARD:
        brain_add(b, DO_DISCARD_OUTPUT, todo->at, &REASON_PLAIN(WHY_COMMIT_FAILED));
        return;
    case TODO_WON:
        todo_won(b, p, todo->at.task);
        job_free_if_over(b, j);
        return;
    default:
        break;
    }
    if (j->state != JOB_LIVE)
        return;
    switch (todo->what) {
    case TODO_JOB_NEW:
        job_begin(b, j);
        break;
    case TODO_JOB_CANCELLED:
        job_end(b, j, DO_JOB_FAILED, todo->at, &REASON_PLAIN(WHY_CANCELLED));
        break;
    case TODO_TASK_FAILED:
        task_give_up(b, p, todo->at);
        break;
    case TODO_JOB_DONE:
        if (j->leaves_left > 0)
            break; /* an output was lost in the same instant */
        if (j->holds)
            job_copy_won(b, j);
        else
            job_complete(b, j, todo->at);
        break;
    case TODO_FILL:
        p->fill_due = false;
        BRAIN_OPS(b, shuffle)->fill(&b->shuffle, p);
        break;
    case TODO_COMMITS:
        job_copy_commit(b, j);
        break;
    case TODO_REDO:
        job_copy_redo(b, p);
        break;
    case TODO_CHANGED:
        retract_readers(b, p, todo->at.task);
        break;
    case TODO_RETRACT:
        retract_commit(b, p, todo->at.task);
        break;
    default:
        phase_revive(b, p);
        break;
    }
}

/* ---- first attempts and clones, in the order of their jobs ---- */

static bool launch_first(struct brain *b, struct phase *p)
{
    uint32_t task = queue_first_pending(p);
    struct node_id node = brain_place(b, p, task);
    if (node.v == NODE_NONE.v)
        return false;
    if (!p->started) {
        p->started = true;
        for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
            if (BRAIN_MITIGATE(b, i)->phase_started)
                BRAIN_MITIGATE(b, i)->phase_started(&b->mitigate[i], p);
    }
    const struct task *t = &p->tasks[task];
    queue_unpend(b, p, task);
    if (p->job->lead)
        brain_launch(b, p, task, LAUNCH_CLONE, node,
                     &REASON(WHY_CLONE, p->job->copy - 1.0, (double)p->copies));
    else if (t->recompute)
        brain_launch(b, p, task, LAUNCH_RECOMPUTE, node, &REASON_PLAIN(WHY_OUTPUT_LOST));
    else if (t->launches > 0)
        brain_launch(b, p, task, LAUNCH_RESTART, node,
                     &REASON(WHY_AFTER_FAILURE, (double)t->failures));
    else
        brain_launch(b, p, task, LAUNCH_FIRST, node, &REASON_PLAIN(WHY_RUNNABLE));
    return true;
}

static bool clone_may_start(struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->clone_may_start)
            return BRAIN_MITIGATE(b, i)->clone_may_start(&b->mitigate[i], p);
    return false;
}

static bool launch_clone(struct brain *b, struct phase *p)
{
    uint32_t task = queue_next_clone(b, p);
    if (task == TASK_ALL)
        return true; /* nothing was left to clone; the phase has left its queue */
    if (disk_full_lately(b) || !clone_may_start(b, p) || brain_capped(b, p) || cores_forbid(b, p))
        return false;
    struct node_id node = brain_place(b, p, task);
    if (node.v == NODE_NONE.v)
        return false;
    queue_take_clone(b, p);
    p->tasks[task].clones++;
    brain_launch(b, p, task, LAUNCH_CLONE, node,
                 &REASON(WHY_CLONE, (double)p->tasks[task].clones, (double)p->copies));
    return true;
}

static bool item_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* The queue whose best phase is next in line; first attempts before clones of the same job. */
static struct demand_queue *next_queue(struct brain *b, bool *clone)
{
    struct demand_queue *best = NULL;
    const struct heap_item *top = NULL;
    queue_settle(b);
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        const struct heap_item *it = l->firsts_blocked ? NULL : heap_top(&l->firsts);
        if (it && (!top || item_before(it, top) ||
                   (*clone && it->key == top->key && it->tie == top->tie))) {
            top = it;
            best = l;
            *clone = false;
        }
        it = l->clones_blocked ? NULL : heap_top(&l->clones);
        if (it && (!top || item_before(it, top))) {
            top = it;
            best = l;
            *clone = true;
        }
    }
    return best;
}

/* With idle clones, a first attempt that found no room takes the place of the newest clone that
 * can make it; those already dying count as room to come. */
static void clones_yield(struct brain *b)
{
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < b->queues.count; i++)
        for (uint32_t k = 0; k < b->queues.at[i]->firsts.count; k++)
            waiting += queue_first_at(&b->queues.at[i]->firsts.at[k])->pending_count;
    waiting -= waiting < b->world.clones_dying ? waiting : b->world.clones_dying;
    for (uint32_t i = b->world.newest_clone; i != ATTEMPT_NONE && waiting > 0;) {
        struct attempt *a = world_attempt(&b->world, i);
        i = world_older_clone(&b->world, i);
        if (a->unwanted || !attempt_is_spare(&b->world, a))
            continue; /* never the last attempt of a task */
        decider_stop(b, a, &REASON_PLAIN(WHY_YIELD));
        waiting--;
    }
}

/* No first attempt can be launched, because none waits or because no node has room. */
static bool queue_is_full(const struct brain *b, const struct demand_queue *l)
{
    return l->firsts.count == 0 || !fit_index_any(&b->world.fit, l->fit);
}

static void schedule(struct brain *b)
{
    disk_full_shed(b);
    cores_shed(b);
    bool clone = false, any = false, waits = disk_full_waits(b);
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        l->firsts_blocked = waits || queue_is_full(b, l);
        l->clones_blocked = b->clones_idle;
        any |= !l->firsts_blocked || (!b->clones_idle && l->clones.count > 0);
    }
    for (struct demand_queue *l; any && (l = next_queue(b, &clone)) != NULL;) {
        if (clone)
            l->clones_blocked = !launch_clone(b, queue_clone_at(heap_top(&l->clones)));
        else
            l->firsts_blocked =
                !launch_first(b, queue_first_at(heap_top(&l->firsts))) || queue_is_full(b, l);
        any = !l->firsts_blocked || b->queues.count > 1 || l->clones.count > 0;
    }
    if (b->early_jobs > 0)
        yield_make_room(b);
    if (!b->clones_idle)
        return;
    if (decider_firsts_wait(b)) {
        clones_yield(b);
        return;
    }
    cores_refill(b);
    for (uint32_t i = 0; i < b->queues.count; i++)
        b->queues.at[i]->clones_blocked = false;
    for (struct demand_queue *l; (l = next_queue(b, &clone)) != NULL;)
        l->clones_blocked = !launch_clone(b, queue_clone_at(heap_top(&l->clones)));
}

/* ---- the cap on extra attempts ---- */

static void cap_arm(struct brain *b)
{
    int64_t next_us = cost_cap_next_us(&b->cost_cap);
    if (next_us == 0 || b->world.live == 0 ||
        (b->cost_cap_armed_us && b->cost_cap_armed_us <= next_us))
        return;
    b->cost_cap_armed_us = next_us;
    brain_set_timer(b, TIMER_COST_CAP, next_us);
}

/* ---- regular wake-ups ---- */

static bool ticker_due(struct ticker *t)
{
    bool due = t->due;
    t->due = false;
    return due;
}

static void ticker_arm(struct brain *b, struct ticker *t, uint32_t id)
{
    if (t->every_us == 0 || t->armed || b->world.live == 0)
        return;
    t->armed = true;
    brain_set_timer(b, id, b->world.now_us + t->every_us);
}

/* What was ended after the list was done may have been somebody's hope: who waits for it need not
 * any longer. What else was put on the list meanwhile has time until the next turn. */
static void fill_rest(struct brain *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->todo.count; i++) {
        struct todo todo = b->todo.at[i];
        if (todo.what == TODO_FILL)
            todo_do(b, &todo);
        else
            b->todo.at[kept++] = todo;
    }
    b->todo.count = kept;
}

struct decision_list brain_decide(struct brain *b, int64_t now_us)
{
    check(now_us >= b->world.now_us);
    b->world.now_us = now_us;
    vec_clear(&b->out);
    if (b->cost_cap.share < 1)
        cost_cap_advance(&b->cost_cap, now_us, b->world.capacity.v[RES_CPU]);
    for (uint32_t i = 0; i < b->todo.count; i++) { /* the list may grow meanwhile */
        struct todo todo = b->todo.at[i];
        todo_do(b, &todo);
    }
    vec_clear(&b->todo);
    if (b->wake_due) {
        b->wake_due = false;
        b->wake_us = 0;
        BRAIN_OPS(b, shuffle)->woken(&b->shuffle);
    }
    trim_extras(b);
    if (ticker_due(&b->tick_screen))
        BRAIN_OPS(b, screen)->tick(&b->screen);
    for (uint32_t i = 0; b->mitigates_before && i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->before)
            BRAIN_MITIGATE(b, i)->before(&b->mitigate[i]);
    if (BRAIN_OPS(b, protect)->before)
        BRAIN_OPS(b, protect)->before(&b->protect);
    schedule(b);
    for (uint32_t i = 0; b->mitigates_after && i < b->policy->mitigate_count; i++) {
        const struct mitigate_ops *m = BRAIN_MITIGATE(b, i);
        if (m->pass)
            m->pass(&b->mitigate[i]);
        if (ticker_due(&b->tick_mitigate[i]))
            m->tick(&b->mitigate[i]);
        ticker_arm(b, &b->tick_mitigate[i], TIMER_MITIGATE + i);
    }
    if (b->todo.count > 0)
        fill_rest(b);
    ticker_arm(b, &b->tick_screen, TIMER_SCREEN);
    if (b->cost_cap.share < 1)
        cap_arm(b);
    if (b->wake_us > 0 && (b->wake_armed_us == 0 || b->wake_us < b->wake_armed_us)) {
        b->wake_armed_us = b->wake_us;
        brain_set_timer(b, TIMER_SHUFFLE, b->wake_us);
    }
    if (b->avoid_next_us > 0 && !b->avoid_armed) {
        b->avoid_armed = true;
        brain_set_timer(b, TIMER_AVOID, b->avoid_next_us);
    }
    return (struct decision_list){b->out.at, b->out.count};
}
