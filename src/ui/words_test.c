#include "ui/words.h"

#include <string.h>

#include "tests/test.h"

TEST(words_span_is_exact_below_ten_minutes)
{
    expect(strcmp(words_span(599900000).text, "599.9 s") == 0);
    expect(strcmp(words_span(600000000).text, "10 min") == 0);
    expect(strcmp(words_span(3600000000 + 120000000).text, "1 h 2 min") == 0);
}
