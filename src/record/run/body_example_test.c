/* body_example_test.c - the smallest body that keeps the contract: every attempt takes a second and
 * never fails. An example to begin a new body with (docs/inside/how-to/body.md), and the proof that
 * a body needs nothing but core/engine/body.h: every recipe runs a workload in it to the end, and
 * the journal re-fed to the brain gives the same decisions.
 *
 * Time is virtual. What will happen waits in a list; `wait` hands out all of it that has the least
 * time. Requests that take no time here are answered at the same instant, in the next batch. */
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "core/policy/policy.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"
#include "record/journal/journal_reader.h"
#include "record/run/run.h"
#include "tests/unit/test.h"

enum { SECOND_US = 1000000 };

struct example_coming {
    int64_t at_us;
    struct event event;
};

struct example {
    struct workload *workload;
    int64_t now_us;
    VEC(struct example_coming) coming; /* in the order in which they were added */
    VEC(struct event) batch;
    VEC(struct workload_job *) jobs; /* by id, the one that was drawn ahead too */
    uint32_t jobs_open, live;        /* jobs that are not over, attempts that have not ended */
    uint32_t committed;
};

static void add(struct example *x, int64_t at_us, struct event e)
{
    vec_push(&x->coming, ((struct example_coming){at_us, e}));
}

/* ---- before the run: nodes and the first job ---- */

static void draw_job(struct example *x)
{
    struct workload_job *job = x->workload->next(x->workload);
    if (!job)
        return;
    job->spec.id.v = x->jobs.count;
    if (job->spec.arrived_us < 0)
        job->spec.arrived_us = job->submit_us;
    vec_push(&x->jobs, job);
    x->jobs_open++;
    add(x, job->submit_us,
        (struct event){.type = EV_JOB_SUBMITTED,
                       .at.job = job->spec.id,
                       .node = NODE_NONE,
                       .u.job = &job->spec});
}

static void begin(struct example *x, const struct cluster *cluster, struct workload *workload)
{
    *x = (struct example){.workload = workload};
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        const struct cluster_node *n = &cluster->nodes[i];
        struct event e = {.type = EV_NODE_UP, .node = {i}};
        e.u.node.capacity = n->capacity;
        e.u.node.rack = n->rack;
        e.u.node.name = n->name;
        add(x, 0, e);
    }
    draw_job(x);
}

static void end(struct example *x)
{
    for (uint32_t i = 0; i < x->jobs.count; i++)
        workload_job_free(x->jobs.at[i]);
    vec_free(&x->jobs);
    vec_free(&x->coming);
    vec_free(&x->batch);
}

/* ---- wait: what happens next ---- */

static int example_wait(void *body, struct batch *batch, struct err *err)
{
    struct example *x = body;
    if (x->jobs_open == 0 && x->live == 0)
        return 0;
    if (x->coming.count == 0)
        return err_set(err, "the simulation is stuck: jobs are waiting and no event is pending");
    x->now_us = INT64_MAX;
    for (uint32_t i = 0; i < x->coming.count; i++)
        if (x->coming.at[i].at_us < x->now_us)
            x->now_us = x->coming.at[i].at_us;
    vec_clear(&x->batch);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->coming.count; i++)
        if (x->coming.at[i].at_us == x->now_us)
            vec_push(&x->batch, x->coming.at[i].event);
        else
            x->coming.at[kept++] = x->coming.at[i];
    x->coming.count = kept;
    for (uint32_t i = 0; i < x->batch.count; i++) {
        x->live -= event_is_ending(x->batch.at[i].type);
        if (x->batch.at[i].type == EV_JOB_SUBMITTED)
            draw_job(x);
    }
    *batch = (struct batch){.now_us = x->now_us, .at = x->batch.at, .count = x->batch.count};
    return 1;
}

/* ---- perform: each request gets its answer ---- */

/* Started now; a second later its output is there and it has finished. */
static void launch(struct example *x, const struct decision *d)
{
    struct event e = {.type = EV_ATTEMPT_STARTED, .at = d->at, .node = d->node};
    x->live++;
    add(x, x->now_us, e);
    e.type = EV_OUTPUT_READY;
    add(x, x->now_us + SECOND_US, e);
    e.type = EV_ATTEMPT_FINISHED;
    e.u.use = (struct usage){.wall_us = SECOND_US, .cpu_us = -1, .peak_rss_kib = -1};
    add(x, x->now_us + SECOND_US, e);
}

static void refuse(struct example *x, const struct decision *d, enum cause cause)
{
    struct event e = {.type = EV_REFUSED, .cause = (uint8_t)cause, .at = d->at, .node = NODE_NONE};
    e.u.refused.decision = d->id;
    e.u.refused.decision_type = d->type;
    add(x, x->now_us, e);
}

/* The attempt is killed now instead of finishing. */
static void stop(struct example *x, const struct decision *d)
{
    uint32_t kept = 0, count = x->coming.count;
    struct event killed = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct example_coming *c = &x->coming.at[i];
        bool same = attempt_equal(c->event.at, d->at);
        if (same && c->event.type == EV_ATTEMPT_FINISHED) {
            killed = c->event;
            killed.type = EV_ATTEMPT_KILLED;
            killed.u.use.wall_us -= c->at_us - x->now_us;
        } else if (!same || c->event.type != EV_OUTPUT_READY) {
            x->coming.at[kept++] = *c;
        }
    }
    x->coming.count = kept;
    if (killed.type)
        add(x, x->now_us, killed);
    else
        refuse(x, d, CAUSE_ALREADY_ENDED);
}

/* A timer that is set already is moved. */
static void set_timer(struct example *x, const struct decision *d)
{
    for (uint32_t i = 0; i < x->coming.count; i++) {
        struct example_coming *c = &x->coming.at[i];
        if (c->event.type == EV_TIMER && c->event.u.timer == d->u.timer.id) {
            c->at_us = d->u.timer.at_us;
            return;
        }
    }
    struct event e = {.type = EV_TIMER, .node = NODE_NONE, .u.timer = d->u.timer.id};
    add(x, d->u.timer.at_us, e);
}

static void example_perform(void *body, const struct decision *at, uint32_t count)
{
    struct example *x = body;
    for (uint32_t i = 0; i < count; i++) {
        const struct decision *d = &at[i];
        struct event e = {.at = d->at, .node = NODE_NONE};
        switch ((enum decision_type)d->type) {
        case DO_LAUNCH:
            launch(x, d);
            break;
        case DO_WITHDRAW:
        case DO_KILL:
            stop(x, d);
            break;
        case DO_COMMIT:
            x->committed++;
            e.type = EV_COMMITTED;
            add(x, x->now_us, e);
            break;
        case DO_ASSIGN_READ:
            e.u.fetch.source = d->u.read.source;
            e.type = EV_FETCH_STARTED;
            add(x, x->now_us, e);
            e.type = EV_FETCH_DONE;
            add(x, x->now_us, e);
            break;
        case DO_REPLICATE: /* outputs are never lost here */
            refuse(x, d, CAUSE_SYSTEM);
            break;
        case DO_SET_TIMER:
            set_timer(x, d);
            break;
        case DO_JOB_DONE:
        case DO_JOB_FAILED:
            x->jobs_open--;
            break;
        case DO_DISCARD_OUTPUT: /* these need no effect and no answer */
        case DO_AVOID_NODE:
        case DO_VERDICT:
        case DO_TYPE_END:
            break;
        }
    }
}

static const struct body_ops example_body = {.wait = example_wait, .perform = example_perform};

/* ---- a run of it ---- */

static bool verified(const char *path)
{
    struct err err;
    uint64_t turns = 0;
    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    bool same = r && run_verify(r, path, &turns, &err) == 0;
    journal_reader_close(r);
    return same && turns > 0;
}

/* Runs a copy of the workload under the policy; the number of tasks that were committed. */
static uint32_t run_example(const char *recipe, const char *workload)
{
    char path[64];
    struct err err = {.text = ""};
    struct example x;
    snprintf(path, sizeof path, "/tmp/dolly-body-example.%d", (int)getpid());
    unlink(path);
    struct policy *policy = policy_create(recipe, &err);
    struct cluster *cluster = cluster_plain(20, 2);
    struct workload *w = workload_file_read(workload, NULL, &err);
    struct journal_options journal = {.path = path};
    struct run *r = run_create(
        &(struct run_options){.policy = policy, .seed = 1, .journal = &journal, .body = "example"},
        &err);
    expect(policy && w && r);
    begin(&x, cluster, w);
    int rc = run_drive(r, (struct body){&example_body, &x}, NULL, 0, &err);
    rc = run_close(r, rc, &err);
    if (rc < 0)
        printf("%s: %s\n", recipe, err.text);
    expect(rc == 0 && verified(path));
    end(&x);
    w->destroy(w);
    cluster_destroy(cluster);
    policy_destroy(policy);
    unlink(path);
    return x.committed;
}

TEST(body_example_runs_every_recipe_to_the_end)
{
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    if (access("examples/mixed.workload", R_OK)) {
        test_skip("no folder examples here");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        expect(run_example(recipes[i].name, "examples/mixed.workload") == 640);
}
