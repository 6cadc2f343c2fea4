#include "commands/watch/event_stream.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

/* Returns true if these are the next events. */
static bool next_is(struct event_stream *e, const struct event_state *now, int64_t now_us,
                    const char *text)
{
    struct str out = {0};

    str_add(&out, "");
    event_stream_next(e, now, now_us, &out);
    bool same = strcmp(out.text, text) == 0;
    if (!same)
        printf("%s\nwant\n%s\n", out.text, text);
    str_free(&out);
    return same;
}

TEST(event_stream_says_what_has_changed)
{
    struct event_stream e;
    struct event_state now = {.turn = 3, .number = 1, .sums = "{3}"};

    event_stream_init(&e, -1, false);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 3\nevent: hello\ndata: {3}\n\n"));
    expect(next_is(&e, &now, 2, ""));
    now = (struct event_state){.turn = 9, .number = 2, .sums = "{9}"};
    expect(next_is(&e, &now, 3, "id: 9\nevent: sums\ndata: {9}\n\n"));
    now.number = 3; /* of the same turn: what runs has become older */
    expect(next_is(&e, &now, 4, "id: 9\nevent: sums\ndata: {9}\n\n"));
    expect(next_is(&e, &now, 5, ""));
    expect(next_is(&e, &now, 5 + EVENT_STREAM_QUIET_US, ": still here\n\n"));
    now.over = true;
    now.number = 4;
    expect(
        next_is(&e, &now, 6, "id: 9\nevent: sums\ndata: {9}\n\nid: 9\nevent: bye\ndata: {9}\n\n"));
    expect(e.closed && next_is(&e, &now, 7, ""));
}

TEST(event_stream_goes_on_where_a_connection_was_lost)
{
    struct event_stream e;
    struct event_state now = {.turn = 7, .number = 5, .sums = "{7}"};

    event_stream_init(&e, 7, false);
    expect(next_is(&e, &now, 1, "retry: 1000\n\n"));
    expect(next_is(&e, &now, 2, ""));
    event_stream_init(&e, 6, false);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: sums\ndata: {7}\n\n"));
    event_stream_init(&e, 8, false); /* of a journal that is no more */
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: reset\ndata: {}\n\n"));
}

TEST(event_stream_tells_of_a_journal_that_is_read_anew)
{
    struct event_stream e;
    struct event_state now = {.turn = 7, .number = 5, .sums = "{7}"};

    event_stream_init(&e, -1, false);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: hello\ndata: {7}\n\n"));
    now = (struct event_state){.turn = 20, .number = 6, .resets = 1, .sums = "{20}"};
    expect(next_is(&e, &now, 2, "id: 20\nevent: reset\ndata: {}\n\n"));
    expect(next_is(&e, &now, 3, ""));
}

/* News of two turns: a launch in turn 8; two ends in turn 9. */
static void add_news(struct news *n)
{
    static const struct news_item items[] = {
        {.turn = 8, .at_us = 1500000, .type = NEWS_ATTEMPT, .at = {.task = 4}, .node = 2},
        {.turn = 9, .at_us = 2000000, .type = NEWS_JOB, .state = DO_JOB_DONE},
        {.turn = 9, .at_us = 2000000, .type = NEWS_NODE, .state = EV_NODE_DOWN, .node = 1},
    };

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        news_add(n, &items[i]);
}

#define LAUNCH                                                                                     \
    "event: attempt\ndata: {\"at_s\":1.5,\"state\":\"launched\",\"job\":0,\"phase\":0,\"task\":4," \
    "\"attempt\":0,\"kind\":\"first\",\"node\":\"node 2\"}\n\n"
#define JOB "event: job\ndata: {\"at_s\":2.0,\"state\":\"done\",\"job\":0}\n\n"
#define NODE "event: node\ndata: {\"at_s\":2.0,\"state\":\"node_down\",\"node\":\"node 1\"}\n\n"

/* An id is sent when nothing of its turn is left, so that whoever goes on there misses nothing. */
TEST(event_stream_sends_the_news_since_the_turn_that_is_known)
{
    struct event_stream e;
    struct news news = {0};
    struct story_run run = {0};
    struct explain x = {.run = &run};
    struct event_words words = {0};
    struct event_state now = {
        .turn = 7, .number = 1, .sums = "{7}", .news = &news, .x = &x, .words = &words};

    add_news(&news);
    event_stream_init(&e, -1, false);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: hello\ndata: {7}\n\n"));
    now.turn = 8; /* of the state: later news wait for the next */
    now.number = 2;
    now.sums = "{8}";
    expect(next_is(&e, &now, 2, "id: 8\n" LAUNCH "id: 8\nevent: sums\ndata: {8}\n\n"));
    now.turn = 9;
    now.number = 3;
    now.sums = "{9}";
    expect(next_is(&e, &now, 3, "id: 8\n" JOB "id: 9\n" NODE "id: 9\nevent: sums\ndata: {9}\n\n"));
    event_stream_init(&e, 8, false); /* lost, and connected again */
    expect(next_is(&e, &now, 4,
                   "retry: 1000\n\nid: 8\n" JOB "id: 9\n" NODE
                   "id: 9\nevent: sums\ndata: {9}\n\n"));
    expect(words.from == 8 && words.to == 9);
    event_stream_init(&e, 8, false); /* another one, to which the same words are sent */
    words.text.text[0] = 'I';
    expect(next_is(&e, &now, 4,
                   "retry: 1000\n\nId: 8\n" JOB "id: 9\n" NODE
                   "id: 9\nevent: sums\ndata: {9}\n\n"));
    event_stream_init(&e, 7, false); /* but not to one that knows less */
    expect(next_is(&e, &now, 4,
                   "retry: 1000\n\nid: 8\n" LAUNCH "id: 8\n" JOB "id: 9\n" NODE
                   "id: 9\nevent: sums\ndata: {9}\n\n"));
    event_stream_init(&e, 7, true);
    expect(next_is(&e, &now, 4, "retry: 1000\n\nid: 9\nevent: sums\ndata: {9}\n\n"));
    str_free(&words.text);
    news_fini(&news);
}

/* Returns the number of times that the text has this line. */
static int lines_of(const char *text, const char *line)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, line)); at++)
        count++;
    return count;
}

TEST(event_stream_says_that_news_are_left_out)
{
    struct event_stream e;
    struct news news = {0};
    struct story_run run = {0};
    struct explain x = {.run = &run};
    struct event_state now = {.number = 1, .sums = "{\"a\":1}", .news = &news, .x = &x};
    struct str out = {0};

    for (uint64_t i = 1; i <= EVENT_STREAM_NEWS + 1; i++)
        news_add(&news, &(struct news_item){.turn = i,
                                            .type = i % 3 == 0 ? NEWS_TASK : NEWS_ATTEMPT,
                                            .state = EV_ATTEMPT_FINISHED});
    now.turn = EVENT_STREAM_NEWS + 1;
    event_stream_init(&e, 1, false); /* as many as may be */
    event_stream_next(&e, &now, 1, &out);
    expect(lines_of(out.text, "event: attempt\n") + lines_of(out.text, "event: task\n") == 500);
    expect(!strstr(out.text, "thinned"));
    str_cut(&out, 0);
    event_stream_init(&e, 0, false); /* one more */
    event_stream_next(&e, &now, 1, &out);
    expect(lines_of(out.text, "event: attempt\n") == 0);
    expect(lines_of(out.text, "event: task\n") == (EVENT_STREAM_NEWS + 1) / 3);
    expect(strstr(out.text, "event: sums\ndata: {\"thinned\":true,\"a\":1}\n"));
    for (uint64_t i = 0; i < NEWS_MAX; i++) /* what came before is gone */
        news_add(&news, &(struct news_item){.turn = 600 + i / 1000, .type = NEWS_TASK});
    now.turn = 600;
    now.number = 2;
    str_cut(&out, 0);
    event_stream_init(&e, 599, false);
    event_stream_next(&e, &now, 1, &out);
    expect(strstr(out.text, "thinned")); /* it cannot be known that nothing is missing */
    str_cut(&out, 0);
    event_stream_init(&e, 600, false);
    now.turn = 601;
    event_stream_next(&e, &now, 1, &out);
    expect(lines_of(out.text, "event: task\n") > 500);
    expect(out.length < 2 * EVENT_STREAM_BYTES);
    str_free(&out);
    news_fini(&news);
}
