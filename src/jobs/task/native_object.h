/* native_object.h - a shared object of the user: its name, its hash, and its functions.
 *
 * Loading runs code of the user: only processes of attempts do it, and one that looks at an object
 * before a job begins. */
#ifndef JOBS_TASK_NATIVE_OBJECT_H
#define JOBS_TASK_NATIVE_OBJECT_H

#include <stdint.h>

#include "base/err.h"
#include "include/dolly.h"

#define NATIVE_OBJECT_DEFAULT "dolly_program" /* the functions, unless another name is given */

enum { NATIVE_OBJECT_HASH = 17 }; /* bytes of the text of a hash */

/* XXH3 of the file, as hexadecimal digits. -1: it cannot be read. */
int native_object_hash(const char *path, char hash[NATIVE_OBJECT_HASH], struct err *err);

/* Loads the object, for good, and finds its functions. `hash` is what it has to have, or NULL;
 * `need`, "map" or "reduce", what the functions have to include. NULL: `err` names the file and
 * what is wrong. */
const struct dolly_functions *native_object_load(const char *path, const char *name,
                                                 const char *hash, const char *need,
                                                 struct err *err);

#endif
