#include "core/parts/param.h"

#include <float.h>

#include "base/check.h"

/* What a parameter is, where even that was wrong. */
static const char *const nouns[] = {[FIELD_REAL] = "a number ",
                                    [FIELD_INT] = "a whole number ",
                                    [FIELD_TIME] = "a time (such as 250ms, 1.5s, 2h) ",
                                    [FIELD_WAIT] = "a time (such as 250ms, 1.5s, 2h) "};

static int refuse_choice(const struct field *p, const char *text, struct err *err)
{
    struct str list = {0};
    field_want(p, &list);
    err_set(err, "%s=%s: must be %s", p->name, text, list.text);
    str_free(&list);
    return -1;
}

static int take_own(const struct field *p, void *values, const char *text, struct err *err)
{
    struct err why;
    if (p->take((char *)values + p->offset, text, &why) == 0)
        return 0;
    return err_set(err, "%s: %s", p->name, why.text);
}

static void add_bound(const struct field *p, double value, struct str *out)
{
    bool time = p->type == FIELD_TIME || p->type == FIELD_WAIT, tiny = value > 0 && value < 1e-3;
    str_addf(out, "%.10g%s", time && tiny ? value * 1e6 : value, !time ? "" : tiny ? "us" : "s");
}

void param_range(const struct field *p, const char *to, struct str *out)
{
    add_bound(p, p->min, out);
    if (p->max > DBL_MAX) {
        str_add(out, " or more");
        return;
    }
    str_add(out, to);
    add_bound(p, p->max, out);
}

int param_set(const struct field *p, void *values, const char *text, struct err *err)
{
    if (p->type == FIELD_OWN)
        return take_own(p, values, text, err);
    enum field_fault fault = field_read(p, text, (char *)values + p->offset);

    if (fault == FIELD_FINE)
        return 0;
    if (p->type == FIELD_CHOICE)
        return refuse_choice(p, text, err);
    struct str range = {0};
    param_range(p, " and ", &range);
    err_set(err, "%s=%s: must be %s%s%s", p->name, text,
            fault == FIELD_MALFORMED ? nouns[p->type] : "", p->max > DBL_MAX ? "" : "between ",
            range.text);
    str_free(&range);
    return -1;
}

void param_defaults(const struct field *table, void *values)
{
    struct err err;
    for (const struct field *p = table; p->name; p++)
        check(param_set(p, values, p->fallback, &err) == 0);
}
