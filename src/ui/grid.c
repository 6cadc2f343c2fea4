#include "ui/grid.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "ui/wrap.h"

enum { COLUMNS_MAX = 32 };

void grid_cell(struct grid *t, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&t->cells, mem_strdup(text));
}

void grid_row(struct grid *t)
{
    vec_push(&t->cells, NULL);
}

void grid_texts(struct grid *t, const char *const *texts)
{
    for (; *texts; texts++)
        grid_cell(t, "%s", *texts);
    grid_row(t);
}

/* The number of columns, from the left, that fit; of `count`. */
static int fitting(const int *widest, int count, int columns)
{
    int fit = 1;

    for (int used = widest[0]; fit < count && used + 2 + widest[fit] <= columns; fit++)
        used += 2 + widest[fit];
    return fit;
}

int grid_print_within(const struct grid *t, int columns)
{
    int widest[COLUMNS_MAX] = {0};
    int column = 0, count = 1;

    for (uint32_t i = 0; i < t->cells.count; i++) {
        if (!t->cells.at[i]) {
            column = 0;
            continue;
        }
        check(column < COLUMNS_MAX);
        if (column == 0 && !t->cells.at[i + 1])
            continue; /* a title: it has the line to itself */
        int w = wrap_columns(t->cells.at[i], strlen(t->cells.at[i]));
        widest[column] = w > widest[column] ? w : widest[column];
        column++;
        count = column > count ? column : count;
    }
    int fit = fitting(widest, count, columns);
    column = 0;
    for (uint32_t i = 0; i < t->cells.count; i++) {
        const char *cell = t->cells.at[i];
        if (!cell) {
            putchar('\n');
            column = 0;
        } else if (column == 0) {
            /* No blanks at the end of a line of one cell. */
            bool last = !t->cells.at[i + 1];
            printf("%s%*s", cell, last ? 0 : widest[0] - wrap_columns(cell, strlen(cell)), "");
            column++;
        } else if (column < fit) {
            printf("  %*s%s", widest[column] - wrap_columns(cell, strlen(cell)), "", cell);
            column++;
        }
    }
    return count - fit;
}

void grid_print(const struct grid *t)
{
    (void)grid_print_within(t, INT_MAX);
}

void grid_fini(struct grid *t)
{
    vec_free_each(&t->cells);
}
