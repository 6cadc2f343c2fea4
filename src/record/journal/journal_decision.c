/* Decisions on the wire: type, id, the common fields that the type uses, its own, then the reason.
 *
 * The numbers of a reason are doubles, but most are counts. A double that holds a whole number is
 * written as an integer, any other as its eight bytes: short, and exact to the bit, also for -0,
 * infinities and NaN. Which is which, and how many there are, stands in one byte, the shape: bit i
 * is set if number i is raw, and the bit above the last number is set as a stop. Text ("%.17g") was
 * rejected: slower, longer, and it needs a locale. */
#include "record/journal/journal_decision.h"

#include "base/check.h"
#include "record/journal/journal_fields.h"

/* Type, id, kind, replica, attempt, node, a read, the reason's code and shape, six numbers. */
_Static_assert(1 + WIRE_U64_MAX + 1 + WIRE_U16_MAX + WIRE_AT_BYTES + WIRE_U32_MAX + WIRE_AT_BYTES +
                       1 + WIRE_U16_MAX + 1 + REASON_NUMBERS_MAX * WIRE_U64_MAX <=
                   JOURNAL_DECISION_MAX,
               "a decision fits");

static const uint8_t fields[DO_TYPE_END] = {
    [DO_LAUNCH] = JOURNAL_AT | JOURNAL_NODE,
    [DO_WITHDRAW] = JOURNAL_AT,
    [DO_KILL] = JOURNAL_AT,
    [DO_COMMIT] = JOURNAL_AT,
    [DO_ASSIGN_READ] = JOURNAL_AT,
    [DO_DISCARD_OUTPUT] = JOURNAL_AT,
    [DO_REPLICATE] = JOURNAL_AT | JOURNAL_NODE,
    [DO_AVOID_NODE] = JOURNAL_NODE,
    [DO_SET_TIMER] = 0,
    [DO_VERDICT] = JOURNAL_AT,
    [DO_JOB_DONE] = JOURNAL_JOB,
    [DO_JOB_FAILED] = JOURNAL_AT, /* the phase or task that could not be done */
};

unsigned journal_decision_fields(uint8_t type)
{
    return type < DO_TYPE_END ? fields[type] : 0;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Whether the double is exactly some integer of at most 53 bits. -0 is not: its sign would be lost.
 */
static bool is_whole(double d)
{
    const double limit = 9007199254740992.0; /* 2^53 */
    return d >= -limit && d <= limit && bits_of((double)(int64_t)d) == bits_of(d);
}

static unsigned char *put_number(unsigned char *p, unsigned char *shape, unsigned i, double d)
{
    if (is_whole(d))
        return wire_put_int(p, (int64_t)d);
    *shape |= (unsigned char)(1u << i);
    return wire_put_fixed64(p, bits_of(d));
}

/* Most reasons have no numbers, and most numbers are 0: these two are on the way of everything. */
static unsigned char *put_reason(unsigned char *p, const struct reason *why)
{
    unsigned count = why->count;
    check(why->code < WHY_CODE_END);
    p = wire_put_uint(p, why->code);
    unsigned char *shape = p++;
    if (count == 0) {
        *shape = 1;
        return p;
    }
    check(count <= REASON_NUMBERS_MAX);
    *shape = (unsigned char)(1u << count);
    for (unsigned i = 0; i < count; i++) {
        if (bits_of(why->num[i]) == 0)
            *p++ = 0;
        else
            p = put_number(p, shape, i, why->num[i]);
    }
    return p;
}

static void get_reason(struct wire_in *in, struct reason *why)
{
    why->code = (uint16_t)wire_get_max(in, WHY_CODE_END - 1);
    unsigned shape = wire_get_enum(in, 2u << REASON_NUMBERS_MAX);
    if (shape == 0) {
        wire_spoil(in);
        return;
    }
    while (shape >> (why->count + 1))
        why->count++;
    for (unsigned i = 0; i < why->count; i++) {
        if (shape >> i & 1) {
            uint64_t bits = wire_get_fixed64(in);
            memcpy(&why->num[i], &bits, sizeof bits);
        } else {
            why->num[i] = (double)wire_get_int(in);
        }
    }
}

#define wire_launch_kind(w, v) wire_enum(w, v, LAUNCH_KIND_END)
#define wire_flag(w, v) wire_enum(w, v, 2)

/* All but type and reason. */
WIRE_BOTH all_fields(struct wire *w, uint8_t type, struct decision *d)
{
    wire_uint(w, &d->id);
    journal_event_common(w, fields[type], &d->at, &d->node);
#define CASE(type) case type:
#define FIELD(wire, json, member, key) wire_##wire(w, &d->member);
#define LAST(...)                                                                                  \
    FIELD(__VA_ARGS__)                                                                             \
    return;
    switch ((enum decision_type)type) {
        JOURNAL_DECISION_FIELDS(CASE, FIELD, LAST)
    default:
        return; /* the common fields say it all */
    }
#undef CASE
#undef FIELD
#undef LAST
}

static inline __attribute__((always_inline)) unsigned char *put(unsigned char *p, uint8_t type,
                                                                const struct decision *d)
{
    struct wire w = {.out = p};
    *w.out++ = type;
    all_fields(&w, type, (struct decision *)(uintptr_t)d); /* writing leaves it as it is */
    return put_reason(w.out, &d->why);
}

/* Of the most frequent types it is known in advance which fields they have. */
unsigned char *journal_decision_put(unsigned char *p, const struct decision *d)
{
    switch (d->type) {
    case DO_LAUNCH:
        check(d->kind < LAUNCH_KIND_END);
        return put(p, DO_LAUNCH, d);
    case DO_COMMIT:
        return put(p, DO_COMMIT, d);
    case DO_ASSIGN_READ:
        return put(p, DO_ASSIGN_READ, d);
    default:
        check(decision_is_type(d->type));
        return put(p, d->type, d);
    }
}

void journal_decision_get(struct wire_in *in, struct decision *d)
{
    struct wire w = {.in = in};
    *d = (struct decision){.type = wire_get_enum(in, DO_TYPE_END), .node = NODE_NONE};
    if (!decision_is_type(d->type))
        wire_spoil(in);
    all_fields(&w, d->type, d);
    get_reason(in, &d->why);
}
