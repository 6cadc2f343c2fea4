#include "commands/reproduce/repro_paper.h"

#include <math.h>
#include <stddef.h>

#include "tests/unit/test.h"

TEST(repro_paper_reads_numbers_ranges_and_bounds)
{
    static const struct {
        const char *text;
        double low, high, number;
    } cases[] = {
        {"46", 46, 46, 46},      {"~50", 50, 50, 50},          {"-1.5", -1.5, -1.5, -1.5},
        {"6 to 8", 6, 8, 7},     {"<= 27", -INFINITY, 27, 27}, {"< 5", -INFINITY, 5, 5},
        {"> 0", 0, INFINITY, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct repro_paper p;
        expect(repro_paper_parse(cases[i].text, &p));
        expect(p.low == cases[i].low && p.high == cases[i].high);
        expect(repro_paper_number(&p) == cases[i].number);
    }
}

TEST(repro_paper_refuses_what_is_no_value)
{
    static const char *const bad[] = {"", "many", "8 to 6", "> 6 to 8", "6 to", "6 to x", "nan"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct repro_paper p;
        expect(!repro_paper_parse(bad[i], &p));
    }
}

TEST(repro_paper_difference_is_zero_inside)
{
    struct repro_paper p, none = {0};

    expect(repro_paper_parse("6 to 8", &p));
    expect(repro_paper_difference(&p, 5) == -1 && repro_paper_difference(&p, 6) == 0);
    expect(repro_paper_difference(&p, 8) == 0 && repro_paper_difference(&p, 10) == 2);
    expect(isnan(repro_paper_difference(&p, (double)NAN)));
    expect(repro_paper_parse("> 0", &p));
    expect(repro_paper_difference(&p, 1e9) == 0 && repro_paper_difference(&p, -2) == -2);
    expect(isnan(repro_paper_difference(&none, 1)) && isnan(repro_paper_number(&none)));
}
