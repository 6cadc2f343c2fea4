#include "engine/engine.h"

#include <stddef.h>

#include "brain/brain.h"

static void foresee(const struct brain *brain, const struct soon *soon, const struct tap *taps,
                    uint32_t tap_count)
{
    brain_soon(brain, soon->at, soon->node);
    for (uint32_t i = 0; i < tap_count; i++)
        if (taps[i].soon)
            taps[i].soon(taps[i].ctx, soon);
}

int engine_run(struct brain *brain, const struct body_ops *ops, void *body, const struct tap *taps,
               uint32_t tap_count, struct err *err)
{
    struct batch batch;
    struct soon last;
    bool foreseen = false; /* in the turn before, and it is `last` */
    int n;

    while ((n = ops->wait(body, &batch, err)) > 0) {
        if (foreseen)
            brain_soon_further(brain, last.at);
        foreseen = batch.soon != NULL;
        if (foreseen) {
            last = *batch.soon;
            foresee(brain, &last, taps, tap_count);
        }
        brain_apply_all(brain, batch.now_us, batch.at, batch.count);
        struct decision_list out = brain_decide(brain, batch.now_us);

        /* Written down before it is done: whoever reads the journal after a crash finds every
         * request that may have had an effect. */
        struct turn turn = {batch.now_us, batch.at, out.at, batch.count, out.count};
        for (uint32_t i = 0; i < tap_count; i++)
            if (taps[i].turn(taps[i].ctx, &turn, err) < 0)
                return -1;
        ops->perform(body, out.at, out.count);
    }
    return n;
}
