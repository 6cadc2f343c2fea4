#include "remote/coordinator/admission_refusals.h"

bool admission_refusals_add(struct admission_refusals *r, int64_t now_us)
{
    if (r->since_us == 0)
        r->since_us = now_us;
    r->all++;
    if (r->told < ADMISSION_REFUSALS_TOLD) {
        r->told++;
        return true;
    }
    r->more++;
    return false;
}

uint32_t admission_refusals_turn(struct admission_refusals *r, int64_t now_us, int64_t *next_us)
{
    int64_t end_us = r->since_us + ADMISSION_REFUSALS_US;

    if (r->since_us == 0)
        return 0;
    if (now_us < end_us) {
        *next_us = r->more > 0 && end_us < *next_us ? end_us : *next_us;
        return 0;
    }
    uint32_t more = r->more;
    *r = (struct admission_refusals){.all = r->all};
    return more;
}
