/* scratch_test.h - for tests of file readers: text in, path of a temporary file out. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

struct scratch {
    char path[32];
};

/* Creates a file with these bytes. Remove it with scratch_remove. */
static inline struct scratch scratch_write(const char *text, size_t length)
{
    struct scratch s = {"/tmp/dolly-test-XXXXXX"};
    int fd = mkstemp(s.path);
    check(fd >= 0);
    FILE *f = fdopen(fd, "w");
    check(f && fwrite(text, 1, length, f) == length && fclose(f) == 0);
    return s;
}

static inline void scratch_remove(const struct scratch *s)
{
    unlink(s->path);
}

/* Returns true if `text` is "PATH:LINE: WHAT", or "PATH: WHAT" for line 0, where WHAT contains
 * `what`. */
static inline int scratch_blames(const struct scratch *s, const char *text, unsigned line,
                                 const char *what)
{
    char head[64];
    snprintf(head, sizeof head, line ? "%s:%u: " : "%s: ", s->path, line);
    int ok = !strncmp(text, head, strlen(head)) && strstr(text + strlen(head), what) &&
             !strchr(text, '\n');
    if (!ok)
        printf("expected '%s ... %s', got '%s'\n", head, what, text);
    return ok;
}
