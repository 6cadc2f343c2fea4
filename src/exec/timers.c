#include "exec/timers.h"

#include <string.h>

void timers_cancel(struct timers *a, uint32_t id)
{
    for (uint32_t i = 0; i < a->at.count; i++) {
        if (a->at.at[i].id != id)
            continue;
        a->at.count--;
        memmove(&a->at.at[i], &a->at.at[i + 1], (a->at.count - i) * sizeof *a->at.at);
        return;
    }
}

void timers_set(struct timers *a, uint32_t id, int64_t at_us)
{
    struct timer new = {at_us, id};

    timers_cancel(a, id);
    vec_push(&a->at, new);
    uint32_t i = a->at.count - 1;
    for (; i > 0; i--) {
        const struct timer *before = &a->at.at[i - 1];
        if (before->at_us > at_us || (before->at_us == at_us && before->id > id))
            break;
        a->at.at[i] = *before;
    }
    a->at.at[i] = new;
}

int64_t timers_next(const struct timers *a)
{
    return a->at.count ? a->at.at[a->at.count - 1].at_us : INT64_MAX;
}

bool timers_take(struct timers *a, int64_t now_us, uint32_t *id)
{
    if (timers_next(a) > now_us)
        return false;
    *id = a->at.at[--a->at.count].id;
    return true;
}
