/* book.c - plain arrays behind the referee.
 *
 * Jobs are kept by rising id (the contract says that ids rise), found by bisection; phases, tasks
 * and attempts are arrays indexed by their numbers. Sums (charged, extra, idle tasks) are kept up
 * to date by one function, task_change, which subtracts a task's share before a change and adds it
 * after: no other place can forget one of them. Recomputing the sums from scratch at every step was
 * the first idea; it is simpler still, but makes a swarm of thousands of seeds too slow. */
#include "tests/swarm/book.h"

#include "base/check.h"
#include "tests/swarm/book_read.h"

void book_fini(struct book *b)
{
    for (uint32_t j = 0; j < b->jobs.count; j++) {
        struct book_job *job = &b->jobs.at[j];
        for (uint16_t p = 0; p < job->phase_count; p++) {
            for (uint32_t t = 0; t < job->phases[p].task_count; t++) {
                struct book_task *task = &job->phases[p].tasks[t];
                for (uint32_t i = 0; i < task->attempts.count; i++)
                    mem_free(task->attempts.at[i].reads);
                vec_free(&task->attempts);
            }
            mem_free(job->phases[p].tasks);
            mem_free(job->phases[p].edges);
            mem_free(job->phases[p].input_each);
            mem_free(job->phases[p].partitions);
        }
        mem_free(job->phases);
    }
    vec_free(&b->jobs);
    vec_free(&b->nodes);
    vec_free(&b->timers);
    vec_free(&b->touched);
    vec_free(&b->readers);
    vec_free(&b->losers);
}

/* Index of the first job whose id is not below `id`. */
static uint32_t job_index(const struct book *b, struct job_id id)
{
    uint32_t low = 0, high = b->jobs.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->jobs.at[middle].id.v < id.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct book_entry book_find(struct book *b, struct attempt_ref at)
{
    struct book_entry e = {0};
    uint32_t j = job_index(b, at.job);

    if (j == b->jobs.count || b->jobs.at[j].id.v != at.job.v)
        return e;
    e.job = &b->jobs.at[j];
    if (at.phase >= e.job->phase_count)
        return e;
    e.phase = &e.job->phases[at.phase];
    if (at.task >= e.phase->task_count)
        return e;
    e.task = &e.phase->tasks[at.task];
    if (at.attempt < e.task->attempts.count)
        e.attempt = &e.task->attempts.at[at.attempt];
    return e;
}

struct book_node *book_node(struct book *b, struct node_id id)
{
    if (id.v >= b->nodes.count || b->nodes.at[id.v].state == BOOK_NODE_UNSEEN)
        return NULL;
    return &b->nodes.at[id.v];
}

struct book_node *book_node_note(struct book *b, struct node_id id, const struct res *capacity)
{
    while (b->nodes.count <= id.v)
        vec_push(&b->nodes, (struct book_node){.down_us = -1});

    b->nodes.at[id.v].capacity = *capacity;
    return &b->nodes.at[id.v];
}

void book_sum_capacity(struct book *b)
{
    b->capacity = (struct res_sum){{0}};
    b->nodes_down = 0;
    for (uint32_t i = 0; i < b->nodes.count; i++) {
        b->nodes_down += b->nodes.at[i].state == BOOK_NODE_DOWN;
        if (b->nodes.at[i].state != BOOK_NODE_UNSEEN && b->nodes.at[i].state != BOOK_NODE_DOWN)
            res_sum_add(&b->capacity, &b->nodes.at[i].capacity, 1);
    }
}

static uint32_t queue_of(const char *name)
{
    bool numbered = name && name[0] == 'q' && name[1] >= '0' && name[1] < '0' + BOOK_QUEUES - 1;
    return numbered && !name[2] ? (uint32_t)(name[1] - '0') : BOOK_QUEUES - 1;
}

void book_job_add(struct book *b, const struct job_spec *spec)
{
    struct book_job job = {.id = spec->id,
                           .phase_count = spec->phase_count,
                           .running_max = spec->running_max,
                           .queue = queue_of(spec->queue),
                           .phases = mem_zalloc(spec->phase_count, sizeof *job.phases)};

    for (uint16_t p = 0; p < spec->phase_count; p++) {
        const struct phase_spec *from = &spec->phases[p];
        struct book_phase *to = &job.phases[p];

        to->demand = from->demand;
        to->task_count = to->idle = from->tasks;
        to->tasks = mem_zalloc(from->tasks, sizeof *to->tasks);
        to->failures_allowed = from->failures_allowed;
        to->clone_never = from->clone == PHASE_CLONE_NEVER;
        to->copies = to->copies_most = 1;
        to->input_bytes = from->input_bytes;
        if (from->input_each) {
            to->input_each = mem_zalloc(from->tasks, sizeof *to->input_each);
            for (uint32_t t = 0; t < from->tasks; t++)
                to->input_each[t] = from->input_each[t];
        }
        to->edge_count = from->edge_count;
        to->edges = mem_zalloc(from->edge_count, sizeof *to->edges);
        for (uint16_t i = 0; i < from->edge_count; i++) {
            check(from->edges[i].from < p);
            to->edges[i] = from->edges[i];
            job.phases[from->edges[i].from].read = true;
        }
    }
    vec_push(&b->jobs, job);
}

/* How many of the task's live attempts are extra: all beyond one while the task is unfinished, all
 * of them once it is finished. A task counts as finished from the moment one of its attempts is,
 * not only from the commit on: otherwise the sibling of a finished attempt would be free of charge
 * while the commit is on its way, and over the budget when it arrives. Backups are no clones: they
 * are left out, and one that finishes first leaves the one that was needed free of charge. */
static int64_t task_extra(const struct book_phase *p, const struct book_task *t)
{
    int64_t needed = book_finished(t) && !t->backed ? 0 : 1, copies = 0;
    for (uint32_t i = 0; p->cloned && t->live && i < t->attempts.count; i++)
        copies += t->attempts.at[i].state != BOOK_ENDED && t->attempts.at[i].kind != LAUNCH_BACKUP;
    return copies > needed ? copies - needed : 0;
}

static void task_charge(struct book *b, const struct book_phase *p, struct book_task *t)
{
    int64_t before = t->charged;
    t->charged = task_extra(p, t);
    res_sum_add(&b->extra, &p->demand, t->charged - before);
}

/* All extra ones, in every phase, as statistics count them. In a job that is cloned as a whole no
 * copy is finished before all of it is. */
static void add_all_extra(struct book *b, const struct book_job *j, const struct book_phase *p,
                          const struct book_task *t, int sign)
{
    bool done = book_finished(t) && !(j->replicated && j->winner == 0);
    int64_t extra = done ? t->live : t->live > 1 ? t->live - 1 : 0;
    res_sum_add(&b->all_extra, &p->demand, sign * extra);
}

/* Whether the task waits for a first attempt. One whose output was lost may be needed by nobody. */
static bool task_idle(const struct book_task *t)
{
    return t->live == 0 && t->outputs == 0 && t->commit == BOOK_COMMIT_NONE && !t->commit_ever &&
           !t->given_up;
}

/* The one place where a task's standing changes, and with it every sum. */
static void task_change(struct book *b, struct book_entry e, uint32_t live, uint32_t outputs,
                        uint8_t commit)
{
    struct book_phase *p = e.phase;
    struct book_task *t = e.task;
    add_all_extra(b, e.job, p, t, -1);
    int64_t charged = (int64_t)live - t->live;

    p->idle -= task_idle(t);
    p->done -= t->commit == BOOK_COMMIT_DONE;
    e.job->live += live - t->live;
    t->live = live;
    t->outputs = outputs;
    t->commit = commit;
    p->idle += task_idle(t);
    p->done += t->commit == BOOK_COMMIT_DONE;
    res_sum_add(&b->charged, &p->demand, charged);
    res_sum_add(&b->queues[e.job->queue], &p->demand, charged);
    task_charge(b, p, t);
    add_all_extra(b, e.job, p, t, 1);
}

void book_clone(struct book *b, struct book_phase *phase)
{
    if (phase->cloned)
        return;
    phase->cloned = true;
    for (uint32_t t = 0; t < phase->task_count; t++)
        task_charge(b, phase, &phase->tasks[t]);
}

void book_launch(struct book *b, struct attempt_ref at, uint8_t kind, struct node_id node)
{
    struct book_entry e = book_find(b, at);

    check(e.task && e.task->attempts.count == at.attempt);
    vec_push(
        &e.task->attempts,
        ((struct book_attempt){.state = BOOK_LAUNCHED, .kind = kind, .node = node, .home = node}));
    book_reader_begin(b, at);
    e.phase->started = true;
    if (kind == LAUNCH_BACKUP)
        res_sum_add(&b->backups, &e.phase->demand, 1);
    res_sum_add(&b->nodes.at[node.v].charged, &e.phase->demand, 1);
    task_change(b, e, e.task->live + 1, e.task->outputs, e.task->commit);
}

/* What an attempt takes of nodes, queues and its job's limit, but not of its task. */
static void add_room(struct book *b, struct book_entry e, int sign)
{
    if (e.attempt->kind == LAUNCH_BACKUP)
        res_sum_add(&b->backups, &e.phase->demand, sign);
    res_sum_add(&b->nodes.at[e.attempt->node.v].charged, &e.phase->demand, sign);
    res_sum_add(&b->charged, &e.phase->demand, sign);
    res_sum_add(&b->queues[e.job->queue], &e.phase->demand, sign);
    e.job->live += (uint32_t)sign;
}

void book_leave(struct book *b, struct attempt_ref at, int64_t now_us)
{
    struct book_entry e = book_find(b, at);

    check(e.attempt && e.attempt->state == BOOK_RUNNING);
    e.attempt->state = BOOK_LEFT;
    e.attempt->left_us = now_us;
    e.job->stirred = true;
    add_room(b, e, -1);
}

void book_end(struct book *b, struct attempt_ref at, uint8_t ending)
{
    struct book_entry e = book_find(b, at);

    check(e.attempt && e.attempt->state != BOOK_ENDED);
    if (e.attempt->state == BOOK_LEFT) /* to be taken back with all else */
        add_room(b, e, 1);
    e.attempt->state = BOOK_ENDED;
    e.attempt->ending = ending;
    if (ending == EV_ATTEMPT_FINISHED && !book_finished(e.task))
        e.task->backed = e.attempt->kind == LAUNCH_BACKUP;
    e.attempt->output = ending == EV_ATTEMPT_FINISHED;
    e.job->stirred = true;
    book_reader_end(b, at);
    if (e.attempt->kind == LAUNCH_BACKUP)
        res_sum_add(&b->backups, &e.phase->demand, -1);
    res_sum_add(&b->nodes.at[e.attempt->node.v].charged, &e.phase->demand, -1);
    task_change(b, e, e.task->live - 1, e.task->outputs + e.attempt->output, e.task->commit);
}

void book_output_gone(struct book *b, struct attempt_ref at)
{
    struct book_entry e = book_find(b, at);

    check(e.attempt);
    if (!e.attempt->output)
        return;
    e.attempt->output = false;
    e.job->stirred = true;
    task_change(b, e, e.task->live, e.task->outputs - 1, e.task->commit);
}

void book_commit(struct book *b, struct attempt_ref at, uint8_t commit)
{
    struct book_entry e = book_find(b, at);

    check(e.attempt);
    e.task->candidate = at.attempt;
    e.job->stirred = true;
    if (commit == BOOK_COMMIT_DONE)
        e.task->commit_ever = true;
    task_change(b, e, e.task->live, e.task->outputs, commit);
}

void book_give_up(struct book *b, struct attempt_ref at)
{
    struct book_entry e = book_find(b, at);

    e.phase->idle -= task_idle(e.task);
    e.task->given_up = true;
    e.phase->given_up++;
}

static void job_all_extra(struct book *b, const struct book_job *job, int sign)
{
    for (uint16_t p = 0; p < job->phase_count; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++)
            add_all_extra(b, job, &job->phases[p], &job->phases[p].tasks[t], sign);
}

void book_replicate(struct book *b, struct book_job *job)
{
    job_all_extra(b, job, -1);
    job->replicated = true;
    job_all_extra(b, job, 1);
}

void book_replica_won(struct book *b, struct book_job *job, uint16_t replica)
{
    job_all_extra(b, job, -1);
    job->winner = replica;
    job_all_extra(b, job, 1);
}

void book_touch(struct book *b, struct attempt_ref at)
{
    struct book_task *t = book_find(b, at).task;

    if (!t || t->listed)
        return;
    t->listed = true;
    vec_push(&b->touched, book_place(b, at));
}

struct book_place book_place(const struct book *b, struct attempt_ref at)
{
    return (struct book_place){job_index(b, at.job), at.task, at.phase, at.attempt};
}

struct book_entry book_at(const struct book *b, struct book_place at)
{
    struct book_entry e = {.job = &b->jobs.at[at.job]};
    e.phase = &e.job->phases[at.phase];
    e.task = &e.phase->tasks[at.task];
    e.attempt = &e.task->attempts.at[at.attempt];
    return e;
}

void book_turn_over(struct book *b)
{
    for (uint32_t i = 0; i < b->touched.count; i++) {
        struct book_place at = b->touched.at[i];
        b->jobs.at[at.job].phases[at.phase].tasks[at.task].listed = false;
        b->jobs.at[at.job].stirred = false;
    }
    vec_clear(&b->touched);
    b->reads_cut = false;
}

bool book_inputs_ready(const struct book_job *job, const struct book_phase *phase)
{
    for (uint16_t i = 0; i < phase->edge_count; i++) {
        const struct book_phase *up = &job->phases[phase->edges[i].from];
        uint64_t share = phase->edges[i].slowstart ? phase->edges[i].slowstart : 100;
        if ((uint64_t)up->done * 100 < share * up->task_count)
            return false;
    }
    return true;
}

bool book_inputs_complete(const struct book_job *job, const struct book_phase *phase)
{
    for (uint16_t i = 0; i < phase->edge_count; i++) {
        const struct book_phase *up = &job->phases[phase->edges[i].from];
        if (up->done < up->task_count)
            return false;
    }
    return true;
}

bool book_starts_early(const struct book_phase *phase)
{
    for (uint16_t i = 0; i < phase->edge_count; i++)
        if (phase->edges[i].slowstart)
            return true;
    return false;
}

uint32_t book_wanted(const struct book_task *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; t->live && i < t->attempts.count; i++)
        n += t->attempts.at[i].state != BOOK_ENDED && !t->attempts.at[i].asked;
    return n;
}

bool book_finished(const struct book_task *t)
{
    return t->commit == BOOK_COMMIT_DONE || t->outputs > 0;
}

bool book_node_usable(const struct book_node *n, int64_t now_us)
{
    bool empty = true;
    for (int i = 0; i < RES_COUNT; i++)
        empty &= n->charged.v[i] == 0;
    return n->state == BOOK_NODE_UP && now_us >= n->avoid_until_us && (!n->trial || empty);
}
