#include "data/line_ends.h"

#include <string.h>

#include "base/text.h"
#include "tests/unit/test.h"

static void add(struct str *to, const char *at, int64_t count)
{
    str_add_bytes(to, at, (size_t)count);
}

/* What becomes of a file that comes in three pieces, wherever it is cut. */
static bool becomes(bool always, bool drops_cr, const char *text, size_t length, const char *want,
                    size_t wanted)
{
    bool good = true;

    for (size_t first = 0; first <= length; first++)
        for (size_t second = first; second <= length; second++) {
            struct line_ends e = {.always = always, .drops_cr = drops_cr};
            const size_t cuts[] = {0, first, second, length};
            struct str all = {0};
            for (int i = 0; i < 3; i++) {
                const char *at = text + cuts[i];
                int64_t count = line_ends_pass(&e, &at, (int64_t)(cuts[i + 1] - cuts[i]));
                add(&all, at, count);
            }
            const char *at;
            int64_t count = line_ends_finish(&e, &at);
            add(&all, at, count);
            good &= all.length == wanted && (wanted == 0 || memcmp(all.text, want, wanted) == 0);
            str_free(&all);
            vec_free(&e.copy);
        }
    return good;
}
#define BECOMES(always, drops, text, want)                                                         \
    expect(becomes(always, drops, text, sizeof text - 1, want, sizeof want - 1))

TEST(line_ends_ends_the_last_line)
{
    BECOMES(false, false, "a\nb", "a\nb\n");
    BECOMES(false, false, "a\nb\n", "a\nb\n");
    BECOMES(false, false, "\n", "\n");
    BECOMES(false, false, "", "");
    BECOMES(false, false, "a\r\nb\r", "a\r\nb\r\n");
}

TEST(line_ends_leaves_what_is_no_text)
{
    struct line_ends e = {0};
    const char *at = "a\0b";

    expect(line_ends_pass(&e, &at, 3) == 3 && line_ends_finish(&e, &at) == 0);
    at = "text"; /* the next file is judged by itself */
    expect(line_ends_pass(&e, &at, 4) == 4 && line_ends_finish(&e, &at) == 1 && *at == '\n');
    expect(line_ends_finish(&e, &at) == 0); /* nothing has come */
    e.always = true;
    at = "a\0b";
    expect(line_ends_pass(&e, &at, 3) == 3 && line_ends_finish(&e, &at) == 1);
}

TEST(line_ends_drops_cr_before_lf_only)
{
    BECOMES(true, true, "a\r\nb\r\n", "a\nb\n");
    BECOMES(true, true, "a\rb\r\r\nc", "a\rb\r\nc\n");
    BECOMES(true, true, "\r\n\r\n", "\n\n");
    BECOMES(true, true, "a\r", "a\n"); /* CR ends a line, too, and there is nothing behind it */
    BECOMES(true, true, "\ra", "\ra\n");
}

TEST(line_ends_counts_lines)
{
    char bytes[1000];

    expect(line_ends_count("", 0) == 0 && line_ends_count("a\nb", 3) == 1);
    memset(bytes, '\n', sizeof bytes);
    for (size_t n = 0; n <= sizeof bytes; n++)
        expect(line_ends_count(bytes, n) == n);
}
