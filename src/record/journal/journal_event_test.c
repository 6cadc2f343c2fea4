#include "record/journal/journal_event.h"

#include <string.h>

#include "base/hash.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/test.h"

enum { ROOM = 4096, DRAWS = 300 };

static struct wire_in input(const unsigned char *bytes, size_t length)
{
    return (struct wire_in){bytes, bytes + length, false, false};
}

static bool comes_back(const struct event *e)
{
    unsigned char out[ROOM];
    struct wire_scratch scratch = {0};
    struct event back;
    size_t n = (size_t)(journal_event_put(out, e, false) - out);
    struct wire_in in = input(out, n);
    journal_event_get(&in, &back, &scratch);
    bool ok = n <= journal_event_bound(e) && !in.bad && wire_left(&in) == 0 &&
              journal_sample_event_equal(e, &back);
    wire_scratch_reset(&scratch);
    return ok;
}

TEST(journal_event_comes_back)
{
    struct journal_sample s;
    journal_sample_init(&s, 1);
    for (uint8_t type = 1; type < EV_TYPE_END; type++)
        for (int i = 0; i < DRAWS; i++) {
            struct event e = journal_sample_event(&s, type);
            expect(comes_back(&e));
        }
}

/* All its numbers are threes, in each byte. */
static struct event event_of_threes(uint8_t type)
{
    static const struct output_partition partitions[3] = {{1, 2}, {3, 4}, {5, 6}};
    struct event e;
    memset(&e, 3, sizeof e);
    e.type = type;
    if (type == EV_NODE_UP)
        e.u.node.name = "node";
    else if (type == EV_RESOURCE)
        e.u.resource.name = "gpu";
    else if (type == EV_OUTPUT_READY)
        e.u.output.partition_count = 3, e.u.output.partitions = partitions;
    return e;
}

/* What comes back could have been written in another way, too: these bytes are those of
 * JOURNAL_VERSION, and other ones would be those of the next. */
TEST(journal_event_has_the_bytes_of_its_version)
{
    uint64_t hash = HASH_START;
    size_t all = 0;
    for (uint8_t type = 1; type < EV_TYPE_END; type++) {
        unsigned char out[ROOM];
        struct event e = event_of_threes(type);
        size_t n =
            type == EV_JOB_SUBMITTED ? 0 : (size_t)(journal_event_put(out, &e, false) - out);
        hash = hash_bytes(hash, out, n);
        all += n;
    }
    expect(JOURNAL_VERSION == 6 && all == 848 && hash == UINT64_C(0xe17df9dd3bffcb41));
}

TEST(journal_event_cut_short_is_bad)
{
    struct journal_sample s;
    journal_sample_init(&s, 2);
    for (uint8_t type = 1; type < EV_TYPE_END; type++)
        for (int i = 0; i < 10; i++) {
            unsigned char out[ROOM];
            struct event e = journal_sample_event(&s, type);
            size_t n = (size_t)(journal_event_put(out, &e, false) - out);
            for (size_t cut = 0; cut < n; cut++) {
                struct wire_scratch scratch = {0};
                struct wire_in in = input(out, cut);
                struct event cut_one;
                journal_event_get(&in, &cut_one, &scratch);
                /* How late a start was may be missing: it was not late then. */
                bool start = type == EV_ATTEMPT_STARTED && e.u.late_us > 0;
                expect(in.bad || (start && cut_one.u.late_us == 0 && cut_one.node.v == e.node.v));
                wire_scratch_reset(&scratch);
            }
        }
}

TEST(journal_event_unknown_numbers_are_bad)
{
    struct wire_scratch scratch = {0};
    struct event e;
    const unsigned char types[] = {0, EV_TYPE_END, 255};
    for (size_t i = 0; i < sizeof types; i++) {
        unsigned char bytes[64] = {types[i]};
        struct wire_in in = input(bytes, sizeof bytes);
        journal_event_get(&in, &e, &scratch);
        expect(in.bad);
    }
    unsigned char cause[] = {EV_NODE_DOWN, 1, CAUSE_END - 1, 0};
    struct wire_in in = input(cause, sizeof cause);
    journal_event_get(&in, &e, &scratch);
    expect(!in.bad && e.cause == CAUSE_END - 1 && e.node.v == 0);
    cause[2] = CAUSE_END;
    in = input(cause, sizeof cause);
    journal_event_get(&in, &e, &scratch);
    expect(in.bad);
}

TEST(journal_event_is_compact)
{
    unsigned char out[ROOM];
    struct event e = {.type = EV_ATTEMPT_STARTED, .at = {{1000}, 99, 1, 0}, .node = {200}};
    expect(journal_event_put(out, &e, false) - out == 15);
}

TEST(journal_event_claimed_parts_cost_nothing)
{
    unsigned char out[ROOM], *p = out;
    struct wire_scratch scratch = {0};
    struct event e;
    *p++ = EV_OUTPUT_READY;
    p = wire_put_at(p, (struct attempt_ref){{1}, 1, 1, 1});
    p = wire_put_node(p, NODE_NONE);
    p = wire_put_int(p, 0);
    p = wire_put_fixed64(p, 0);
    p = wire_put_uint(p, UINT32_MAX);
    *p++ = 1;
    struct wire_in in = input(out, (size_t)(p - out));
    journal_event_get(&in, &e, &scratch);
    expect(in.bad && scratch.blocks.count == 0);
    wire_scratch_reset(&scratch);
}
