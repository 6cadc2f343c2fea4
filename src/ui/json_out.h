/* json_out.h - functions that all --json output shares. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/each.h"

/* Returns a number; null if it is not finite, which JSON cannot express. `whole`: print no
 * fraction. */
json_t *json_out_number(double value, bool whole);

/* Returns a count or id as an integer, or as a string of digits if it exceeds JSON's integers here.
 */
json_t *json_out_u64(uint64_t value);

/* Returns a checksum or digest as 16 hexadecimal digits. */
json_t *json_out_hex(uint64_t value);

/* Returns a string; bytes that are not UTF-8 become '?', NULL becomes null. */
json_t *json_out_text(const char *text);

/* Returns a time in seconds; null if it is negative: never, or not known. */
json_t *json_out_seconds(int64_t us);

/* Sets object[key], and takes ownership of the value. */
void json_out_set(json_t *object, const char *key, json_t *value);

/* Sets object[key] to a C value: bool, integer, double or text. */
#define json_out_put(object, key, value) json_out_set(object, key, JSON_OUT_VALUE(value))

/* Does so for each of up to twelve members of the struct at `from`, under their names. A member
 * NAME_us is a time, and becomes NAME_s (json_out_seconds). */
#define json_out_members(object, from, ...)                                                        \
    do {                                                                                           \
        EACH(JSON_OUT_MEMBER, object, from, __VA_ARGS__)                                           \
    } while (0)

/* Sets object[key] to a new object or list, and returns that; borrowed. */
json_t *json_out_object(json_t *object, const char *key);
json_t *json_out_list(json_t *object, const char *key);

/* Appends a new object to the list, and returns that; borrowed. */
json_t *json_out_add(json_t *list);

/* Prints one object on stdout with a newline and frees it. */
void json_out_print(json_t *object);

/* ---- what json_out_put and json_out_members are made of ---- */

static inline json_t *json_out_bool(bool value)
{
    return json_boolean(value);
}

static inline json_t *json_out_real(double value)
{
    return json_out_number(value, false);
}

/* Sets a member as json_out_members does, and takes ownership of the value. */
void json_out_member(json_t *object, const char *name, json_t *value);

/* clang-format off */
#define JSON_OUT_VALUE(value)                                                                      \
    _Generic((value), bool: json_out_bool, double: json_out_real, uint64_t: json_out_u64,          \
             int64_t: json_integer, int32_t: json_integer, uint32_t: json_integer,                 \
             uint16_t: json_integer, uint8_t: json_integer, char *: json_out_text,                 \
             const char *: json_out_text)(value)

#define JSON_OUT_MEMBER(o, f, m) json_out_member(o, #m, JSON_OUT_VALUE((f)->m));
/* clang-format on */
