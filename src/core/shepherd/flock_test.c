#include "core/shepherd/flock.h"

#include "tests/unit/test.h"

enum { TASKS = 130 };

static struct task tasks[TASKS];

static void run(uint32_t task, bool runs)
{
    tasks[task].live = runs;
    tasks[task].state = runs ? TASK_ACTIVE : TASK_DONE;
}

TEST(flock_lists_each_task_once)
{
    struct job job = {.id = {7}};
    struct phase p = {.job = &job, .index = 3, .tasks = tasks, .count = TASKS};
    struct flock f = {.next_us = 99};
    expect(!flock_find(&f, &p));
    flock_add(&f, &p, 129);
    flock_add(&f, &p, 0);
    flock_add(&f, &p, 129);
    struct fold *fold = flock_find(&f, &p);
    expect(fold->tasks.count == 2 && fold->tasks.at[0] == 129 && fold->tasks.at[1] == 0);
    expect(f.next_us == 0 && fold->due_us == 0); /* it is new */
    flock_fini(&f);
}

TEST(flock_prunes_what_is_over_and_takes_it_again)
{
    struct job job = {.id = {7}};
    struct phase p = {.job = &job, .tasks = tasks, .count = TASKS};
    struct flock f = {0};
    for (uint32_t t = 0; t < 3; t++) {
        flock_add(&f, &p, t);
        run(t, t != 1);
    }
    struct fold *fold = flock_find(&f, &p);
    flock_prune(fold, &p);
    expect(fold->tasks.count == 2 && fold->tasks.at[0] == 0 && fold->tasks.at[1] == 2);
    flock_add(&f, &p, 1); /* its output was lost, say */
    expect(fold->tasks.count == 3 && fold->tasks.at[2] == 1);
    flock_fini(&f);
}

TEST(flock_uses_entries_again)
{
    struct job job = {.id = {7}}, other = {.id = {8}};
    struct phase p = {.job = &job, .tasks = tasks, .count = 1};
    struct phase q = {.job = &other, .tasks = tasks, .count = TASKS};
    struct flock f = {0};
    flock_add(&f, &p, 0);
    flock_ended(flock_find(&f, &p), 2, true);
    flock_ended(flock_find(&f, &p), 3, false);
    flock_ended(flock_find(&f, &p), 1, true);
    expect(flock_find(&f, &p)->took.at[1] == -3 && flock_find(&f, &p)->took.count == 3);
    expect(flock_find(&f, &p)->finished.count == 2); /* in ascending order */
    expect(flock_find(&f, &p)->finished.at[0] == 1 && flock_find(&f, &p)->finished.at[1] == 2);
    for (uint32_t i = 0; i < FLOCK_ORDERED; i++)
        flock_ended(flock_find(&f, &p), 5, true);
    expect(flock_find(&f, &p)->took.count == FLOCK_ORDERED + 3 && flock_find(&f, &p)->stopped == 1);
    expect(flock_find(&f, &p)->finished.count == FLOCK_ORDERED - 1);
    flock_remove(&f, &p);
    flock_remove(&f, &p);
    flock_add(&f, &q, 100);
    expect(!flock_find(&f, &p) && f.folds.count == 1);
    expect(flock_find(&f, &q)->took.count == 0 && flock_find(&f, &q)->finished.count == 0);
    flock_fini(&f);
}
