#include "commands/watch/metrics.h"

#include <string.h>

#include "tests/unit/test.h"

static bool label_is(const char *text, const char *want)
{
    struct str out = {0};

    metrics_label(text, &out);
    bool same = strcmp(out.text, want) == 0;
    str_free(&out);
    return same;
}

TEST(metrics_labels_are_escaped_and_cut)
{
    char text[80], want[80];

    expect(label_is("", "") && label_is("map", "map"));
    expect(label_is("a\"b\\c\nd", "a\\\"b\\\\c\\nd"));
    memset(text, 'x', 70);
    text[70] = '\0';
    memset(want, 'x', METRICS_LABEL_BYTES);
    want[METRICS_LABEL_BYTES] = '\0';
    expect(label_is(text, want));
    memcpy(text + METRICS_LABEL_BYTES - 1, "\xc3\xa4", 2); /* does not fit as a whole */
    want[METRICS_LABEL_BYTES - 1] = '\0';
    expect(label_is(text, want));
}
