/* Every number of the vocabulary has a name, and no two share one: journals are read by name. */
#include <string.h>

#include "core/model/decision.h"
#include "core/model/event.h"
#include "core/model/reason.h"
#include "tests/unit/test.h"

/* How many numbers of first..end-1 have no name or another's. */
static unsigned bad_names(const char *(*name)(uint8_t), uint8_t first, uint8_t end)
{
    unsigned bad = 0;
    for (uint8_t i = first; i < end; i++) {
        if (name == decision_name && !decision_is_type(i))
            continue;
        bad += !strcmp(name(i), "?");
        for (uint8_t j = first; j < i; j++)
            bad += !strcmp(name(i), name(j));
    }
    return bad;
}

static const char *reason_name_short(uint8_t code)
{
    return reason_name(code);
}

TEST(names_are_complete_and_unique)
{
    expect(bad_names(event_name, EV_NODE_UP, EV_TYPE_END) == 0);
    expect(bad_names(event_cause_name, CAUSE_NONE, CAUSE_END) == 0);
    expect(bad_names(decision_name, DO_LAUNCH, DO_TYPE_END) == 0);
    expect(bad_names(decision_kind_name, LAUNCH_FIRST, LAUNCH_KIND_END) == 0);
    expect(bad_names(reason_name_short, WHY_NONE, WHY_CODE_END) == 0);
}

TEST(names_out_of_range_are_question_marks)
{
    expect(!strcmp(event_name(0), "?"));
    expect(!strcmp(event_name(EV_TYPE_END), "?"));
    expect(!strcmp(event_cause_name(CAUSE_END), "?"));
    expect(!strcmp(decision_name(0), "?"));
    expect(!strcmp(decision_name(DO_TYPE_END), "?"));
    expect(!decision_is_type(0) && !decision_is_type(DO_TYPE_END));
    expect(!decision_is_type(6) && !decision_is_type(11)); /* reserved */
    expect(!strcmp(decision_kind_name(LAUNCH_KIND_END), "?"));
    expect(!strcmp(reason_name(WHY_CODE_END), "?"));
    expect(!strcmp(reason_name(UINT16_MAX), "?"));
}

TEST(names_are_the_journals)
{
    expect(!strcmp(event_name(EV_ATTEMPT_LAUNCH_FAILED), "attempt_launch_failed"));
    expect(!strcmp(event_name(EV_TIMER), "timer"));
    expect(!strcmp(event_cause_name(CAUSE_JOB_OVER), "job_over"));
    expect(!strcmp(decision_name(DO_JOB_FAILED), "job_failed"));
    expect(!strcmp(decision_kind_name(LAUNCH_RECOMPUTE), "recompute"));
    expect(!strcmp(reason_name(WHY_HOPELESS_INPUT), "hopeless_input"));
}

TEST(names_of_a_reasons_numbers)
{
    const char *const cloned[] = {"copies", "tasks", "p", "charge", "used", "limit"};
    for (uint8_t i = 0; i < REASON_NUMBERS_MAX; i++)
        expect(!strcmp(reason_number_name(WHY_CLONED, i), cloned[i]));
    expect(!strcmp(reason_number_name(WHY_CLONED, REASON_NUMBERS_MAX), "?"));
    expect(!strcmp(reason_number_name(WHY_CLONE, 0), "of"));
    expect(!strcmp(reason_number_name(WHY_CLONE, 1), "copies"));
    expect(!strcmp(reason_number_name(WHY_CLONE, 2), "?"));
    expect(!strcmp(reason_number_name(WHY_RUNNABLE, 0), "?"));
    expect(!strcmp(reason_number_name(WHY_CODE_END, 0), "?"));
}

/* Two numbers of one reason must not be confused, and there is no gap before a named one. */
TEST(names_of_numbers_are_unique_within_a_reason)
{
    unsigned bad = 0;
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        for (uint8_t i = 0; i < REASON_NUMBERS_MAX; i++) {
            const char *name = reason_number_name(code, i);
            for (uint8_t j = 0; j < i; j++)
                bad += strcmp(name, "?") && (!strcmp(reason_number_name(code, j), name) ||
                                             !strcmp(reason_number_name(code, j), "?"));
        }
    expect(bad == 0);
}
