/* json_out.h - functions that all --json output shares. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Returns a number; null if it is not finite, which JSON cannot express. `whole`: print no
 * fraction. */
json_t *json_out_number(double value, bool whole);

/* Sets object[key], and takes ownership of the value. */
void json_out_set(json_t *object, const char *key, json_t *value);

/* Sets object[key] to a new object or list, and returns that; borrowed. */
json_t *json_out_object(json_t *object, const char *key);
json_t *json_out_list(json_t *object, const char *key);

/* Appends a new object to the list, and returns that; borrowed. */
json_t *json_out_add(json_t *list);

/* Prints one object on stdout with a newline and frees it. */
void json_out_print(json_t *object);
