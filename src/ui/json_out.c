/* json_out.c - values and members of objects. What is not known is null, not left out, so that a
 * program finds every key that the reference names. */
#include "ui/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

json_t *json_out_number(double value, bool whole)
{
    if (!isfinite(value))
        return json_null();
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

json_t *json_out_u64(uint64_t value)
{
    char digits[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return json_string(digits);
}

json_t *json_out_hex(uint64_t value)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, value);
    return json_string(digits);
}

json_t *json_out_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = mem_strdup(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(copy);
    mem_free(copy);
    return value;
}

json_t *json_out_seconds(int64_t us)
{
    return us < 0 ? json_null() : json_real((double)us / 1e6);
}

void json_out_set(json_t *object, const char *key, json_t *value)
{
    check(json_object_set_new(object, key, value) == 0);
}

void json_out_member(json_t *object, const char *name, json_t *value)
{
    char key[64];
    size_t length = strlen(name);

    if (length < 3 || strcmp(name + length - 3, "_us") != 0) {
        json_out_set(object, name, value);
        return;
    }
    snprintf(key, sizeof key, "%.*s_s", (int)length - 3, name);
    double us = json_number_value(value);
    json_out_set(object, key, us < 0 ? json_null() : json_real(us / 1e6));
    json_decref(value);
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
