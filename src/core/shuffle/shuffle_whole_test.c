/* Whether a read of a whole phase is exclusive: a reader and its backup, which meet or miss each
 * other. Two maps, one reduce. And what becomes of those that are, once a sibling joins them. */
#include <stdio.h>

#include "core/brain/script_test.h"
#include "core/brain/timers.h"
#include "tests/unit/test.h"

enum { S = 1000000, TIMER_SCAN = 1, LATER = 66 };

static struct attempt_ref map(uint32_t task)
{
    return script_ref((struct job_id){0}, 0, task, 0);
}

static struct attempt_ref reader(uint16_t attempt)
{
    return script_ref((struct job_id){0}, 1, 0, attempt);
}

/* Up to the launch of the reader, when `done` maps are committed. */
static void begin(struct script *s, uint8_t slowstart, uint32_t done)
{
    struct edge_spec edge = {.from = 0, .slowstart = slowstart};
    script_init(s, "mitigate=mapreduce,shuffle=cc;backup_at=0", 9, 1);
    script_chain(s, 2, (uint32_t[]){2, 1}, &edge);
    script_decide(s, 0);
    script_started_all(s);
    for (uint32_t t = 0; t < done; t++)
        script_win(s, map(t));
    if (done > 0)
        script_started_all(s);
}

/* The reader is backed up. */
static void backup(struct script *s)
{
    script_timer(s, TIMER_SCAN, s->now_us + S);
    expect(script_find(s, DO_LAUNCH, reader(1)) != NULL);
}

static const struct decision *read_of(const struct script *s, struct attempt_ref at,
                                      struct attempt_ref source)
{
    for (uint32_t i = 0; i < s->out.count; i++) {
        const struct decision *d = &s->out.at[i];
        if (d->type == DO_ASSIGN_READ && attempt_equal(d->at, at) &&
            attempt_equal(d->u.read.source, source))
            return d;
    }
    return NULL;
}

/* The last decide had the attempt read the source, along with so many siblings. */
static bool reads(const struct script *s, struct attempt_ref at, struct attempt_ref source,
                  double users)
{
    const struct decision *d = read_of(s, at, source);
    return d && d->u.read.exclusive == (users == 0) && d->why.count == 2 && d->why.num[1] == users;
}

static bool reads_whole(const struct script *s, uint16_t attempt, double users)
{
    struct attempt_ref all = {{0}, TASK_ALL, 0, 0};
    const struct decision *d = read_of(s, reader(attempt), all);
    return reads(s, reader(attempt), all, users) && d->why.code == WHY_READ_COMMITTED &&
           d->why.num[0] == 0; /* it has not waited */
}

static void answer(struct script *s, enum event_type type, struct attempt_ref at,
                   struct attempt_ref source)
{
    script_tell(s, (struct event){.type = (uint8_t)type, .at = at, .u.fetch = {.source = source}});
}

static void answer_whole(struct script *s, enum event_type type)
{
    answer(s, type, reader(0), (struct attempt_ref){{0}, TASK_ALL, 0, 0});
}

TEST(shuffle_whole_is_exclusive_for_a_single_reader)
{
    struct script s;
    begin(&s, 0, 2);
    expect(reads_whole(&s, 0, 0));
    script_fini(&s);
}

TEST(shuffle_whole_is_shared_while_a_sibling_reads_it)
{
    struct script s;
    begin(&s, 0, 2);
    backup(&s);
    expect(reads_whole(&s, 1, 1));
    script_fini(&s);
}

TEST(shuffle_whole_is_free_again_when_the_sibling_is_done)
{
    struct script s;
    begin(&s, 0, 2);
    answer_whole(&s, EV_FETCH_STARTED);
    answer_whole(&s, EV_FETCH_DONE);
    backup(&s);
    expect(reads_whole(&s, 1, 0));
    script_fini(&s);
}

/* Whose read failed does not read any more, though it takes a while to die. */
TEST(shuffle_whole_is_free_again_when_the_read_failed)
{
    struct script s;
    begin(&s, 0, 2);
    backup(&s);
    script_started_all(&s);
    answer_whole(&s, EV_FETCH_FAILED);
    script_decide(&s, s.now_us + 1);
    expect(script_find(&s, DO_KILL, reader(0)) != NULL);
    script_event(&s, EV_ATTEMPT_FAILED, reader(1));
    script_timer(&s, TIMER_SCAN, s.now_us + S);
    expect(!script_find(&s, DO_LAUNCH, reader(2))); /* one that is not wanted is not backed up */
    script_event(&s, EV_ATTEMPT_KILLED, reader(0));
    script_decide(&s, s.now_us + 1);
    expect(reads_whole(&s, 2, 0));
    script_fini(&s);
}

TEST(shuffle_whole_is_free_again_when_the_reader_has_ended)
{
    struct script s;
    begin(&s, 0, 2);
    script_event(&s, EV_ATTEMPT_FAILED, reader(0));
    script_decide(&s, s.now_us + 1);
    expect(reads_whole(&s, 1, 0));
    script_fini(&s);
}

/* The first has started early and reads task by task, its backup finds everything there. */
TEST(shuffle_whole_is_shared_with_a_sibling_at_one_task_of_it)
{
    for (int done = 0; done < 2; done++) {
        struct script s;
        begin(&s, 50, 1);
        expect(reads(&s, reader(0), map(0), 0));
        script_win(&s, map(1));
        expect(reads(&s, reader(0), map(1), 0));
        answer(&s, EV_FETCH_DONE, reader(0), map(0));
        if (done)
            answer(&s, EV_FETCH_DONE, reader(0), map(1));
        backup(&s);
        expect(reads_whole(&s, 1, done ? 0 : 1));
        script_fini(&s);
    }
}

/* The first reads everything; then an output is lost, and its backup reads task by task. */
TEST(shuffle_single_is_shared_with_a_sibling_at_the_whole_phase)
{
    for (int done = 0; done < 2; done++) {
        struct script s;
        begin(&s, 50, 0);
        script_event(&s, EV_ATTEMPT_FINISHED, map(0));
        script_event(&s, EV_ATTEMPT_FINISHED, map(1));
        script_decide(&s, 1);
        script_event(&s, EV_COMMITTED, map(0));
        script_event(&s, EV_COMMITTED, map(1));
        script_decide(&s, 2);
        expect(reads_whole(&s, 0, 0));
        script_started_all(&s);
        script_event(&s, EV_OUTPUT_LOST, map(1));
        if (done)
            answer_whole(&s, EV_FETCH_DONE);
        backup(&s);
        expect(reads(&s, reader(1), map(0), done ? 0 : 1));
        const struct decision *d = read_of(&s, reader(1), map(0));
        expect(d && d->why.code == (done ? WHY_OWN_OUTPUT : WHY_SHARED_OUTPUT));
        script_fini(&s);
    }
}

/* A phase that reads more than 64 others. */
TEST(shuffle_whole_of_many_phases)
{
    struct phase_spec phases[LATER + 1] = {0};
    struct edge_spec edges[LATER] = {0};
    for (uint16_t k = 0; k <= LATER; k++)
        phases[k] = (struct phase_spec){.name = "p", .tasks = 1, .demand = {{RES_SLOT, 0, 0, 0}}};
    for (uint16_t e = 0; e < LATER; e++)
        edges[e].from = e;
    phases[LATER].edges = edges;
    phases[LATER].edge_count = LATER;
    struct job_spec spec = {.phases = phases, .phase_count = LATER + 1};
    struct script s;
    script_init(&s, "mitigate=mapreduce,shuffle=cc;backup_at=0", LATER + 9, 1);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint16_t k = 0; k < LATER; k++)
        script_win(&s, script_ref(j, k, 0, 0));
    struct attempt_ref first = script_ref(j, LATER, 0, 0), other = script_ref(j, LATER, 0, 1);
    script_started_all(&s);
    static const uint16_t some[] = {0, 1, 63, 64, LATER - 1};
    for (int i = 0; i < 5; i++)
        expect(reads(&s, first, (struct attempt_ref){j, TASK_ALL, some[i], 0}, 0));
    answer(&s, EV_FETCH_DONE, first, (struct attempt_ref){j, TASK_ALL, 1, 0});
    answer(&s, EV_FETCH_DONE, first, (struct attempt_ref){j, TASK_ALL, LATER - 1, 0});
    script_timer(&s, TIMER_SCAN, S);
    for (int i = 0; i < 5; i++) {
        bool done = some[i] == 1 || some[i] == LATER - 1;
        struct attempt_ref source = {j, TASK_ALL, some[i], 0};
        expect(reads(&s, other, source, done ? 0 : 1));
    }
    script_fini(&s);
}

/* The verdict about an omega, or NULL. */
static const struct reason *omega_is_chosen(const struct script *s)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_VERDICT && s->out.at[i].why.code == WHY_OMEGA)
            return &s->out.at[i].why;
    return NULL;
}

/* A job of two tasks with `copies` attempts each comes. The other outputs above are there within
 * omega, and each reader has one to itself; or they are not, and the other readers join the first.
 * Returns the verdict once there is enough to choose an omega by. */
static const struct reason *job_teaches(struct script *s, int64_t at_us, bool joined,
                                        uint16_t copies)
{
    struct job_id j = script_job(s, 2, 1);
    struct attempt_ref up[3], down[3];
    for (uint16_t i = 0; i < copies; i++) {
        up[i] = script_ref(j, 0, 0, i);
        down[i] = script_ref(j, 1, 0, i);
    }
    script_decide(s, at_us);
    script_started_all(s);
    s->now_us = at_us + 10 * S;
    script_output(s, up[0], 1, 7);
    script_decide(s, s->now_us);
    script_event(s, EV_COMMITTED, up[0]);
    script_decide(s, s->now_us);
    if (omega_is_chosen(s))
        return omega_is_chosen(s);
    expect(script_count(s, DO_LAUNCH, -1) == copies && script_count(s, DO_ASSIGN_READ, -1) == 1);
    script_started_all(s);
    s->now_us = at_us + 12 * S;
    for (uint16_t i = 1; i < copies && !joined; i++)
        script_output(s, up[i], 1, 7);
    script_decide(s, s->now_us);
    if (joined)
        script_timer(s, TIMER_SHUFFLE, at_us + 13 * S);
    expect(script_count(s, DO_ASSIGN_READ, -1) == copies - 1U);
    for (uint16_t i = 1; i < copies && joined; i++)
        script_event(s, EV_ATTEMPT_KILLED, up[i]);
    for (uint16_t i = 0; i < copies; i++)
        script_tell(s, (struct event){.type = EV_FETCH_DONE,
                                      .at = down[i],
                                      .u.fetch = {up[joined ? 0 : i], .bytes = 1, .took_us = S}});
    s->now_us = at_us + 20 * S;
    script_win(s, down[0]);
    for (uint16_t i = 1; i < copies; i++)
        script_event(s, EV_ATTEMPT_KILLED, down[i]);
    return omega_is_chosen(s);
}

/* It takes thirty reads that nobody joined: those of fifteen jobs, or of ten with three attempts
 * for each task, which the choice counts with. */
TEST(shuffle_omega_is_learnt_from_reads_that_nobody_joined)
{
    static const struct {
        const char *clones;
        uint16_t copies;
        bool joined;
        uint32_t jobs;
    } rows[] = {{"1", 2, false, 15}, {"1", 2, true, 40}, {"2", 3, false, 10}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct script s;
        const struct reason *why = NULL;
        uint32_t jobs = 0;
        char policy[96];
        snprintf(policy, sizeof policy,
                 "mitigate=dollymp,shuffle=delay;omega=auto;omega_prior=3s;dollymp.clones=%s",
                 rows[i].clones);
        script_init(&s, policy, 9, 1);
        while (jobs < 40 && !(why = job_teaches(&s, (int64_t)jobs * 100 * S, rows[i].joined,
                                                rows[i].copies)))
            jobs++;
        expect(jobs == rows[i].jobs);
        expect(!why || why->num[5] == rows[i].copies);
        script_fini(&s);
    }
}
