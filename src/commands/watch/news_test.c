#include "commands/watch/news.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

/* Shows a turn with these to the account. */
static void tell(struct follow *f, const struct event *e, const struct decision *d)
{
    struct turn turn = {1000000, e, d, e ? 1 : 0, d ? 1 : 0, NULL};
    struct err err;

    expect(follow_tap(f).turn(f, &turn, &err) == 0);
}

static void submit(struct follow *f)
{
    struct phase_spec phase = {.name = "map", .tasks = 2, .demand = {{500}}};
    struct job_spec job = {.id = {0}, .phases = &phase, .phase_count = 1};

    tell(f, &(struct event){.type = EV_JOB_SUBMITTED, .u.job = &job}, NULL);
}

/* Returns true if the news from this one on have these names. */
static bool names_are(const struct news *n, uint64_t from, const char *expected)
{
    struct str names = {0};

    str_add(&names, "");
    for (uint64_t i = from; i < n->count; i++)
        str_addf(&names, "%s%s", i > from ? " " : "", news_name(news_at(n, i)));
    bool same = strcmp(names.text, expected) == 0;
    if (!same)
        printf("%s, not %s\n", names.text, expected);
    str_free(&names);
    return same;
}

/* A task has failed for good if it is one task, and was given up. */
TEST(news_of_decisions)
{
    static const struct {
        uint8_t type;
        uint16_t code;
        uint32_t task;
        const char *names;
    } rows[] = {
        {DO_VERDICT, WHY_TOO_MANY_FAILURES, 1, "failed"},
        {DO_VERDICT, WHY_TOO_MANY_LAUNCHES, 1, "failed"},
        {DO_VERDICT, WHY_NO_NEED, 1, "verdict"},
        {DO_VERDICT, WHY_TOO_MANY_FAILURES, TASK_ALL, "verdict"},
        {DO_VERDICT, WHY_TOO_MANY_LAUNCHES, TASK_ALL, "verdict"},
        {DO_JOB_FAILED, WHY_TOO_MANY_FAILURES, 1, "failed job"},
        {DO_JOB_FAILED, WHY_TOO_MANY_LAUNCHES, 1, "failed job"},
        {DO_JOB_FAILED, WHY_TOO_MANY_FAILURES, TASK_ALL, "job"},
        {DO_JOB_FAILED, WHY_CANCELLED, 1, "job"},
        {DO_JOB_DONE, WHY_TOO_MANY_FAILURES, 1, "job"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct follow *f = follow_create(0, 0);
        struct news n = {0};
        uint64_t turns = 7;
        news_begin(&n, f, &turns);
        submit(f);
        tell(f, NULL,
             &(struct decision){
                 .type = rows[i].type, .at = {.task = rows[i].task}, .why.code = rows[i].code});
        expect(names_are(&n, 1, rows[i].names));
        expect(news_at(&n, 1)->turn == 8 && news_at(&n, 1)->at_us == 1000000);
        if (news_at(&n, 1)->type != NEWS_JOB)
            expect(news_at(&n, 1)->code == rows[i].code && news_at(&n, 1)->at.task == rows[i].task);
        follow_destroy(f);
        news_fini(&n);
    }
}

/* Of nodes all but their capacity, of attempts also their start. */
TEST(news_of_events)
{
    struct follow *f = follow_create(0, 0);
    struct news n = {0};
    uint64_t turns = 0;

    news_begin(&n, f, &turns);
    tell(f, &(struct event){.type = EV_NODE_UP, .node = {3}, .u.node.capacity = {{4000}}}, NULL);
    expect(names_are(&n, 0, "node") && news_at(&n, 0)->node == 3);
    tell(f, &(struct event){.type = EV_NODE_CAPACITY, .node = {3}, .u.node.capacity = {{2000}}},
         NULL);
    expect(n.count == 1);
    submit(f);
    tell(f, NULL, &(struct decision){.type = DO_LAUNCH, .kind = LAUNCH_FIRST, .node = {3}});
    tell(f, &(struct event){.type = EV_ATTEMPT_STARTED}, NULL);
    expect(names_are(&n, 1, "job attempt attempt"));
    expect(news_at(&n, 2)->state == 0 && news_at(&n, 3)->state == EV_ATTEMPT_STARTED);
    expect(news_at(&n, 3)->node == 3 && news_at(&n, 3)->kind == LAUNCH_FIRST);
    follow_destroy(f);
    news_fini(&n);
}
