#include "ui/json_out.h"

#include <math.h>
#include <stdio.h>

#include "base/check.h"

json_t *json_out_number(double value, bool whole)
{
    if (!isfinite(value))
        return json_null();
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

void json_out_set(json_t *object, const char *key, json_t *value)
{
    check(json_object_set_new(object, key, value) == 0);
}

json_t *json_out_object(json_t *object, const char *key)
{
    json_t *member = json_object();

    json_out_set(object, key, member);
    return member;
}

json_t *json_out_list(json_t *object, const char *key)
{
    json_t *member = json_array();

    json_out_set(object, key, member);
    return member;
}

json_t *json_out_add(json_t *list)
{
    json_t *one = json_object();

    check(json_array_append_new(list, one) == 0);
    return one;
}

void json_out_print(json_t *object)
{
    /* 15 digits: every decimal that a user typed comes back as typed. A failure to write is seen
     * by cli_close_stdout. */
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(object);
}
