#include "jobs/streaming/streaming_notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

void streaming_notes_add(struct streaming_args *a, const char *format, ...)
{
    char line[4096];
    va_list values;

    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    vec_push(&a->notes, mem_strdup(line));
}

const char *streaming_notes_keep(struct streaming_args *a, char *text)
{
    vec_push(&a->owned, text);
    return text;
}
