#include <string.h>

#include "base/text.h"
#include "tests/unit/test.h"

TEST(str_builds_text)
{
    struct str s = {0};
    str_cut(&s, 0);
    expect(s.text == NULL && s.length == 0);
    str_add(&s, "one");
    str_addf(&s, " %d %s", 2, "three");
    expect(!strcmp(s.text, "one 2 three"));
    expect(s.length == strlen(s.text));
    str_add_bytes(&s, "four", 0);
    str_add_bytes(&s, " four", 3);
    expect(!strcmp(s.text, "one 2 three fo") && s.length == strlen(s.text));
    str_free(&s);
    expect(s.text == NULL && s.length == 0 && s.cap == 0);
}

TEST(str_grows)
{
    struct str s = {0};
    for (int i = 0; i < 1000; i++)
        str_addf(&s, "%03d", i);
    expect(s.length == 3000 && strlen(s.text) == 3000);
    expect(!strncmp(s.text, "000001", 6) && !strcmp(s.text + 2994, "998999"));
    str_free(&s);
}

/* What is empty is there, and is not what was there before. */
TEST(str_empty_text_is_a_text)
{
    struct str s = {0}, formatted = {0}, bytes = {0};
    str_add(&s, "");
    expect(s.text && !*s.text);
    str_addf(&formatted, "%s", "");
    expect(formatted.text && !*formatted.text);
    str_add_bytes(&bytes, NULL, 0);
    expect(bytes.text && !*bytes.text);
    str_add(&s, "before");
    str_cut(&s, 3);
    expect(!strcmp(s.text, "bef"));
    str_cut(&s, 0);
    expect(!*s.text && s.length == 0);
    str_add(&s, "");
    expect(!*s.text);
    str_free(&s);
    str_free(&formatted);
    str_free(&bytes);
}

TEST(str_writes_the_shortest_number)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.1, "0.1"},      {1, "1"},
                {1e300, "1e+300"}, {0.1 + 0.2, "0.30000000000000004"},
                {-2.5, "-2.5"},    {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str s = {0};
        double again;
        str_add_real(&s, rows[i].value);
        expect(!strcmp(s.text, rows[i].text));
        expect(text_real(s.text, &again) && again == rows[i].value);
        str_free(&s);
    }
}

TEST(str_adds_a_size_in_the_largest_unit_that_divides_it)
{
    struct str s = {0};
    const int64_t sizes[] = {0, 1000, 1024, 1536, 3 << 20, 5ll << 40, (1ll << 60) + 1024};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        str_add(&s, " ");
        str_add_size(&s, sizes[i]);
    }
    expect(!strcmp(s.text, " 0 1000 1K 1536 3M 5T 1125899906842625K"));
    str_free(&s);
}
