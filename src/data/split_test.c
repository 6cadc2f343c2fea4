#include "data/split.h"

#include <stdio.h>
#include <string.h>

#include "tests/test.h"

/* Where each piece of `bytes` would begin. */
TEST(split_bounds_are_beginnings_of_lines)
{
    static const char text[] = "ab\n\ncde\nf"; /* lines begin at 0, 3, 4, 8 */
    static const int64_t want[] = {0, 3, 3, 3, 4, 8, 8, 8, 8, 9};
    struct err err;
    FILE *f = tmpfile();

    expect(f && fputs(text, f) >= 0 && fflush(f) == 0);
    for (uint64_t from = 0; from <= strlen(text); from++)
        expect(split_line_start(fileno(f), "f", strlen(text), from, &err) == want[from]);
    expect(split_line_start(fileno(f), "f", 100, 9, &err) < 0);
    expect(strcmp(err.text, "f: it became shorter while it was read") == 0);
    fclose(f);
}
