/* feed.c - how fast traces are read, from bytes to rows, without sorting or making jobs of them.
 *
 *     feed FILE    prints seconds of CPU */
#include <stdio.h>
#include <time.h>

#include "inputs/formats/formats.h"
#include "inputs/trace/feed.h"

static int count_row(void *rows, const struct row *row, struct err *err)
{
    (void)row;
    (void)err;
    ++*(uint64_t *)rows;
    return 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "-";
    struct import_options options = {.formats = formats_table, .paths = &path, .path_count = 1};
    struct trouble trouble = {0};
    struct err err;
    uint64_t rows = 0;
    struct feed *f = feed_create(&options, &trouble, NULL, count_row, &rows);
    int got;

    while ((got = feed_step(f, &err)) > 0)
        continue;
    feed_destroy(f);
    trouble_fini(&trouble);
    if (got < 0 || rows == 0) {
        fprintf(stderr, "feed: %s\n", got < 0 ? err.text : "no rows");
        return 1;
    }
    printf("%.6f\n", (double)clock() / CLOCKS_PER_SEC);
    return 0;
}
