#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "jobs/map/map.h"
#include "tests/unit/test.h"

/* Jobs of 3, 1 and 2 tasks. */
static void open_feed(struct map *m)
{
    m->feed.arrives = true;
    m->tasks = 6;
    vec_push(&m->feed.firsts, 0);
    vec_push(&m->feed.firsts, 3);
    vec_push(&m->feed.firsts, 4);
}

TEST(map_feed_numbers_tasks_through)
{
    struct map m = {0};

    open_feed(&m);
    for (uint32_t task = 0; task < 6; task++) {
        struct attempt_ref at = map_feed_to_brain(&m.feed, (struct attempt_ref){.task = task});
        expect(at.job.v == (task < 3 ? 0u : task < 4 ? 1u : 2u));
        expect(at.task == task - m.feed.firsts.at[at.job.v]);
        at = map_feed_from_brain(&m.feed, at);
        expect(at.job.v == 0 && at.task == task);
    }
    struct attempt_ref all = {.job = {2}, .task = TASK_ALL};
    expect(map_feed_from_brain(&m.feed, all).task == TASK_ALL);
    vec_free(&m.feed.firsts);
}

TEST(map_feed_leaves_a_run_that_is_not_fed_alone)
{
    struct map_feed f = {0};
    struct attempt_ref at = map_feed_to_brain(&f, (struct attempt_ref){.task = 7});

    expect(at.task == 7 && at.job.v == 0 && map_feed_from_brain(&f, at).task == 7);
}

/* How many tasks the next job of the workload has; 0: there is none. */
static uint32_t next(struct map_workload *w)
{
    struct workload_job *j = w->workload.next(&w->workload);
    uint32_t tasks = j ? j->spec.phases[0].tasks : 0;

    if (j)
        mem_free(j->memory);
    return tasks;
}

TEST(map_feed_gives_each_job_once)
{
    struct map m = {0}, plain = {.tasks = 5};
    struct map_workload fed = map_feed_workload(&m), whole = map_feed_workload(&plain);

    open_feed(&m);
    expect(next(&fed) == 3 && next(&fed) == 1 && next(&fed) == 2 && next(&fed) == 0);
    vec_push(&m.feed.firsts, 6);
    m.tasks = 10;
    expect(next(&fed) == 4 && next(&fed) == 0 && m.feed.given == 4);
    expect(next(&whole) == 5 && next(&whole) == 0);
    vec_free(&m.feed.firsts);
}

TEST(map_feed_fails_with_stdin)
{
    struct map m = {.tasks = 2};
    struct err err;
    int before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), folder = open("/", O_RDONLY | O_CLOEXEC);

    expect(dup2(folder, STDIN_FILENO) == STDIN_FILENO);
    int result = map_feed(&m, &err);
    dup2(before, STDIN_FILENO);
    close(before);
    close(folder);
    expect(result < 0 && err.kind == ERR_SYSTEM && m.tasks == 2 && !m.feed.ended);
    expect(strcmp(err.text, "standard input: Is a directory") == 0);
}
