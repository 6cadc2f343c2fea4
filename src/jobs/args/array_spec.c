#include "jobs/args/array_spec.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/model/job.h"

static bool take_number(const char **at, int64_t *value)
{
    char *end;

    if (**at < '0' || **at > '9')
        return false;
    long long v = strtoll(*at, &end, 10);
    if (end - *at > 18)
        return false;
    *at = end;
    *value = v;
    return true;
}

/* One of `5`, `1-9`, `1-9:2`. */
static bool take_range(const char **at, struct array_range *r)
{
    int64_t to;

    if (!take_number(at, &r->from))
        return false;
    r->step = 1;
    to = r->from;
    if (**at == '-') {
        ++*at;
        if (!take_number(at, &to) || to < r->from)
            return false;
        if (**at == ':') {
            ++*at;
            if (!take_number(at, &r->step) || r->step < 1)
                return false;
        }
    }
    r->count = (uint64_t)(to - r->from) / (uint64_t)r->step + 1;
    return true;
}

int array_spec_parse(struct array_spec *a, const char *text, struct err *err)
{
    const char *at = text;
    struct array_range r;
    int64_t limit;

    *a = (struct array_spec){.min = INT64_MAX, .max = INT64_MIN};
    do {
        if (!take_range(&at, &r))
            return err_set(err,
                           "--array: expected a list such as 0-99%%10, 1-7:2 or 1,3,5, not "
                           "'%s'",
                           text);
        int64_t last = r.from + (int64_t)(r.count - 1) * r.step;
        a->min = r.from < a->min ? r.from : a->min;
        a->max = last > a->max ? last : a->max;
        a->count += r.count;
        if (a->count > JOB_TASKS_MAX)
            return err_set(err, "--array %s has more than %d indices", text, JOB_TASKS_MAX);
        vec_push(&a->ranges, r);
    } while (*at == ',' && *++at);
    a->step = a->ranges.at[0].step;
    if (*at == '%') {
        at++;
        if (!take_number(&at, &limit) || limit < 1 || limit > UINT32_MAX)
            return err_set(err, "--array %s: expected how many tasks may run at once after %%",
                           text);
        a->running_max = (uint32_t)limit;
    }
    if (*at || at[-1] == ',')
        return err_set(err, "--array: expected a list such as 0-99%%10, 1-7:2 or 1,3,5, not '%s'",
                       text);
    return 0;
}

int64_t array_spec_at(const struct array_spec *a, uint64_t i)
{
    uint32_t k = 0;

    check(i < a->count);
    while (i >= a->ranges.at[k].count)
        i -= a->ranges.at[k++].count;
    return a->ranges.at[k].from + (int64_t)i * a->ranges.at[k].step;
}
