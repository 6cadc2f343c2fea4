/* repro_paper.c - reads published values and compares ours with them. */
#include "commands/reproduce/repro_paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool repro_paper_parse(const char *text, struct repro_paper *p)
{
    const char *number = text + strspn(text, "<>=~ "), *to = strstr(number, " to ");
    char first[64];
    bool below = *text == '<', above = *text == '>';

    *p = (struct repro_paper){.text = text};
    if (snprintf(first, sizeof first, "%.*s", to ? (int)(to - number) : (int)strlen(number),
                 number) >= (int)sizeof first ||
        !text_real(first, &p->low))
        return false;
    p->high = p->low;
    if (to && (below || above || !text_real(to + strlen(" to "), &p->high) || p->high < p->low))
        return false;
    if (below)
        p->low = -INFINITY;
    if (above)
        p->high = INFINITY;
    return true;
}

double repro_paper_difference(const struct repro_paper *p, double ours)
{
    if (!p->text || isnan(ours))
        return NAN;
    return ours < p->low ? ours - p->low : ours > p->high ? ours - p->high : 0;
}

double repro_paper_number(const struct repro_paper *p)
{
    if (!p->text)
        return NAN;
    if (isinf(p->low))
        return p->high;
    return isinf(p->high) ? p->low : (p->low + p->high) / 2;
}
