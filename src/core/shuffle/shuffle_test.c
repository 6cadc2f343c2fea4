/* Two phases of one task, two attempts each: who reads what, when, and which siblings are ended. */
#include <stdio.h>

#include "core/brain/attempt.h"
#include "core/brain/script_test.h"
#include "core/brain/state.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static struct attempt_ref up(uint16_t attempt)
{
    return script_ref((struct job_id){0}, 0, 0, attempt);
}

static struct attempt_ref down(uint16_t attempt)
{
    return script_ref((struct job_id){0}, 1, 0, attempt);
}

/* Up to the moment, 10 s, at which the first upstream attempt is committed. */
static void begin(struct script *s, const char *shuffle)
{
    char text[128];
    snprintf(text, sizeof text, "mitigate=dolly,shuffle=%s;beta=1;tau=1", shuffle);
    script_init(s, text, 9, 1);
    script_job(s, 2, 1);
    script_decide(s, 0);
    script_started_all(s);
    script_decide(s, 0);
    s->now_us = 10 * S;
    script_output(s, up(0), 1, 7);
    script_decide(s, 10 * S);
    script_event(s, EV_COMMITTED, up(0));
    script_decide(s, 10 * S);
}

static bool reads(const struct script *s, struct attempt_ref reader, uint16_t source,
                  bool exclusive)
{
    const struct decision *d = script_find(s, DO_ASSIGN_READ, reader);
    return d && d->u.read.source.task == 0 && d->u.read.source.attempt == source &&
           d->u.read.exclusive == exclusive;
}

static void fetched(struct script *s, struct attempt_ref reader, uint16_t source, bool ok)
{
    script_tell(s, (struct event){.type = ok ? EV_FETCH_DONE : EV_FETCH_FAILED,
                                  .at = reader,
                                  .u.fetch = {.source = up(source), .bytes = 1, .took_us = S}});
}

/* The rest of a task is never kept, so there is nothing to choose: all read what was committed. */
TEST(shuffle_cc_shares_the_first_and_ends_the_rest)
{
    const char *names[] = {"cc", "delay;omega=0s"};
    for (int i = 0; i < 2; i++) {
        struct script s;
        begin(&s, names[i]);
        expect(script_find(&s, DO_KILL, up(1)) != NULL);
        for (uint16_t k = 0; k < 2; k++) {
            const struct decision *d = script_find(&s, DO_ASSIGN_READ, down(k));
            expect(d && d->u.read.source.task == TASK_ALL && d->u.read.exclusive == (k == 0));
        }
        expect(script_count(&s, DO_ASSIGN_READ, -1) == 2);
        script_fini(&s);
    }
}

/* Above there are two outputs to come. The reader's clone starts in the same decide and both read
 * task by task, the first attempt first; or it finds no room, and the reader takes all there is. */
TEST(shuffle_reads_apart_only_where_a_clone_starts)
{
    for (int room = 0; room < 2; room++) {
        struct script s;
        script_init(&s, "mitigate=dolly,shuffle=delay;omega=3s;beta=1;tau=1", 3, 1);
        script_job(&s, 2, 1);
        script_decide(&s, 0);
        script_started_all(&s);
        script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {2}});
        script_event(&s, EV_ATTEMPT_FINISHED, up(0));
        script_decide(&s, 10 * S);
        if (room)
            script_node_up(&s, 3, 1, 0);
        script_event(&s, EV_COMMITTED, up(0));
        script_decide(&s, 10 * S);
        const struct decision *d = script_find(&s, DO_ASSIGN_READ, down(0));
        expect(d && d->u.read.source.task == (room ? 0 : TASK_ALL));
        expect(script_count(&s, DO_ASSIGN_READ, -1) == 1);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == (uint32_t)room);
        script_fini(&s);
    }
}

TEST(shuffle_cac_gives_each_reader_its_own)
{
    struct script s;
    begin(&s, "cac");
    expect(script_count(&s, DO_KILL, -1) == 0);
    expect(reads(&s, down(0), 0, true) && !script_find(&s, DO_ASSIGN_READ, down(1)));
    fetched(&s, down(0), 0, true); /* done with it, but once taken stays taken */
    script_decide(&s, 100 * S);
    expect(s.out.count == 0);
    script_output(&s, up(1), 1, 7);
    script_decide(&s, 200 * S);
    expect(reads(&s, down(1), 1, true));
    script_fini(&s);
}

TEST(shuffle_cac_shares_when_nothing_can_come)
{
    struct script s;
    begin(&s, "cac");
    script_event(&s, EV_ATTEMPT_LOST, up(1));
    script_decide(&s, 11 * S);
    expect(reads(&s, down(1), 0, false));
    script_fini(&s);
}

TEST(shuffle_delay_waits_omega_for_an_own_output)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    expect(script_count(&s, DO_KILL, -1) == 0);
    expect(reads(&s, down(0), 0, true) && !script_find(&s, DO_ASSIGN_READ, down(1)));
    expect(script_count(&s, DO_SET_TIMER, -1) == 1);
    s.now_us = 13 * S - 1;
    script_output(&s, up(1), 1, 7);
    script_decide(&s, 13 * S - 1);
    expect(reads(&s, down(1), 1, true));
    script_timer(&s, TIMER_SHUFFLE, 13 * S);
    expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_ASSIGN_READ, -1) == 0);
    script_fini(&s);
}

TEST(shuffle_delay_shares_when_omega_has_passed)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    script_timer(&s, TIMER_SHUFFLE, 13 * S);
    expect(script_find(&s, DO_KILL, up(1)) != NULL);
    expect(reads(&s, down(1), 0, false));
    script_fini(&s);
}

/* Clones may come when some tasks above are won already, as under dolly-hotcloud. */
TEST(shuffle_delay_shares_what_was_won_before_its_phase_was_cloned)
{
    struct edge_spec edge = {.from = 0};
    struct res slot = {{RES_SLOT, 0, 0, 0}};
    struct phase_spec p[2] = {
        {.name = "up", .tasks = 2, .demand = slot, .clone = PHASE_CLONE_NEVER},
        {.name = "down", .tasks = 1, .demand = slot, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "mitigate=dolly,shuffle=delay;omega=3s;beta=1;tau=1", 9, 1);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint32_t t = 0; t < 2; t++) {
        s.now_us = (10 + t) * S;
        script_output(&s, script_ref(j, 0, t, 0), 1, 7);
        script_decide(&s, (10 + t) * S);
        if (t == 1) {
            struct phase *above = &world_job(&s.brain->world, j)->phases[0];
            above->copies = 2;
            attempt_charge_phase(s.brain, above);
        }
        script_event(&s, EV_COMMITTED, script_ref(j, 0, t, 0));
        script_decide(&s, (10 + t) * S);
    }
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 2); /* of the first; the clone waits for both */
    script_timer(&s, TIMER_SHUFFLE, 13 * S);
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 1);
    script_timer(&s, TIMER_SHUFFLE, 14 * S);
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 1);
    script_fini(&s);
}

TEST(shuffle_delay_reads_one_after_the_other)
{
    for (int reuse = 0; reuse < 2; reuse++) {
        struct script s;
        begin(&s, reuse ? "delay;omega=30s" : "delay;omega=30s;reuse=off");
        fetched(&s, down(0), 0, true);
        script_decide(&s, 12 * S);
        expect(reads(&s, down(1), 0, true) == reuse);
        script_fini(&s);
    }
}

TEST(shuffle_never_mixes_outputs_that_differ)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    s.now_us = 11 * S;
    script_output(&s, up(1), 1, 8);
    script_decide(&s, 11 * S);
    const struct decision *d = script_find(&s, DO_DISCARD_OUTPUT, up(1));
    expect(d && d->why.code == WHY_NONDETERMINISTIC);
    expect(!reads(&s, down(1), 1, true));
    script_fini(&s);
}

TEST(shuffle_a_failed_read_takes_another_source)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    s.now_us = 11 * S;
    script_output(&s, up(1), 1, 7);
    script_decide(&s, 11 * S);
    expect(reads(&s, down(1), 1, true));
    /* The node of the committed output is lost; the kept sibling is committed in its place. */
    script_event(&s, EV_OUTPUT_LOST, up(0));
    fetched(&s, down(0), 0, false);
    script_decide(&s, 12 * S);
    expect(script_find(&s, DO_COMMIT, up(1)) != NULL);
    script_fini(&s);
}

/* An output that cannot be committed stays for those who read it, and nobody else begins to. */
TEST(shuffle_a_source_whose_commit_failed_keeps_its_readers)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    s.now_us = 11 * S;
    script_output(&s, up(1), 1, 7);
    script_decide(&s, 11 * S);
    script_event(&s, EV_OUTPUT_LOST, up(0));
    fetched(&s, down(0), 0, false);
    script_decide(&s, 12 * S);
    script_event(&s, EV_COMMIT_FAILED, up(1));
    script_decide(&s, 13 * S);
    expect(script_count(&s, DO_DISCARD_OUTPUT, -1) == 0);
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 0);
    expect(script_find(&s, DO_LAUNCH, up(2)) != NULL);
    expect(!attempt_is_spare(brain_world(s.brain), attempt_find(s.brain, up(2)))); /* all it has */
    fetched(&s, down(1), 1, true);
    script_event(&s, EV_ATTEMPT_STARTED, up(2));
    s.now_us = 20 * S;
    script_output(&s, up(2), 1, 7);
    script_decide(&s, 20 * S);
    expect(script_find(&s, DO_COMMIT, up(2)) && !script_find(&s, DO_COMMIT, up(1)));
    script_event(&s, EV_COMMITTED, up(2));
    script_decide(&s, 20 * S);
    expect(script_count(&s, DO_DISCARD_OUTPUT, -1) == 0);
    script_fini(&s);
}

TEST(shuffle_a_reader_without_any_source_makes_room)
{
    struct script s;
    begin(&s, "cac");
    script_event(&s, EV_ATTEMPT_KILLED, up(1));
    script_event(&s, EV_ATTEMPT_STARTED, down(0));
    script_event(&s, EV_OUTPUT_LOST, up(0));
    fetched(&s, down(0), 0, false);
    script_decide(&s, 12 * S);
    expect(script_find(&s, DO_KILL, down(0)) != NULL);
    expect(script_find(&s, DO_LAUNCH, up(2)) != NULL); /* the output is made again */
    script_fini(&s);
}

TEST(shuffle_delay_spares_attempts_that_are_needed_again)
{
    struct script s;
    begin(&s, "delay;omega=3s");
    s.now_us = 11 * S;
    script_event(&s, EV_OUTPUT_LOST, up(0));
    script_decide(&s, 11 * S);
    script_timer(&s, TIMER_SHUFFLE, 13 * S); /* the one that runs is not a loser any more */
    expect(script_find(&s, DO_KILL, up(1)) == NULL);
    script_fini(&s);
}

/* A reader's backup waits for an output of its own; the loser above finishes although it was asked
 * to end. Its output is thrown away in the same instant, so nobody may be sent to it. */
TEST(shuffle_reads_no_output_before_it_is_kept)
{
    struct edge_spec edge = {.from = 0, .slowstart = 1};
    struct script s;
    script_init(&s, "mitigate=mapreduce,shuffle=delay;omega=inf;backup_at=0", 5, 1);
    struct job_id j = script_chain(&s, 2, (uint32_t[]){2, 1}, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_timer(&s, 1, S); /* both maps are backed up */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 2);
    script_started_all(&s);
    script_output(&s, script_ref(j, 0, 0, 0), 1, 7);
    script_decide(&s, 2 * S);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 0, 0));
    script_decide(&s, 2 * S);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 0, 1)) != NULL);
    script_started_all(&s); /* the reduce, which reads what is there */
    s.now_us = 3 * S;
    script_node_up(&s, 9, 1, 0);
    script_timer(&s, 1, 3 * S);
    struct attempt_ref backup = script_ref(j, 1, 0, 1);
    expect(script_find(&s, DO_LAUNCH, backup) && !script_find(&s, DO_ASSIGN_READ, backup));
    s.now_us = 4 * S;
    script_output(&s, script_ref(j, 0, 0, 1), 1, 7);
    script_decide(&s, 4 * S);
    expect(script_find(&s, DO_DISCARD_OUTPUT, script_ref(j, 0, 0, 1)) != NULL);
    expect(!script_find(&s, DO_ASSIGN_READ, backup));
    script_fini(&s);
}

/* The reader is not cloned after all: the attempts above that were left to run for its clones end.
 */
TEST(shuffle_cac_ends_siblings_when_the_reader_is_not_cloned)
{
    struct edge_spec edge = {.from = 0};
    struct res slot = {{RES_SLOT, 0, 0, 0}}, wide = {{8 * RES_SLOT, 0, 0, 0}};
    struct phase_spec p[2] = {
        {.name = "map", .tasks = 1, .demand = slot},
        {.name = "reduce", .tasks = 1, .demand = wide, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "mitigate=dolly,shuffle=cac;beta=0.3;tau=1", 2, 9);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_started_all(&s);
    s.now_us = S;
    script_output(&s, script_ref(j, 0, 0, 0), 1, 7);
    script_decide(&s, S);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 0, 0));
    script_decide(&s, S);
    const struct reason *why = script_verdict(&s, j, 1);
    expect(why && why->code == WHY_OVER_BUDGET);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* Phases that are not cloned are read in one piece. If an output goes meanwhile, the reader ends to
 * make room for the task that has to run again, and starts again when all is there. */
TEST(shuffle_a_failed_read_of_a_whole_phase_starts_its_reader_again)
{
    struct script s;
    script_init(&s, "none,shuffle=delay", 1, 2);
    struct job_id j = script_job(&s, 2, 2);
    struct attempt_ref reader = script_ref(j, 1, 0, 0), lost = script_ref(j, 0, 1, 0);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_win(&s, lost);
    const struct decision *d = script_find(&s, DO_ASSIGN_READ, reader);
    expect(d && d->u.read.source.task == TASK_ALL && d->u.read.exclusive);
    script_started_all(&s);
    struct event failed = {.type = EV_FETCH_FAILED, .at = reader};
    failed.u.fetch.source = script_ref(j, 0, TASK_ALL, 0);
    script_event(&s, EV_OUTPUT_LOST, lost);
    script_tell(&s, failed);
    script_decide(&s, 5);
    d = script_find(&s, DO_KILL, reader);
    expect(d && d->why.code == WHY_HOPELESS_INPUT);
    expect(!script_find(&s, DO_KILL, script_ref(j, 1, 1, 0))); /* that one has read everything */
    script_event(&s, EV_ATTEMPT_KILLED, reader);
    script_decide(&s, 6);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 1)) && s.out.count == 1);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 1, 1));
    reader.attempt = 1;
    expect(script_find(&s, DO_LAUNCH, reader) != NULL);
    d = script_find(&s, DO_ASSIGN_READ, reader);
    expect(d && d->u.read.source.task == TASK_ALL);
    script_fini(&s);
}

/* The attempt above that a reader waits for makes room for one further up: in the same turn the
 * reader knows that nothing can come. */
TEST(shuffle_cac_does_not_wait_for_one_that_makes_room)
{
    struct edge_spec edges[] = {{.from = 0, .slowstart = 50}, {.from = 1}};
    struct script s;
    script_init(&s, "mitigate=dolly,shuffle=cac;beta=1;tau=1", 6, 1);
    struct job_id j = script_chain(&s, 3, (uint32_t[]){1, 2, 1}, edges);
    script_decide(&s, 0);
    script_started_all(&s);
    script_output(&s, script_ref(j, 0, 0, 0), 1, 7);
    script_output(&s, script_ref(j, 0, 0, 1), 1, 7);
    script_decide(&s, S);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 0, 0));
    script_decide(&s, S);
    expect(script_count(&s, DO_LAUNCH, -1) == 4);
    script_started_all(&s);
    script_output(&s, script_ref(j, 1, 0, 1), 1,
                  8); /* both attempts of task 1, the clone of task 0 */
    script_output(&s, script_ref(j, 1, 1, 0), 1, 9);
    script_output(&s, script_ref(j, 1, 1, 1), 1, 9);
    script_decide(&s, 2 * S);
    script_event(&s, EV_COMMITTED, script_ref(j, 1, 0, 1));
    script_event(&s, EV_COMMITTED, script_ref(j, 1, 1, 0));
    script_decide(&s, 2 * S);
    struct attempt_ref waits = script_ref(j, 2, 0, 1);
    expect(script_find(&s, DO_LAUNCH, waits) != NULL);
    script_started_all(&s);
    script_job(&s, 1, 3); /* takes the rest of the cluster */
    script_decide(&s, 3 * S);
    script_started_all(&s);

    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 1));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 1, 1, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 1, 1, 1));
    script_decide(&s, 4 * S);
    const struct decision *d = script_find(&s, DO_KILL, script_ref(j, 1, 0, 0));
    expect(d && d->why.code == WHY_YIELD);
    d = script_find(&s, DO_ASSIGN_READ, waits);
    expect(d && d->u.read.source.task == 0 && d->u.read.source.attempt == 1);
    expect(d && !d->u.read.exclusive);
    script_fini(&s);
}

/* The attempt wins with the output that all attempts make. */
static void make(struct script *s, struct attempt_ref at)
{
    script_output(s, at, 1, 7);
    script_decide(s, s->now_us);
    script_event(s, EV_COMMITTED, at);
    script_decide(s, s->now_us);
}

/* A backup of a reader that started early meets its sibling at the output of task 1. That task has
 * a spare, made early because the node lost another output: the backup reads the spare, and must
 * not wait for it to become something else. */
static void backup_beside_a_spare(struct script *s, const char *shuffle)
{
    struct edge_spec edge = {.from = 0, .slowstart = 60};
    char text[200];
    snprintf(text, sizeof text,
             "late,protect=mantri,shuffle=%s;replicate=0;precompute=1;late.cap=1;slow_task=1;"
             "slow_node=0;floor=1s",
             shuffle);
    script_init(s, text, 1, 2);
    struct job_id j = script_chain(s, 2, (uint32_t[]){3, 2}, &edge);
    script_decide(s, 0);
    script_started_all(s);
    for (uint32_t i = 1; i < 5; i++)
        script_node_up(s, i, 2, 0);
    script_decide(s, 0);
    script_started_all(s);
    s->now_us = 10 * S;
    make(s, script_ref(j, 0, 0, 0));
    make(s, script_ref(j, 0, 1, 0));
    script_started_all(s);
    s->now_us = 11 * S;
    script_tell(s, (struct event){.type = EV_OUTPUT_LOST,
                                  .cause = CAUSE_OUTPUT_GONE,
                                  .at = script_ref(j, 0, 0, 0),
                                  .node = {0}});
    script_decide(s, 11 * S);
    struct attempt_ref spare = script_ref(j, 0, 1, 1);
    const struct decision *d = script_find(s, DO_LAUNCH, spare);
    expect(d && d->why.code == WHY_PRECOMPUTE);
    script_started_all(s);
    script_output(s, spare, 1, 7);
    script_decide(s, 12 * S);
    make(s, script_ref(j, 0, 0, 1));
    script_progress(s, script_ref(j, 1, 0, 0), 1, 100);
    script_progress(s, script_ref(j, 1, 1, 0), 50, 100);
    script_timer(s, TIMER_MITIGATE, 20 * S);
    d = script_find(s, DO_LAUNCH, down(1));
    expect(d && d->kind == LAUNCH_BACKUP);
}

/* What the attempt is told to read of a task of the first phase. */
static const struct decision *read_of(const struct script *s, struct attempt_ref reader,
                                      uint32_t task)
{
    for (uint32_t i = 0; i < s->out.count; i++) {
        const struct decision *d = &s->out.at[i];
        if (d->type == DO_ASSIGN_READ && d->at.task == reader.task && d->at.phase == reader.phase &&
            d->at.attempt == reader.attempt && d->u.read.source.task == task)
            return d;
    }
    return NULL;
}

TEST(shuffle_reads_a_spare_rather_than_wait)
{
    static const struct {
        const char *shuffle;
        uint16_t source;
    } cases[] = {{"cac", 1}, {"delay;omega=60s", 1}, {"delay", 1}, {"cc", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script s;
        backup_beside_a_spare(&s, cases[i].shuffle);
        const struct decision *d = read_of(&s, down(1), 1);
        expect(d && d->u.read.source.attempt == cases[i].source);
        expect(d && d->u.read.exclusive == (cases[i].source == 1));
        script_fini(&s);
    }
}

/* Three attempts of one task above, all with the same output, and of one below: those begin when
 * the first above is committed, at 10 s. */
static void begin_deal(struct script *s, const char *settings)
{
    char text[128];
    snprintf(text, sizeof text, "mitigate=dollymp,shuffle=deal;%s", settings);
    script_init(s, text, 9, 1);
    script_job(s, 2, 1);
    script_decide(s, 0);
    script_started_all(s);
    s->now_us = 10 * S;
    script_output(s, up(0), 1, 7);
    script_decide(s, 10 * S);
    script_event(s, EV_COMMITTED, up(0));
    script_decide(s, 10 * S);
}

static bool reads_all(const struct script *s, struct attempt_ref reader)
{
    const struct decision *d = script_find(s, DO_ASSIGN_READ, reader);
    return d && d->u.read.source.task == TASK_ALL;
}

/* One more attempt above goes on. The first copy below reads what was committed, and so does the
 * third; the second one's turn is the output that is still to come. */
TEST(shuffle_deal_keeps_one_more_and_deals_the_two_in_turn)
{
    struct script s;
    begin_deal(&s, "omega=5s");
    expect(!script_find(&s, DO_KILL, up(1)) && script_find(&s, DO_KILL, up(2)));
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    expect(reads_all(&s, down(0)) && reads(&s, down(2), 0, false));
    expect(!script_find(&s, DO_ASSIGN_READ, down(1)));
    script_started_all(&s);
    s.now_us = 12 * S;
    script_output(&s, up(1), 1, 7);
    script_decide(&s, 12 * S);
    expect(reads(&s, down(1), 1, true));
    /* A third output comes too late, and leaves the second to its reader. */
    script_output(&s, up(2), 1, 7);
    script_decide(&s, 12 * S);
    expect(script_find(&s, DO_DISCARD_OUTPUT, up(2)) != NULL);
    expect(!script_find(&s, DO_DISCARD_OUTPUT, up(1)));
    script_fini(&s);
}

TEST(shuffle_deal_waits_no_longer_than_omega)
{
    struct script s;
    begin_deal(&s, "omega=5s");
    const struct decision *d = NULL;
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_SET_TIMER && s.out.at[i].u.timer.at_us == 15 * S)
            d = &s.out.at[i];
    expect(d != NULL);
    script_started_all(&s);
    script_timer(&s, d->u.timer.id, 15 * S);
    expect(script_find(&s, DO_KILL, up(1)) && reads(&s, down(1), 0, false));
    script_fini(&s);
}

/* The task above had two attempts and its reader has three: all read the first. */
TEST(shuffle_deal_shares_the_first_where_there_were_fewer_copies)
{
    struct script s;
    script_init(&s, "mitigate=dollymp,shuffle=deal;omega=5s", 2, 1);
    script_job(&s, 2, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_started_all(&s);
    for (uint32_t n = 2; n < 9; n++)
        script_node_up(&s, n, 1, 0);
    s.now_us = 10 * S;
    script_output(&s, up(0), 1, 7);
    script_decide(&s, 10 * S);
    script_event(&s, EV_COMMITTED, up(0));
    script_decide(&s, 10 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    expect(reads_all(&s, down(0)) && reads(&s, down(1), 0, false) && reads(&s, down(2), 0, false));
    script_fini(&s);
}

/* The same, but the reader's third attempt comes later: the second one waits no longer then. */
TEST(shuffle_deal_looks_again_when_there_are_more_copies)
{
    struct script s;
    script_init(&s, "mitigate=dollymp,shuffle=deal;omega=5s", 2, 1);
    script_job(&s, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_node_up(&s, 2, 1, 0);
    s.now_us = 10 * S;
    script_output(&s, up(0), 1, 7);
    script_decide(&s, 10 * S);
    script_event(&s, EV_COMMITTED, up(0));
    script_decide(&s, 10 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    expect(!script_find(&s, DO_ASSIGN_READ, down(1)));
    script_node_up(&s, 3, 1, 0);
    script_decide(&s, 11 * S);
    expect(reads(&s, down(1), 0, false) && reads(&s, down(2), 0, false));
    script_fini(&s);
}

/* The first reader is done: the second is the first of those that go on, and reads what was
 * committed instead of waiting for its turn. */
TEST(shuffle_deal_counts_only_readers_that_go_on)
{
    struct script s;
    begin_deal(&s, "omega=5s");
    expect(!script_find(&s, DO_ASSIGN_READ, down(1)));
    script_started_all(&s);
    s.now_us = 12 * S;
    script_output(&s, down(0), 1, 8);
    script_decide(&s, 12 * S);
    expect(reads(&s, down(1), 0, false));
    script_fini(&s);
}

/* Three attempts of a task, one on each of nodes 0 to 2, all in racks of their own; the first wins.
 * Its input is on node 3, which takes nobody, in the rack of node `rack`, and on node `node` if
 * that is one of the three. Returns on which node the attempt runs that goes on. */
static uint32_t kept_for_deal(uint32_t rack, uint32_t node, uint32_t *winner, uint32_t *second)
{
    uint32_t from[2] = {0, node < 3 ? 2 : 1}, kept = UINT32_MAX;
    struct node_id replicas[2] = {{3}, {node}};
    struct edge_spec edge = {.from = 0};
    struct res slot = {{RES_SLOT, 0, 0, 0}};
    struct phase_spec p[2] = {
        {.name = "up", .tasks = 1, .demand = slot, .replica_from = from, .replicas = replicas},
        {.name = "down", .tasks = 1, .demand = slot, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "mitigate=dollymp,shuffle=deal;omega=5s", 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        script_node_up(&s, i, 1, i < 3 ? i : rack);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {3}});
    script_submit(&s, &spec);
    script_decide(&s, 0);
    uint32_t nodes[3];
    for (uint16_t i = 0; i < 3; i++)
        nodes[i] = script_find(&s, DO_LAUNCH, up(i))->node.v;
    script_started_all(&s);
    script_win(&s, up(0));
    for (uint16_t i = 1; i < 3; i++)
        kept = script_find(&s, DO_KILL, up(i)) ? kept : nodes[i];
    expect(script_count(&s, DO_KILL, -1) == 1);
    *winner = nodes[0];
    *second = nodes[1];
    script_fini(&s);
    return kept;
}

TEST(shuffle_deal_keeps_the_nearest_to_its_data)
{
    uint32_t winner, second;
    for (uint32_t rack = 0; rack < 3; rack++)
        for (uint32_t node = 0; node <= 3; node++) {
            uint32_t kept = kept_for_deal(rack, node, &winner, &second);
            if (node < 3 && node != winner)
                expect(kept == node);
            else if (rack != winner)
                expect(kept == rack);
            else
                expect(kept == second);
        }
}
