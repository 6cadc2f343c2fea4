#include "remote/agent/agent_pace.h"

#include "tests/unit/test.h"

enum { PIECE_MAX = 65536 };

/* A link of so many bytes a second with a queue without end, and an agent that sends as much as the
 * pace allows, a beat each second and where the pace wants one. Returns the longest time from a
 * beat to its answer; *carried: bytes that have arrived. */
static int64_t run_link(int64_t rate, int64_t ping_us, int64_t seconds, int64_t *carried)
{
    struct agent_pace p = {0};
    struct {
        int64_t sent_us, total;
    } beats[1024];
    int64_t free_us = 0, beat_us = 0, longest_us = 0;
    uint32_t from = 0, to = 0;

    for (int64_t now_us = 0; now_us < seconds * 1000000; now_us += 1000) {
        while (agent_pace_allows(&p)) {
            int64_t piece = agent_pace_piece(&p) < PIECE_MAX ? agent_pace_piece(&p) : PIECE_MAX;
            agent_pace_sent(&p, piece);
            free_us = (free_us > now_us ? free_us : now_us) + piece * 1000000 / rate;
            if (agent_pace_wants_beat(&p)) {
                agent_pace_mark(&p, now_us);
                beats[to].total = free_us;
                beats[to++ % 1024].sent_us = now_us;
                to %= 1024;
            }
        }
        if (now_us >= beat_us) {
            agent_pace_mark(&p, now_us);
            beats[to].total = free_us > now_us ? free_us : now_us;
            beats[to++ % 1024].sent_us = now_us;
            to %= 1024;
            beat_us = now_us + 1000000;
        }
        while (from != to && beats[from].total + ping_us <= now_us) {
            int64_t took_us = now_us - beats[from].sent_us;
            agent_pace_answered(&p, beats[from].sent_us, now_us);
            longest_us = took_us > longest_us ? took_us : longest_us;
            from = (from + 1) % 1024;
        }
    }
    *carried = p.behind;
    return longest_us;
}

TEST(agent_pace_beats_of_a_slow_link_are_answered_in_time)
{
    int64_t carried;

    /* 1 Mbit/s: what is under way takes a second, not the queue of the router. */
    expect(run_link(125000, 20000, 60, &carried) < 2000000);
    expect(carried > 60 * 125000 * 8 / 10);
    /* A tenth of that. */
    expect(run_link(12500, 20000, 120, &carried) < 6000000);
    expect(carried > 120 * 12500 * 7 / 10);
}

TEST(agent_pace_does_not_hold_up_a_quick_link)
{
    int64_t carried;

    expect(run_link(100000000, 1000, 4, &carried) < 1000000);
    expect(carried > 100000000LL * 3);
    /* Nor one that is far away. */
    run_link(10000000, 200000, 20, &carried);
    expect(carried > 10000000LL * 10);
}

TEST(agent_pace_marks_that_are_too_many_do_not_stop_it)
{
    struct agent_pace p = {0};

    for (int i = 0; i < 3 * AGENT_PACE_MARKS; i++) {
        agent_pace_sent(&p, 1);
        agent_pace_mark(&p, i);
    }
    expect(p.count == AGENT_PACE_MARKS);
    agent_pace_answered(&p, 1000, 1001);
    expect(p.count == 0 && p.behind == AGENT_PACE_MARKS && agent_pace_allows(&p));
    agent_pace_mark(&p, 2000);
    agent_pace_answered(&p, 2000, 2001);
    expect(p.behind == p.total);
}

TEST(agent_pace_wants_a_beat_for_each_piece_while_there_are_marks)
{
    struct agent_pace p = {0};
    int64_t piece = agent_pace_piece(&p);

    expect(piece == AGENT_PACE_FIRST / 4 && !agent_pace_wants_beat(&p));
    agent_pace_sent(&p, piece - 1);
    expect(!agent_pace_wants_beat(&p));
    agent_pace_sent(&p, 1);
    expect(agent_pace_wants_beat(&p));
    agent_pace_mark(&p, 1);
    expect(!agent_pace_wants_beat(&p) && p.count == 1);
    agent_pace_mark(&p, 2); /* nothing lies between them */
    expect(p.count == 1);
    while (p.count < AGENT_PACE_MARKS) {
        agent_pace_sent(&p, piece);
        expect(agent_pace_wants_beat(&p));
        agent_pace_mark(&p, 3);
    }
    agent_pace_sent(&p, 2 * piece);
    expect(!agent_pace_wants_beat(&p));
}

/* Sends a window, and has all of it answered after so long. */
static void pace_round(struct agent_pace *p, int64_t took_us)
{
    agent_pace_sent(p, 1000);
    agent_pace_mark(p, p->total);
    agent_pace_answered(p, p->total, p->total + took_us);
}

TEST(agent_pace_grows_and_shrinks_by_how_long_answers_take)
{
    struct agent_pace p = {0};

    agent_pace_sent(&p, AGENT_PACE_FIRST - 1);
    expect(agent_pace_allows(&p));
    agent_pace_sent(&p, 1);
    expect(!agent_pace_allows(&p));
    p = (struct agent_pace){0};
    pace_round(&p, AGENT_PACE_QUICK_US - 1);
    expect(p.window == AGENT_PACE_FIRST + 1000);
    pace_round(&p, AGENT_PACE_QUICK_US);
    pace_round(&p, AGENT_PACE_SLOW_US);
    expect(p.window == AGENT_PACE_FIRST + 1000);
    pace_round(&p, AGENT_PACE_SLOW_US + 1);
    expect(p.window == (AGENT_PACE_FIRST + 1000) / 2);
    for (int i = 0; i < 4; i++)
        pace_round(&p, AGENT_PACE_SLOW_US + 1);
    expect(p.window == AGENT_PACE_LEAST);
    p.window = AGENT_PACE_MOST - 1;
    pace_round(&p, 0);
    expect(p.window == AGENT_PACE_MOST);
}

/* Several late answers to what was under way at once are one sign of a slow link. */
TEST(agent_pace_is_halved_once_for_what_was_under_way)
{
    struct agent_pace p = {0};

    for (int i = 1; i <= 3; i++) {
        agent_pace_sent(&p, 1000);
        agent_pace_mark(&p, i);
    }
    agent_pace_answered(&p, 1, 2 * AGENT_PACE_SLOW_US);
    expect(p.window == AGENT_PACE_FIRST / 2 && p.count == 2 && p.behind == 1000);
    agent_pace_answered(&p, 2, 2 * AGENT_PACE_SLOW_US);
    agent_pace_answered(&p, 3, 2 * AGENT_PACE_SLOW_US);
    expect(p.window == AGENT_PACE_FIRST / 2 && p.count == 0 && p.behind == 3000);
    agent_pace_answered(&p, 3, 9 * AGENT_PACE_SLOW_US); /* of nothing */
    expect(p.window == AGENT_PACE_FIRST / 2 && p.behind == 3000);
    /* Of two beats of one time the answer is to the first. */
    for (int i = 0; i < 2; i++) {
        agent_pace_sent(&p, 1000);
        agent_pace_mark(&p, 10);
    }
    agent_pace_answered(&p, 10, 11);
    expect(p.count == 1 && p.behind == 4000);
}
