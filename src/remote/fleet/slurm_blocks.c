/* slurm_blocks.c - when to ask Slurm for nodes, when to give them back, and what to do when it does
 * not answer.
 *
 * The fleet holds at least `min` nodes: whatever is missing is asked for at once, as one block. If
 * tasks have waited for `grow_us` although all blocks run, another block is asked for that
 * doubles what there is, up to `max`; it may start with fewer nodes, so that it starts early. A
 * block that was idle for `idle_us` is given back unless the minimum needs it; one whose time limit
 * is near gets nothing new and counts as gone, so that its successor is asked for in time.
 *
 * What the controller has is known from its lists alone. An answer of sbatch is a hint: where it is
 * missing, the block is in doubt, and the next list decides. A controller that stopped for a while
 * may still run an sbatch that we had given up; then a list shows two jobs with one number, and the
 * one that we do not know is a stray, to be cancelled. So nothing is lost, and nothing stays
 * doubled. While commands fail, waits between them double up to BLOCKS_WAIT_US_MAX, for ever:
 * agents that are connected do not need the controller.
 *
 * A block that ends without any agent having come was in vain. After some of them in a row, each
 * later than the one before, there is no hope. */
#include "remote/fleet/slurm_blocks.h"

#include <stdio.h>
#include <string.h>

enum {
    RENEW_US = 5 * 1000000, /* after a block in vain, doubled with each */
    REFUSED_US = 300 * 1000000,
    ASK_SOON_US = 2 * 1000000,   /* between two lists, when there is something to learn */
    ASK_QUEUED_US = 5 * 1000000, /* about a block that waits; more for one that waits long */
    SETTLE_US = 60 * 1000000,    /* agents have this long to come after their block, or come back */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void slurm_blocks_init(struct slurm_blocks *b, const struct slurm_blocks_options *options,
                       bool look, int64_t now_us)
{
    *b = (struct slurm_blocks){.options = *options,
                               .look = look,
                               .grown_us = now_us,
                               .listed_us = now_us - BLOCKS_ASK_US,
                               .retry_us = now_us,
                               .renew_us = now_us,
                               .need_us = now_us,
                               .wait_us = BLOCKS_WAIT_US};
}

void slurm_blocks_fini(struct slurm_blocks *b)
{
    vec_free(&b->at);
    vec_free(&b->gone);
    vec_free(&b->strays);
}

struct slurm_block *slurm_blocks_find(struct slurm_blocks *b, uint32_t number)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        if (b->at.at[i].number == number)
            return &b->at.at[i];
    return NULL;
}

static void block_turn_to(struct slurm_block *k, enum slurm_block_state state, int64_t now_us)
{
    k->state = (uint8_t)state;
    k->since_us = k->empty_us = now_us;
}

static struct slurm_block *block_add(struct slurm_blocks *b, uint32_t number, uint32_t nodes,
                                     bool any, int64_t now_us)
{
    vec_push(&b->at, ((struct slurm_block){.number = number,
                                           .nodes = nodes,
                                           .any = any,
                                           .end_us = INT64_MAX,
                                           .quiet_us = INT64_MAX,
                                           .empty_us = now_us,
                                           .since_us = now_us}));
    b->last = number > b->last ? number : b->last;
    return &b->at.at[b->at.count - 1];
}

static void block_remove(struct slurm_blocks *b, const struct slurm_block *k)
{
    uint32_t i = (uint32_t)(k - b->at.at);

    memmove(&b->at.at[i], &b->at.at[i + 1], (b->at.count - i - 1) * sizeof b->at.at[0]);
    b->at.count--;
}

/* The block is no more: Slurm's word for how it ended, or NULL: we have cancelled it. */
static void block_is_over(struct slurm_blocks *b, struct slurm_block *k, const char *state,
                          int64_t now_us)
{
    k->given_back = !state;
    snprintf(k->reason, sizeof k->reason, "%s", state ? state : "given back");
    vec_push(&b->gone, *k);
    if (!k->seen && (state || k->useless)) {
        b->renew_us = now_us + ((int64_t)RENEW_US << b->vain);
        if (++b->vain == BLOCKS_VAIN_MAX)
            snprintf(b->failed, sizeof b->failed,
                     "%d Slurm jobs in a row ended before an agent of them had connected",
                     BLOCKS_VAIN_MAX);
    }
    block_remove(b, k);
}

/* ---- what the agents do ---- */

void slurm_blocks_count(struct slurm_blocks *b)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        b->at.at[i].connected = b->at.at[i].busy = 0;
}

void slurm_blocks_agent(struct slurm_blocks *b, uint32_t number, bool busy)
{
    struct slurm_block *k = slurm_blocks_find(b, number);

    if (!k)
        return;
    k->connected++;
    k->busy += busy;
}

void slurm_blocks_need(struct slurm_blocks *b, int64_t waiting_us, int64_t now_us)
{
    b->waiting_us = waiting_us;
    b->need_us = now_us;
    for (uint32_t i = 0; i < b->at.count; i++) {
        struct slurm_block *k = &b->at.at[i];
        if (k->connected > 0) {
            if (!k->seen)
                b->grown_us = now_us;
            k->seen = true;
            b->vain = 0;
            if (k->state == BLOCK_QUEUED) {
                block_turn_to(k, BLOCK_RUNNING, now_us);
                k->unlisted = true;
            }
        }
        if (k->connected > 0 || k->state < BLOCK_RUNNING)
            k->empty_us = now_us;
        if (k->connected == 0 || k->busy > 0)
            k->quiet_us = INT64_MAX;
        else if (k->quiet_us == INT64_MAX)
            k->quiet_us = now_us;
    }
}

/* ---- what the commands have answered ---- */

/* The command has been answered, or (false) not. */
static void answered(struct slurm_blocks *b, bool yes, int64_t now_us)
{
    b->under_way = false;
    if (yes) {
        b->failures = 0;
        b->wait_us = BLOCKS_WAIT_US;
    } else {
        b->failures++;
        b->retry_us = now_us + b->wait_us;
        b->wait_us = least(2 * b->wait_us, BLOCKS_WAIT_US_MAX);
    }
}

void slurm_blocks_submitted(struct slurm_blocks *b, uint32_t number,
                            enum slurm_blocks_answer answer, int64_t job, const char *why,
                            int64_t now_us)
{
    struct slurm_block *k = slurm_blocks_find(b, number);

    answered(b, answer != BLOCKS_UNKNOWN, now_us);
    if (answer == BLOCKS_DONE) {
        k->job = job;
        block_turn_to(k, BLOCK_QUEUED, now_us);
    } else if (answer == BLOCKS_UNKNOWN) {
        block_turn_to(k, BLOCK_DOUBTED, now_us);
    } else {
        /* Others go on without it; without others nobody is left who could. */
        b->renew_us = now_us + REFUSED_US;
        block_remove(b, k);
        if (b->at.count == 0)
            snprintf(b->failed, sizeof b->failed, "%s", why);
    }
}

void slurm_blocks_cancelled(struct slurm_blocks *b, int64_t job, enum slurm_blocks_answer answer,
                            int64_t now_us)
{
    answered(b, answer != BLOCKS_UNKNOWN, now_us);
    if (answer == BLOCKS_UNKNOWN)
        return; /* once more: to cancel twice does no harm */
    for (uint32_t i = 0; i < b->strays.count; i++) {
        if (b->strays.at[i] == job) {
            b->strays.at[i] = b->strays.at[--b->strays.count];
            return;
        }
    }
    for (uint32_t i = 0; i < b->at.count; i++) {
        if (b->at.at[i].job == job) {
            block_is_over(b, &b->at.at[i], NULL, now_us);
            return;
        }
    }
}

void slurm_blocks_unlisted(struct slurm_blocks *b, int64_t now_us)
{
    answered(b, false, now_us);
}

/* One job of a list, which is waiting or has nodes. */
static void on_live_job(struct slurm_blocks *b, const struct slurm_blocks_job *j, bool adopt,
                        int64_t now_us)
{
    struct slurm_block *k = slurm_blocks_find(b, j->number);

    if (!k && adopt && j->number > 0)
        k = block_add(b, j->number, j->nodes, false, now_us);
    if (!k || (k->job != 0 && k->job != j->job)) {
        vec_push(&b->strays, j->job);
        return;
    }
    k->job = j->job;
    k->end_us = j->end_us;
    k->unlisted = false;
    k->listed = true;
    snprintf(k->reason, sizeof k->reason, "%s", j->phase == BLOCKS_JOB_WAITS ? j->reason : "");
    if (j->phase == BLOCKS_JOB_RUNS)
        k->nodes = j->nodes;
    if (k->state < BLOCK_LEAVING) {
        enum slurm_block_state is = j->phase == BLOCKS_JOB_RUNS ? BLOCK_RUNNING : BLOCK_QUEUED;
        /* An agent that is connected knows better than a list that was made before it came. */
        if (k->state != is && !(is == BLOCK_QUEUED && k->connected > 0))
            block_turn_to(k, is, now_us);
    }
}

static const struct slurm_blocks_job *find_job(const struct slurm_blocks_job *jobs, uint32_t count,
                                               int64_t job)
{
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].job == job)
            return &jobs[i];
    return NULL;
}

void slurm_blocks_listed(struct slurm_blocks *b, const struct slurm_blocks_job *jobs,
                         uint32_t count, int64_t now_us)
{
    bool adopt = b->look;

    answered(b, true, now_us);
    b->look = false;
    vec_clear(&b->strays);
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].phase <= BLOCKS_JOB_RUNS)
            on_live_job(b, &jobs[i], adopt, now_us);
        else if (jobs[i].number > b->last)
            b->last = jobs[i].number; /* of an earlier coordinator: the number is taken */
    for (uint32_t i = b->at.count; i-- > 0;) {
        struct slurm_block *k = &b->at.at[i];
        if (k->listed) {
            k->listed = false;
        } else if (k->state == BLOCK_DOUBTED) {
            block_turn_to(k, BLOCK_WANTED, now_us); /* it has not arrived */
        } else if (k->job != 0) {
            const struct slurm_blocks_job *j = find_job(jobs, count, k->job);
            block_is_over(b, k, j ? j->state : "not known to Slurm any more", now_us);
        }
    }
}

/* ---- what to do ---- */

/* How many nodes work for us or soon will. */
static uint32_t nodes_held(const struct slurm_blocks *b, int64_t now_us)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < b->at.count; i++) {
        const struct slurm_block *k = &b->at.at[i];
        if (k->state == BLOCK_LEAVING)
            continue;
        held += k->state == BLOCK_RUNNING && now_us - k->since_us >= SETTLE_US ? k->connected
                                                                               : k->nodes;
    }
    return held;
}

static bool any_is_coming(const struct slurm_blocks *b)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        if (b->at.at[i].state < BLOCK_RUNNING)
            return true;
    return false;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When the fleet, which holds so many nodes, deserves more. */
static int64_t grow_at(const struct slurm_blocks *b, uint32_t held, int64_t now_us)
{
    if (b->failed[0] || b->look || held >= b->options.max)
        return INT64_MAX;
    if (held < b->options.min)
        return b->renew_us;
    if (b->waiting_us == 0 || any_is_coming(b))
        return INT64_MAX;
    return most(b->renew_us, b->options.grow_us + most(now_us - b->waiting_us, b->grown_us));
}

/* Adds a block if the fleet is too small. */
static void grow(struct slurm_blocks *b, int64_t now_us, int64_t *next_us)
{
    uint32_t held = nodes_held(b, now_us), min = b->options.min, max = b->options.max;
    int64_t at_us = grow_at(b, held, now_us);

    if (now_us < at_us) {
        *next_us = least(*next_us, at_us);
        return;
    }
    uint32_t nodes = held < min ? min - held : held < max - held ? held : max - held;
    block_add(b, b->last + 1, nodes, held >= min, now_us);
    b->grown_us = now_us;
}

/* Whether the fleet can do without the block, which is idle. */
static bool is_surplus(const struct slurm_blocks *b, const struct slurm_block *k, int64_t now_us)
{
    return b->waiting_us == 0 && k->quiet_us != INT64_MAX &&
           nodes_held(b, now_us) >= b->options.min + k->nodes;
}

/* When a running block has to leave. */
static int64_t leave_at(const struct slurm_blocks *b, struct slurm_block *k, int64_t now_us)
{
    int64_t at_us = INT64_MAX;

    k->useless = now_us - k->empty_us >= SETTLE_US;
    if (k->job != 0)
        at_us = k->empty_us + SETTLE_US; /* nobody of it came, or all are lost */
    if (k->connected > 0)
        at_us = INT64_MAX;
    if (k->end_us != INT64_MAX)
        at_us = least(at_us, k->end_us - b->options.drain_us);
    if (is_surplus(b, k, now_us))
        at_us = least(at_us, k->quiet_us + b->options.idle_us);
    return at_us;
}

/* The newest block that has to leave now. */
static bool take_leaving(struct slurm_blocks *b, int64_t now_us, struct slurm_blocks_action *a,
                         int64_t *next_us)
{
    for (uint32_t i = b->at.count; i-- > 0;) {
        struct slurm_block *k = &b->at.at[i];
        if (k->state != BLOCK_RUNNING)
            continue;
        int64_t at_us = leave_at(b, k, now_us);
        if (at_us > now_us) {
            *next_us = least(*next_us, at_us);
            continue;
        }
        int64_t left_us = k->end_us == INT64_MAX ? 0 : k->end_us - now_us;
        *a = (struct slurm_blocks_action){
            .act = BLOCKS_DRAIN,
            .number = k->number,
            .left_us = left_us > 0 && left_us <= b->options.drain_us ? left_us : 0};
        block_turn_to(k, BLOCK_LEAVING, now_us);
        return true;
    }
    return false;
}

/* A job to cancel: a stray, or a block that leaves and whose agents have been seen without work
 * since. */
static bool take_cancel(const struct slurm_blocks *b, struct slurm_blocks_action *a)
{
    *a = (struct slurm_blocks_action){.act = BLOCKS_CANCEL};
    if (b->strays.count > 0) {
        a->job = b->strays.at[0];
        return true;
    }
    for (uint32_t i = 0; i < b->at.count; i++) {
        const struct slurm_block *k = &b->at.at[i];
        if (k->state != BLOCK_LEAVING || k->busy > 0 || k->since_us >= b->need_us || k->job == 0)
            continue;
        a->job = k->job;
        a->number = k->number;
        return true;
    }
    return false;
}

/* When the controller should be asked for a list. */
static int64_t list_at(const struct slurm_blocks *b, int64_t now_us)
{
    int64_t gap_us = INT64_MAX;

    if (b->look)
        return now_us;
    for (uint32_t i = 0; i < b->at.count; i++) {
        const struct slurm_block *k = &b->at.at[i];
        int64_t age_us = now_us - k->since_us;
        if (k->state == BLOCK_DOUBTED)
            return now_us;
        if (k->state == BLOCK_QUEUED && age_us < 4 * BLOCKS_ASK_US)
            gap_us = least(gap_us, age_us / 4 > ASK_QUEUED_US ? age_us / 4 : ASK_QUEUED_US);
        else if (k->unlisted || (k->state == BLOCK_RUNNING && k->seen && k->connected == 0))
            gap_us = least(gap_us, ASK_SOON_US);
        else if (k->state > BLOCK_DOUBTED)
            gap_us = least(gap_us, BLOCKS_ASK_US);
    }
    return gap_us == INT64_MAX ? INT64_MAX : b->listed_us + gap_us;
}

static struct slurm_block *find_wanted(struct slurm_blocks *b)
{
    for (uint32_t i = 0; i < b->at.count; i++)
        if (b->at.at[i].state == BLOCK_WANTED)
            return &b->at.at[i];
    return NULL;
}

struct slurm_blocks_action slurm_blocks_next(struct slurm_blocks *b, int64_t now_us,
                                             int64_t *next_us)
{
    struct slurm_blocks_action a = {.act = BLOCKS_NOTHING};
    struct slurm_block *k;

    *next_us = INT64_MAX;
    if (take_leaving(b, now_us, &a, next_us))
        return a;
    grow(b, now_us, next_us);
    if (b->under_way)
        return a;

    int64_t list_us = list_at(b, now_us);
    bool cancel = take_cancel(b, &a);
    bool wish = list_us <= now_us || cancel || find_wanted(b);
    if (!wish || now_us < b->retry_us) {
        *next_us = least(*next_us, wish ? b->retry_us : list_us);
        a.act = BLOCKS_NOTHING;
        return a;
    }
    b->under_way = true;
    if (list_us <= now_us) {
        a = (struct slurm_blocks_action){.act = BLOCKS_LIST};
        b->listed_us = now_us;
    } else if (!cancel) {
        k = find_wanted(b);
        a = (struct slurm_blocks_action){
            .act = BLOCKS_SUBMIT, .number = k->number, .nodes = k->nodes, .any = k->any};
        block_turn_to(k, BLOCK_SUBMITTING, now_us);
    }
    return a;
}

bool slurm_blocks_hopes(const struct slurm_blocks *b)
{
    return !b->failed[0] || b->at.count > 0;
}
