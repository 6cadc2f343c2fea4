#include "remote/coordinator/admission_refusals.h"

#include "tests/unit/test.h"

TEST(admission_refusals_tell_a_few_and_count_the_others)
{
    struct admission_refusals r = {0};
    int64_t next_us = INT64_MAX;
    int told = 0;

    expect(admission_refusals_turn(&r, 100, &next_us) == 0 && next_us == INT64_MAX);
    for (int i = 0; i < 8000; i++)
        told += admission_refusals_add(&r, 1000 + i);
    expect(told == ADMISSION_REFUSALS_TOLD && r.all == 8000);
    expect(admission_refusals_turn(&r, 999 + ADMISSION_REFUSALS_US, &next_us) == 0);
    expect(next_us == 1000 + ADMISSION_REFUSALS_US);
    expect(admission_refusals_turn(&r, next_us, &next_us) == 8000 - ADMISSION_REFUSALS_TOLD);
    expect(admission_refusals_turn(&r, next_us, &next_us) == 0);  /* once */
    expect(admission_refusals_add(&r, next_us) && r.all == 8001); /* another minute */
}
