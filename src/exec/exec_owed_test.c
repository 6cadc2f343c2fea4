/* Attempts of runners that have left count as lost when they must have ended: each at its time. */
#include "base/mem.h"
#include "exec/exec_presence.h"
#include "exec/exec_state.h"
#include "tests/unit/test.h"

TEST(exec_owed_attempts_are_looked_at_when_the_first_is_due)
{
    static const int64_t times[][3] = {{20, 10, 30}, {10, 20, 30}, {30, 20, 10}};

    for (int i = 0; i < 3; i++) {
        struct exec *x = mem_zalloc(1, sizeof *x);
        expect(exec_presence_due(x, 5) == INT64_MAX);
        for (uint32_t k = 0; k < 3; k++)
            vec_push(&x->presence.owed, ((struct attempt_time){.at_us = times[i][k], .handle = k}));
        expect(exec_presence_due(x, 5) == 10 && x->presence.owed.count == 3);
        for (uint32_t k = 0; k < 3; k++) /* in their order */
            expect(x->presence.owed.at[k].handle == k);
        vec_free(&x->presence.owed);
        mem_free(x);
    }
}
