/* repro_paper.h - a published value: a number, a range, or a bound. */
#pragma once

#include <stdbool.h>

struct repro_paper {
    const char *text; /* as written, borrowed; NULL: nothing published */
    double low, high; /* equal for one number; infinite where a bound is open */
};

/* Reads for example 46, ~50, 6 to 8, <= 27 or > 0. Returns false if the text is none of these. */
bool repro_paper_parse(const char *text, struct repro_paper *p);

/* Returns the difference of `ours` to the published number: 0 inside a range or bound; NaN without
 * either. */
double repro_paper_difference(const struct repro_paper *p, double ours);

/* Returns one number for it: the value, the bound, or the middle of a range; NaN without text. */
double repro_paper_number(const struct repro_paper *p);
