/* param.c - turning `beta=0.05` into a field of a policy's parameters.
 *
 * A value is checked completely before anything is written, and every refusal names the parameter,
 * what was given and what would be right: `beta=1.5: must be between 0 and 1`. Times are compared
 * in seconds, as the table writes its limits, but stored in microseconds. */
#include "brain/param.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

#define US_PER_S 1e6

static void *field(const struct param *p, void *values)
{
    return (char *)values + p->offset;
}

/* The refusal of a number; `kind` is "", or a noun with a blank behind it when even that was wrong.
 */
static int refuse(const struct param *p, const char *text, const char *kind, struct err *err)
{
    const char *unit = p->type == PARAM_TIME || p->type == PARAM_WAIT ? "s" : "";
    if (p->max > DBL_MAX)
        return err_set(err, "%s=%s: must be %sat least %.10g%s", p->name, text, kind, p->min, unit);
    return err_set(err, "%s=%s: must be %sbetween %.10g%s and %.10g%s", p->name, text, kind, p->min,
                   unit, p->max, unit);
}

static int set_real(const struct param *p, void *values, const char *text, struct err *err)
{
    double value;
    if (!text_real(text, &value))
        return refuse(p, text, "a number ", err);
    if (value < p->min || value > p->max)
        return refuse(p, text, "", err);
    memcpy(field(p, values), &value, sizeof value);
    return 0;
}

static int set_int(const struct param *p, void *values, const char *text, struct err *err)
{
    int64_t value;
    if (!text_int(text, &value))
        return refuse(p, text, "a whole number ", err);
    if ((double)value < p->min || (double)value > p->max)
        return refuse(p, text, "", err);
    memcpy(field(p, values), &value, sizeof value);
    return 0;
}

static int set_time(const struct param *p, void *values, const char *text, struct err *err)
{
    int64_t us;
    if (!text_duration(text, &us))
        return refuse(p, text, "a time (such as 250ms, 1.5s, 2h) ", err);
    if ((double)us / US_PER_S < p->min || (double)us / US_PER_S > p->max)
        return refuse(p, text, "", err);
    memcpy(field(p, values), &us, sizeof us);
    return 0;
}

static int set_wait(const struct param *p, void *values, const char *text, struct err *err)
{
    int64_t value;
    if (strcmp(text, "auto") == 0)
        value = PARAM_AUTO;
    else if (strcmp(text, "inf") == 0)
        value = PARAM_FOREVER;
    else
        return set_time(p, values, text, err);
    memcpy(field(p, values), &value, sizeof value);
    return 0;
}

/* "a|b|c" as "a, b or c". */
static void describe_choices(struct str *s, const char *choices)
{
    for (const char *from = choices;;) {
        int length = (int)strcspn(from, "|");
        str_addf(s, "%.*s", length, from);
        if (!from[length])
            return;
        from += length + 1;
        str_add(s, strchr(from, '|') ? ", " : " or ");
    }
}

static int set_choice(const struct param *p, void *values, const char *text, struct err *err)
{
    size_t wanted = strlen(text);
    int index = 0;
    for (const char *from = p->choices;; index++) {
        size_t length = strcspn(from, "|");
        if (length == wanted && !memcmp(from, text, length)) {
            memcpy(field(p, values), &index, sizeof index);
            return 0;
        }
        if (!from[length])
            break;
        from += length + 1;
    }
    struct str list = {0};
    describe_choices(&list, p->choices);
    err_set(err, "%s=%s: must be %s", p->name, text, list.text);
    str_free(&list);
    return -1;
}

int param_set(const struct param *p, void *values, const char *text, struct err *err)
{
    switch (p->type) {
    case PARAM_REAL:
        return set_real(p, values, text, err);
    case PARAM_INT:
        return set_int(p, values, text, err);
    case PARAM_TIME:
        return set_time(p, values, text, err);
    case PARAM_WAIT:
        return set_wait(p, values, text, err);
    case PARAM_CHOICE:
        break;
    }
    check(p->type == PARAM_CHOICE);
    return set_choice(p, values, text, err);
}

void param_defaults(const struct param *table, void *values)
{
    struct err err;
    for (const struct param *p = table; p->name; p++)
        check(param_set(p, values, p->fallback, &err) == 0);
}

const struct param *param_find(const struct param *table, const char *name)
{
    for (const struct param *p = table; p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

void param_text(const struct param *p, const void *values, struct str *out)
{
    const void *at = (const char *)values + p->offset;
    if (p->type == PARAM_REAL) {
        double value;
        memcpy(&value, at, sizeof value);
        str_addf(out, "%.17g", value);
    } else if (p->type == PARAM_CHOICE) {
        int index;
        memcpy(&index, at, sizeof index);
        const char *from = p->choices;
        for (; index > 0; index--)
            from = strchr(from, '|') + 1;
        str_addf(out, "%.*s", (int)strcspn(from, "|"), from);
    } else {
        int64_t value;
        memcpy(&value, at, sizeof value);
        if (p->type == PARAM_WAIT && (value == PARAM_AUTO || value == PARAM_FOREVER))
            str_add(out, value == PARAM_AUTO ? "auto" : "inf");
        else
            str_addf(out, "%lld%s", (long long)value, p->type == PARAM_INT ? "" : "us");
    }
}
