/* json_out.h - the few habits all --json output has in common. */
#ifndef UI_JSON_OUT_H
#define UI_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>

/* A number; null when it is not finite, because JSON has no such numbers. `whole` prints no
 * fraction. */
json_t *json_out_number(double value, bool whole);

/* Sets object[key] and takes the value. */
void json_out_set(json_t *object, const char *key, json_t *value);

/* Prints one object on stdout with a newline and frees it. */
void json_out_print(json_t *object);

#endif
