/* json_out.h - functions that all --json output shares. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Returns a number; null if it is not finite, which JSON cannot express. `whole`: print no
 * fraction. */
json_t *json_out_number(double value, bool whole);

/* Sets object[key], and takes ownership of the value. */
void json_out_set(json_t *object, const char *key, json_t *value);

/* Prints one object on stdout with a newline and frees it. */
void json_out_print(json_t *object);
