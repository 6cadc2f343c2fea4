#include "ui/words.h"

#include <string.h>

#include "tests/test.h"

TEST(words_span_is_exact_below_ten_minutes)
{
    expect(strcmp(words_span(599900000).text, "599.9 s") == 0);
    expect(strcmp(words_span(600000000).text, "10 min") == 0);
    expect(strcmp(words_span(3600000000 + 120000000).text, "1 h 2 min") == 0);
}

TEST(words_number_has_no_powers_of_ten)
{
    expect(strcmp(words_number(120834.4, 4).text, "120834") == 0);
    expect(strcmp(words_number(0.12345, 3).text, "0.123") == 0);
    expect(strcmp(words_number(12345.6, 3).text, "12346") == 0);
    expect(strcmp(words_number(120834567, 3).text, "120834567") == 0);
    expect(strcmp(words_number(9.99, 2).text, "10") == 0);
}
