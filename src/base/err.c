#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"
#include "base/text.h"

__attribute__((format(printf, 3, 0))) static void fill(struct err *e, enum err_kind kind,
                                                       const char *format, va_list args)
{
    check(e);
    /* Arguments may point into the old text (callers add "file:line: " in front of it), so the
     * new text is finished before the old one goes. */
    struct err fresh = {.kind = kind};
    vsnprintf(fresh.text, sizeof fresh.text, format, args);
    text_tame(fresh.text); /* it stays one line, whatever stands in an argument */
    *e = fresh;
}

int err_set(struct err *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(e, ERR_INPUT, format, args);
    va_end(args);
    return -1;
}

int err_system(struct err *e, const char *format, ...)
{
    int error = errno;
    va_list args;
    va_start(args, format);
    fill(e, ERR_SYSTEM, format, args);
    va_end(args);
    e->error = error;
    return -1;
}
