#include "ui/grid.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

static bool prints(const struct grid *g, const char *expected)
{
    struct capture c;
    capture_begin(&c, STDOUT_FILENO);
    grid_print(g);
    char *text = capture_end(&c);
    bool same = strcmp(text, expected) == 0;
    mem_free(text);
    return same;
}

TEST(grid_aligns_columns_by_what_is_seen)
{
    struct grid g = {0};
    expect(prints(&g, ""));
    grid_cell(&g, "policy");
    grid_cell(&g, "mean");
    grid_cell(&g, "p99");
    grid_row(&g);
    grid_cell(&g, "a title that is wider than all columns of the table");
    grid_row(&g);
    grid_cell(&g, "%s", "é"); /* one column, two bytes */
    grid_cell(&g, "%d", 12345);
    grid_cell(&g, "%s", "±1");
    grid_row(&g);
    grid_cell(&g, "alone");
    grid_row(&g);
    grid_row(&g);
    grid_cell(&g, "dolly+late");
    grid_cell(&g, "1");
    grid_cell(&g, "%s", "");
    grid_row(&g);
    expect(prints(&g, "policy       mean  p99\n"
                      "a title that is wider than all columns of the table\n"
                      "é           12345   ±1\n"
                      "alone\n"
                      "\n"
                      "dolly+late      1     \n"));
    grid_fini(&g);
}

static bool prints_within(const struct grid *g, int columns, int left_out, const char *expected)
{
    struct capture c;
    capture_begin(&c, STDOUT_FILENO);
    int got = grid_print_within(g, columns);
    char *text = capture_end(&c);
    bool same = strcmp(text, expected) == 0 && got == left_out;
    mem_free(text);
    return same;
}

TEST(grid_leaves_out_columns_that_do_not_fit)
{
    struct grid g = {0};
    grid_cell(&g, "policy");
    grid_cell(&g, "mean");
    grid_cell(&g, "p99");
    grid_row(&g);
    grid_cell(&g, "a title");
    grid_row(&g);
    grid_cell(&g, "none");
    grid_cell(&g, "1 ±1");
    grid_cell(&g, "2");
    grid_row(&g);
    expect(prints_within(&g, 17, 0, "policy  mean  p99\na title\nnone    1 ±1    2\n"));
    expect(prints_within(&g, 16, 1, "policy  mean\na title\nnone    1 ±1\n"));
    expect(prints_within(&g, 12, 1, "policy  mean\na title\nnone    1 ±1\n"));
    expect(prints_within(&g, 11, 2, "policy\na title\nnone  \n"));
    expect(prints_within(&g, 0, 2, "policy\na title\nnone  \n"));
    grid_fini(&g);
}
