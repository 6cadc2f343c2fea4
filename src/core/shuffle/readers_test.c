#include "core/shuffle/readers.h"

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

/* Two tasks, three tasks and two, one each for the readers: all of them were won, and two tasks
 * that read all three phases are launched. */
static struct job_id stage(struct script *s)
{
    static const uint32_t tasks[] = {2, 3, 2};
    static const struct edge_spec edges[] = {
        {.from = 0}, {.from = 1}, {.from = 2, .pattern = EDGE_ONE_TO_ONE}};
    struct phase_spec p[4];

    for (int k = 0; k < 3; k++)
        p[k] = (struct phase_spec){.name = "up", .tasks = tasks[k], .demand = {{RES_SLOT}}};
    p[3] = (struct phase_spec){
        .name = "down", .tasks = 2, .demand = {{RES_SLOT}}, .edges = edges, .edge_count = 3};
    struct job_spec spec = {.phases = p, .phase_count = 4};
    script_init(s, "none", 9, 1);
    struct job_id job = script_submit(s, &spec);
    script_decide(s, 0);
    script_started_all(s);
    for (uint16_t k = 0; k < 3; k++)
        for (uint32_t t = 0; t < tasks[k]; t++)
            script_event(s, EV_ATTEMPT_FINISHED, script_ref(job, k, t, 0));
    script_decide(s, 1);
    for (uint16_t k = 0; k < 3; k++)
        for (uint32_t t = 0; t < tasks[k]; t++)
            script_event(s, EV_COMMITTED, script_ref(job, k, t, 0));
    script_decide(s, 2);
    return job;
}

static const struct attempt *reader(const struct script *s, struct job_id job, uint32_t task)
{
    const struct world *w = brain_world(s->brain);
    for (uint32_t i = 0; i < w->attempts.count; i++) {
        const struct attempt *a = &w->attempts.at[i];
        if (a->job && a->job->id.v == job.v && a->phase == 3 && a->task == task)
            return a;
    }
    return NULL;
}

/* Reads stand one behind the other: those of each edge that is read task by task. */
TEST(readers_find_each_read_task_by_task)
{
    static const struct {
        uint64_t split;
        uint32_t count;
        int first[3]; /* the place of the first read of each edge; -1: it is read as a whole */
    } rows[] = {{7, 6, {0, 2, 5}}, {6, 4, {-1, 0, 3}}, {5, 3, {0, -1, 2}}, {2, 3, {-1, 0, -1}}};
    static const uint32_t tasks[] = {2, 3, 2};
    struct script s;
    struct job_id job = stage(&s);
    const struct world *w = brain_world(s.brain);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t task = 0; task < 2; task++) {
            struct readers r = {0};
            const struct attempt *a = reader(&s, job, task);
            expect(a && !readers_find(&r, w, a, 0, 0)); /* nothing is read task by task yet */
            struct shuffle_reader *own = readers_begin(&r, w, a);
            expect(own == readers_of(&r, w, a) && own->launched_us == 2 && own->count == 0);
            own->split = rows[i].split;
            own->count = rows[i].count;
            readers_split(&r, own);
            expect(own->left == own->count && own->waits == own->count && r.waits == own->count);
            for (uint16_t k = 0; k < 3; k++)
                for (uint32_t t = 0; t < tasks[k] + 1; t++) {
                    bool one = k == 2, reads = one ? t == task : t < tasks[k];
                    int at = rows[i].first[k] + (one ? 0 : (int)t);
                    const struct read *want =
                        reads && rows[i].first[k] >= 0 ? &own->reads[at] : NULL;
                    expect(readers_find(&r, w, a, k, t) == want);
                    if (reads && t == (one ? task : 0)) /* the first of its span */
                        expect(readers_of_edge(own, a, k) == want);
                }
            readers_forget(&r, w, a);
            expect(r.waits == 0 && !own->reads && own->count == 0);
            readers_fini(&r);
        }
    script_fini(&s);
}

TEST(readers_count_what_waits_and_what_is_left)
{
    static const struct {
        uint8_t state;
        uint32_t waits, left;
    } steps[] = {{READ_RUNS, 5, 6}, {READ_WAITS, 6, 6}, {READ_DONE, 5, 5}, {READ_DONE, 5, 5}};
    struct script s;
    struct job_id job = stage(&s);
    const struct world *w = brain_world(s.brain);
    struct readers r = {0};

    for (uint32_t task = 0; task < 2; task++) {
        struct shuffle_reader *own = readers_begin(&r, w, reader(&s, job, task));
        own->split = 7;
        own->count = 6;
        readers_split(&r, own);
    }
    const struct attempt *a = reader(&s, job, 1);
    const struct shuffle_reader *own = readers_of(&r, w, a);
    expect(r.waits == 12);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        readers_set(&r, w, a, readers_find(&r, w, a, 1, 2), steps[i].state);
        expect(own->waits == steps[i].waits && own->left == steps[i].left);
        expect(r.waits == 6 + steps[i].waits && own->reads[4].state == steps[i].state);
    }
    readers_forget(&r, w, a);
    expect(r.waits == 6);
    readers_fini(&r);
    script_fini(&s);
}

TEST(readers_know_no_more_than_64_edges)
{
    struct shuffle_reader own = {.split = UINT64_C(1) << 63 | 1};
    expect(readers_edge_is_split(&own, 0) && readers_edge_is_split(&own, 63));
    expect(!readers_edge_is_split(&own, 1) && !readers_edge_is_split(&own, 62));
    expect(!readers_edge_is_split(&own, 64) && !readers_edge_is_split(&own, 127));
}
