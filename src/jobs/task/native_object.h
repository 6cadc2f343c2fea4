/* native_object.h - a shared object of the user: its name, its hash, and its functions.
 *
 * Loading runs code of the user: only processes of attempts do it, and one that checks an object
 * before a job begins. */
#pragma once

#include "base/err.h"
#include "include/dolly.h"

#define NATIVE_OBJECT_DEFAULT "dolly_program" /* name of the functions, unless another is given */

enum { NATIVE_OBJECT_HASH = 17 }; /* bytes of a hash as text, with the NUL */

/* Computes the XXH3 of the file, as hexadecimal digits. Returns 0, or -1 with *err if it cannot be
 * read. */
int native_object_hash(const char *path, char hash[NATIVE_OBJECT_HASH], struct err *err);

/* Loads the object, permanently, and finds its functions. `hash` is the expected one, or NULL;
 * `need`, "map" or "reduce", is a function that must be there. Returns NULL with *err, which names
 * the file. */
const struct dolly_functions *native_object_load(const char *path, const char *name,
                                                 const char *hash, const char *need,
                                                 struct err *err);
