/* sim_feed.c - readers get what they need, wait for it, and begin to work.
 *
 * The life of such an attempt is start-up, waiting and reading, then work. Its fetches come and go;
 * what counts is which upstream tasks it has, each of them once. As soon as its start-up is over
 * and nothing is missing it works, and from then on it is an attempt like any other.
 *
 * Which tasks it has is one number while it has none or all, which is what nearly every reader goes
 * through; only one that gets them in several parts keeps a bit for each.
 *
 * A reader that is ready and has nothing on its way is starved: it depends on a decision, or on
 * another attempt. The run has stalled if all live attempts are. */
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

void sim_feed_update(struct sim *s, struct sim_reader *r)
{
    bool waits = r->ready && r->compute_us < 0;
    if (waits && r->missing == 0) {
        r->compute_us = s->now_us;
        waits = false;
        sim_attempt_compute(s, r->attempt);
    }
    bool starved = waits && r->flowing == 0;
    s->starved += starved;
    s->starved -= r->starved;
    r->starved = starved;
    if (r->silent && !starved) {
        r->silent = false;
        sim_report_resume(s, r->attempt);
    }
}

static void has(struct sim_reader *r, struct sim_upstream *in, uint32_t got)
{
    uint32_t need = in->to - in->from;
    if (in->got < need && got == need)
        r->missing--;
    in->got = got;
}

void sim_feed_got(struct sim *s, struct sim_reader *r, struct sim_upstream *in,
                  const uint64_t *batch)
{
    if (!batch) {
        has(r, in, in->to - in->from);
    } else {
        uint32_t words = bit_words(in->to - in->from), got = 0;
        if (!in->have)
            in->have = mem_zalloc(words, sizeof *in->have);
        for (uint32_t w = 0; w < words; w++) {
            in->have[w] |= batch[w];
            got += (uint32_t)__builtin_popcountll(in->have[w]);
        }
        has(r, in, got);
    }
    sim_feed_update(s, r);
}

void sim_feed_got_one(struct sim *s, struct sim_reader *r, struct sim_upstream *in, uint32_t task)
{
    if (sim_upstream_has(in, task))
        return;
    if (!in->have)
        in->have = mem_zalloc(bit_words(in->to - in->from), sizeof *in->have);
    bit_set(in->have, task - in->from);
    has(r, in, in->got + 1);
    sim_feed_update(s, r);
}

void sim_feed_input(struct sim *s, struct sim_reader *r)
{
    r->input_flow = FLOW_NONE;
    r->flowing--;
    r->missing--;
    r->had_bytes = r->need_bytes;
    sim_feed_update(s, r);
}
