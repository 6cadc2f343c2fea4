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

    event_stream_init(&e, -1);
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

    event_stream_init(&e, 7);
    expect(next_is(&e, &now, 1, "retry: 1000\n\n"));
    expect(next_is(&e, &now, 2, ""));
    event_stream_init(&e, 6);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: sums\ndata: {7}\n\n"));
    event_stream_init(&e, 8); /* of a journal that is no more */
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: reset\ndata: {}\n\n"));
}

TEST(event_stream_tells_of_a_journal_that_is_read_anew)
{
    struct event_stream e;
    struct event_state now = {.turn = 7, .number = 5, .sums = "{7}"};

    event_stream_init(&e, -1);
    expect(next_is(&e, &now, 1, "retry: 1000\n\nid: 7\nevent: hello\ndata: {7}\n\n"));
    now = (struct event_state){.turn = 20, .number = 6, .resets = 1, .sums = "{20}"};
    expect(next_is(&e, &now, 2, "id: 20\nevent: reset\ndata: {}\n\n"));
    expect(next_is(&e, &now, 3, ""));
}
