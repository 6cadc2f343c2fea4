#include "core/engine/engine.h"

#include "core/brain/brain.h"

int engine_run(struct brain *brain, const struct body_ops *ops, void *body, const struct tap *taps,
               uint32_t tap_count, struct err *err)
{
    struct batch batch;
    bool hinted = false; /* by the batch before */
    int n;

    while ((n = ops->wait(body, &batch, err)) > 0) {
        if (hinted || batch.hint)
            brain_hint(brain, batch.hint);
        hinted = batch.hint != NULL;
        brain_apply_all(brain, batch.now_us, batch.at, batch.count);
        struct decision_list out = brain_decide(brain, batch.now_us);

        /* Written down before it is done: a reader of the journal after a crash finds every request
         * that may have had an effect. */
        struct turn turn = {batch.now_us, batch.at, out.at, batch.count, out.count, batch.hint};
        for (uint32_t i = 0; i < tap_count; i++)
            if (taps[i].turn(taps[i].ctx, &turn, err) < 0)
                return -1;
        ops->perform(body, out.at, out.count);
    }
    return n;
}
