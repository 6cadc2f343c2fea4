#include "jobs/args/halt.h"

#include <string.h>

#include "base/text.h"

enum { HALT_FAILED_MAX = 101 };

static bool halt_number(const char *text, struct halt *h)
{
    int64_t whole;

    if (!text_percent(text, &h->number, &h->percent) || h->number <= 0)
        return false;
    return h->percent ? h->number <= 100 : text_int(text, &whole);
}

int halt_parse(const char *text, struct halt *h, struct err *err)
{
    static const char *const whats[] = {"fail=", "success=", "done="};
    const char *rest = text;

    *h = (struct halt){.number = 1};
    if (strcmp(text, "never") == 0 || strcmp(text, "0") == 0)
        return 0;
    h->when = HALT_SOON;
    if (strcmp(text, "1") == 0)
        return 0;
    if (strcmp(text, "2") == 0) {
        h->when = HALT_NOW;
        return 0;
    }
    if (strcmp(text, "-1") == 0 || strcmp(text, "-2") == 0) {
        h->when = text[1] == '1' ? HALT_SOON : HALT_NOW;
        h->what = HALT_SUCCESS;
        return 0;
    }
    if (strchr(text, '%') && halt_number(text, h))
        return 0;
    if (strncmp(rest, "now,", 4) == 0)
        h->when = HALT_NOW;
    else if (strncmp(rest, "soon,", 5) != 0)
        rest = "";
    rest = *rest ? strchr(rest, ',') + 1 : rest;
    for (int i = HALT_FAIL; i <= HALT_DONE; i++) {
        size_t length = strlen(whats[i]);
        h->what = (enum halt_what)i;
        if (strncmp(rest, whats[i], length) == 0 && halt_number(rest + length, h))
            return 0;
    }
    return err_set(err,
                   "--halt: expected never, or now or soon with fail, success or done = N or N%%, "
                   "such as now,fail=1, not '%s'",
                   text);
}

/* How many tasks it takes. */
static double halt_number_of(const struct halt *h, uint64_t tasks)
{
    return h->percent ? h->number * (double)tasks / 100 : h->number;
}

bool halt_reached(const struct halt *h, uint64_t succeeded, uint64_t failed, uint64_t tasks)
{
    uint64_t have = h->what == HALT_FAIL      ? failed
                    : h->what == HALT_SUCCESS ? succeeded
                                              : failed + succeeded;

    return h->when != HALT_NEVER && have > 0 && (double)have >= halt_number_of(h, tasks);
}

int halt_status(const struct halt *h, uint64_t failed, uint64_t tasks, int last_status)
{
    if (h->what == HALT_SUCCESS)
        return 0;
    if (halt_number_of(h, tasks) == 1)
        return last_status;
    if (h->percent)
        return (int)((failed * 100 + tasks - 1) / tasks);
    return failed > HALT_FAILED_MAX ? HALT_FAILED_MAX : (int)failed;
}
