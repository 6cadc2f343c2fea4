#include "inputs/config/names.h"

#include <stdio.h>

#include "tests/unit/test.h"

TEST(names_are_found_again)
{
    enum { COUNT = 5000 };
    static char text[COUNT][8];
    struct names n = {0};
    expect(names_find(&n, "n1") == UINT32_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "n%u", i);
        expect(names_add(&n, text[i], i) == UINT32_MAX);
    }
    expect(names_add(&n, "n17", 3) == 17);
    expect(n.count == COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        expect(names_find(&n, text[i]) == i);
    expect(names_find(&n, "n5000") == UINT32_MAX && names_find(&n, "") == UINT32_MAX);
    names_fini(&n);
    expect(names_find(&n, "n1") == UINT32_MAX);
    expect(names_add(&n, "again", 0) == UINT32_MAX && names_find(&n, "again") == 0);
    names_fini(&n);
}
