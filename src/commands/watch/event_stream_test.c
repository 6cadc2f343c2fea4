#include "commands/watch/event_stream.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

/* Returns true if these are the next events. */
static bool next_is(struct event_stream *e, const struct event_state *now, int64_t now_us,
                    const char *text)
{
    struct shared_text *piece = event_stream_next(e, now, now_us);
    const char *is = piece ? piece->str.text : "";
    bool same = strcmp(is, text) == 0;

    if (!same)
        printf("%s\nwant\n%s\n", is, text);
    shared_text_drop(piece);
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
    struct event_pieces pieces = {0};
    struct event_state now = {
        .turn = 7, .number = 1, .sums = "{7}", .news = &news, .x = &x, .pieces = &pieces};

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
    event_stream_init(&e, 7, false); /* one that knows less */
    expect(next_is(&e, &now, 4,
                   "retry: 1000\n\nid: 8\n" LAUNCH "id: 8\n" JOB "id: 9\n" NODE
                   "id: 9\nevent: sums\ndata: {9}\n\n"));
    event_stream_init(&e, 7, true);
    expect(next_is(&e, &now, 4, "retry: 1000\n\nid: 9\nevent: sums\ndata: {9}\n\n"));
    event_pieces_fini(&pieces);
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

/* The text that a client gets of a picture; the caller drops it. */
static struct shared_text *next(struct event_stream *e, const struct event_state *now)
{
    return event_stream_next(e, now, 1);
}

/* Clients that know the same turn hold one text, whatever the number of the picture they saw; who
 * knows another turn, is new, or wants the sums alone gets another one. */
TEST(event_stream_clients_that_know_the_same_share_one_text)
{
    enum { A, B, BEHIND, NEW, SUMS, CLIENTS };
    struct event_stream e[CLIENTS];
    struct shared_text *t[CLIENTS];
    struct news news = {0};
    struct story_run run = {0};
    struct explain x = {.run = &run};
    struct event_pieces pieces = {0};
    struct event_state now = {
        .turn = 8, .number = 3, .sums = "{8}", .news = &news, .x = &x, .pieces = &pieces};

    add_news(&news);
    for (int i = 0; i < CLIENTS; i++)
        event_stream_init(&e[i], i == BEHIND ? 7 : i == NEW ? -1 : 8, i == SUMS);
    for (int i = 0; i < CLIENTS; i++) /* all but one know turn 8 now, as if it were theirs */
        if (i != BEHIND && i != NEW)
            shared_text_drop(next(&e[i], &now));
    e[B].number--;
    now.turn = 9;
    now.number = 4;
    now.sums = "{9}";
    for (int i = 0; i < CLIENTS; i++)
        t[i] = next(&e[i], &now);
    expect(t[A] == t[B] && t[A]->holders == 3); /* the pieces hold it, too */
    for (int i = BEHIND; i < CLIENTS; i++)
        for (int k = 0; k < i; k++)
            expect(t[i] != t[k]);
    expect(strcmp(t[A]->str.text,
                  "id: 8\n" JOB "id: 9\n" NODE "id: 9\nevent: sums\ndata: {9}\n\n") == 0);
    expect(strncmp(t[BEHIND]->str.text, "retry: 1000\n\nid: 8\n" LAUNCH "id: 8\n" JOB, 40) == 0);
    expect(strcmp(t[NEW]->str.text, "retry: 1000\n\nid: 9\nevent: hello\ndata: {9}\n\n") == 0);
    expect(strcmp(t[SUMS]->str.text, "id: 9\nevent: sums\ndata: {9}\n\n") == 0);
    shared_text_drop(t[B]);
    shared_text_drop(t[BEHIND]);
    shared_text_drop(t[NEW]);
    shared_text_drop(t[SUMS]);

    now.number = 5; /* a new picture: whoever still reads the old one keeps it */
    for (int i = B; i < CLIENTS; i++)
        t[i] = next(&e[i], &now);
    expect(t[A]->holders == 1 && t[B] == t[BEHIND] && t[B] == t[NEW] && t[B] != t[A]);
    expect(t[B]->holders == 4 && strcmp(t[B]->str.text, "id: 9\nevent: sums\ndata: {9}\n\n") == 0);
    for (int i = 0; i < CLIENTS; i++) {
        expect(e[i].turn == 9);
        shared_text_drop(t[i]);
    }
    event_pieces_fini(&pieces);
    news_fini(&news);
}

/* More clients, each at a turn of its own, than pieces are kept. */
TEST(event_stream_clients_at_many_turns_get_their_own_text)
{
    enum { CLIENTS = EVENT_PIECES_KEPT + 3 };
    struct event_stream e[CLIENTS];
    struct shared_text *t[CLIENTS];
    struct news news = {0};
    struct story_run run = {0};
    struct explain x = {.run = &run};
    struct event_pieces pieces = {0};
    struct event_state now = {.turn = CLIENTS,
                              .number = 1,
                              .sums = "{}",
                              .news = &news,
                              .x = &x,
                              .pieces = &pieces};

    for (uint64_t turn = 1; turn <= CLIENTS; turn++)
        news_add(&news, &(struct news_item){.turn = turn, .type = NEWS_JOB});
    for (int i = 0; i < CLIENTS; i++) {
        event_stream_init(&e[i], i, false);
        t[i] = next(&e[i], &now);
    }
    for (int i = 0; i < CLIENTS; i++) {
        expect(lines_of(t[i]->str.text, "event: job\n") == CLIENTS - i);
        expect(t[i]->holders == (i < 3 ? 1 : 2)); /* the first ones had to make room */
        shared_text_drop(t[i]);
    }
    event_pieces_fini(&pieces);
    news_fini(&news);
}

TEST(event_stream_says_that_news_are_left_out)
{
    struct event_stream e;
    struct news news = {0};
    struct story_run run = {0};
    struct explain x = {.run = &run};
    struct event_state now = {.number = 1, .sums = "{\"a\":1}", .news = &news, .x = &x};
    struct shared_text *out;

    for (uint64_t i = 1; i <= EVENT_PIECES_NEWS + 1; i++)
        news_add(&news, &(struct news_item){.turn = i,
                                            .type = i % 3 == 0 ? NEWS_TASK : NEWS_ATTEMPT,
                                            .state = EV_ATTEMPT_FINISHED});
    now.turn = EVENT_PIECES_NEWS + 1;
    event_stream_init(&e, 1, false); /* as many as may be */
    out = next(&e, &now);
    expect(lines_of(out->str.text, "event: attempt\n") +
               lines_of(out->str.text, "event: task\n") ==
           500);
    expect(!strstr(out->str.text, "thinned"));
    shared_text_drop(out);
    event_stream_init(&e, 0, false); /* one more */
    out = next(&e, &now);
    expect(lines_of(out->str.text, "event: attempt\n") == 0);
    expect(lines_of(out->str.text, "event: task\n") == (EVENT_PIECES_NEWS + 1) / 3);
    expect(strstr(out->str.text, "event: sums\ndata: {\"thinned\":true,\"a\":1}\n"));
    for (uint64_t i = 0; i < NEWS_MAX; i++) /* what came before is gone */
        news_add(&news, &(struct news_item){.turn = 600 + i / 1000, .type = NEWS_TASK});
    now.turn = 600;
    now.number = 2;
    shared_text_drop(out);
    event_stream_init(&e, 599, false);
    out = next(&e, &now);
    expect(strstr(out->str.text, "thinned")); /* it cannot be known that nothing is missing */
    shared_text_drop(out);
    event_stream_init(&e, 600, false);
    now.turn = 601;
    out = next(&e, &now);
    expect(lines_of(out->str.text, "event: task\n") > 500);
    expect(out->str.length < 2 * EVENT_PIECES_BYTES);
    shared_text_drop(out);
    news_fini(&news);
}
