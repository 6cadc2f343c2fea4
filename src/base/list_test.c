#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/test.h"

enum { NONE = 0 };

struct list_item {
    uint32_t before, after;
};

static bool list_is(const struct list_item *at, uint32_t head, const uint32_t *want)
{
    uint32_t last = NONE;
    for (; head != NONE; last = head, head = at[head].after)
        if (head != *want++ || at[head].before != last)
            return false;
    return *want == NONE;
}

TEST(list_keeps_order_and_links_whichever_leaves)
{
    struct list_item at[5] = {{0}};
    uint32_t head = NONE;
    for (uint32_t i = 1; i < 5; i++)
        list_push(at, head, i, before, after, NONE);
    expect(list_is(at, head, (uint32_t[]){4, 3, 2, 1, NONE}));
    list_remove(at, head, 3, before, after, NONE); /* in the middle */
    expect(list_is(at, head, (uint32_t[]){4, 2, 1, NONE}));
    list_remove(at, head, 4, before, after, NONE); /* the first */
    expect(list_is(at, head, (uint32_t[]){2, 1, NONE}));
    list_remove(at, head, 1, before, after, NONE); /* the last */
    expect(list_is(at, head, (uint32_t[]){2, NONE}));
    list_remove(at, head, head, before, after, NONE); /* it changes meanwhile */
    expect(head == NONE);
}
