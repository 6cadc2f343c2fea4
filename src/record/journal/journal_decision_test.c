#include "record/journal/journal_decision.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/test.h"

static bool comes_back(const struct decision *d, size_t *length)
{
    unsigned char out[JOURNAL_DECISION_MAX];
    struct decision back;
    *length = (size_t)(journal_decision_put(out, d) - out);
    struct wire_in in = {out, out + *length, false, false};
    journal_decision_get(&in, &back);
    return !in.bad && wire_left(&in) == 0 && journal_sample_decision_equal(d, &back);
}

TEST(journal_decision_comes_back)
{
    struct journal_sample s;
    size_t length;
    journal_sample_init(&s, 3);
    for (uint8_t type = 1; type < DO_TYPE_END; type++)
        for (int i = 0; i < 500 && decision_is_type(type); i++) {
            struct decision d = journal_sample_decision(&s, type);
            expect(comes_back(&d, &length) && length <= JOURNAL_DECISION_MAX);
        }
}

/* As with events: these bytes are those of JOURNAL_VERSION. All numbers are threes. */
TEST(journal_decision_has_the_bytes_of_its_version)
{
    uint64_t hash = HASH_START;
    size_t all = 0;
    for (uint8_t type = 1; type < DO_TYPE_END; type++) {
        unsigned char out[JOURNAL_DECISION_MAX];
        struct decision d;
        memset(&d, 3, sizeof d);
        d.type = type;
        d.why.code = d.why.count = 3;
        size_t n = decision_is_type(type) ? (size_t)(journal_decision_put(out, &d) - out) : 0;
        hash = hash_bytes(hash, out, n);
        all += n;
    }
    expect(JOURNAL_VERSION == 6 && all == 603 && hash == UINT64_C(0xe9287e734c9c0d84));
}

TEST(journal_decision_cut_short_is_bad)
{
    struct journal_sample s;
    journal_sample_init(&s, 4);
    for (uint8_t type = 1; type < DO_TYPE_END; type++)
        for (int i = 0; i < 10 && decision_is_type(type); i++) {
            unsigned char out[JOURNAL_DECISION_MAX];
            struct decision d = journal_sample_decision(&s, type);
            size_t n = (size_t)(journal_decision_put(out, &d) - out);
            for (size_t cut = 0; cut < n; cut++) {
                struct wire_in in = {out, out + cut, false, false};
                journal_decision_get(&in, &d);
                expect(in.bad);
            }
        }
}

/* Bytes that the numbers of a reason take, with the proof that each is exact. */
static size_t number_bytes(double number)
{
    struct decision d = {.type = DO_JOB_DONE, .id = 1, .node = NODE_NONE};
    size_t without, with;
    expect(comes_back(&d, &without));
    d.why.count = 1;
    d.why.num[0] = number;
    expect(comes_back(&d, &with));
    return with - without;
}

TEST(journal_decision_numbers_are_exact)
{
    const double limit = 9007199254740992.0; /* 2^53 */
    expect(number_bytes(0.0) == 1);
    expect(number_bytes(-0.0) == 8);
    expect(number_bytes(63) == 1);
    expect(number_bytes(64) == 2);
    expect(number_bytes(-64) == 1);
    expect(number_bytes(0.5) == 8);
    expect(number_bytes(limit) == 8);
    expect(number_bytes(-limit) == 8);
    expect(number_bytes(limit * 2) == 8);
    expect(number_bytes(1e300) == 8);
    expect(number_bytes(INFINITY) == 8);
    expect(number_bytes(-INFINITY) == 8);
    expect(number_bytes(NAN) == 8);
    expect(number_bytes(-NAN) == 8);
    expect(number_bytes(5e-324) == 8);
}

TEST(journal_decision_shapes)
{
    unsigned char bytes[] = {DO_JOB_DONE, 1, 1, WHY_NONE, 1};
    struct decision d;
    struct wire_in in = {bytes, bytes + sizeof bytes, false, false};
    journal_decision_get(&in, &d);
    expect(!in.bad && d.why.count == 0);
    bytes[4] = 0; /* no stop bit */
    in = (struct wire_in){bytes, bytes + sizeof bytes, false, false};
    journal_decision_get(&in, &d);
    expect(in.bad);
    bytes[3] = WHY_CODE_END;
    bytes[4] = 1;
    in = (struct wire_in){bytes, bytes + sizeof bytes, false, false};
    journal_decision_get(&in, &d);
    expect(in.bad);

    unsigned char six[] = {DO_JOB_DONE, 1, 1, WHY_NONE, 1 << 6, 2, 4, 6, 8, 10, 12};
    in = (struct wire_in){six, six + sizeof six, false, false};
    journal_decision_get(&in, &d);
    expect(!in.bad && d.why.count == 6 && d.why.num[5] == 6);
}
