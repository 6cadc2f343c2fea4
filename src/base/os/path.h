/* path.h - paths in buffers of their own, which nothing has to free. */
#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

/* Has room for one byte more than the system takes: a path that is cut here is too long there, and
 * never names another file. */
struct path {
    char text[PATH_MAX + 1];
};

/* Returns the path that printf would print. */
__attribute__((format(printf, 1, 2))) static inline struct path path_of(const char *format, ...)
{
    struct path p;
    va_list values;

    va_start(values, format);
    vsnprintf(p.text, sizeof p.text, format, values);
    va_end(values);
    return p;
}
