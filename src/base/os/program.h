/* program.h - finds programs as a shell does. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/path.h"

/* Sets *found, which may be NULL, to the program of this name in $PATH, or where systems have
 * theirs if that is not set. Returns false if no folder has it. */
static inline bool program_find(const char *name, struct path *found)
{
    const char *path = getenv("PATH");

    for (const char *at = path ? path : "/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        struct path program = path_of("%.*s%s%s", length, at, length ? "/" : "./", name);
        if (access(program.text, X_OK) == 0) {
            if (found)
                *found = program;
            return true;
        }
    }
    return false;
}
