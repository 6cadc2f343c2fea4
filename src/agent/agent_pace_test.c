#include "agent/agent_pace.h"

#include "tests/test.h"

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
        while (agent_pace_has_room(&p)) {
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
    expect(p.count == 0 && p.behind == AGENT_PACE_MARKS && agent_pace_has_room(&p));
    agent_pace_mark(&p, 2000);
    agent_pace_answered(&p, 2000, 2001);
    expect(p.behind == p.total);
}
