#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"

/* Room for `more` bytes and the closing zero. */
static void reserve(struct str *s, size_t more)
{
    size_t need = s->length + more + 1;
    if (need <= s->cap)
        return;
    size_t cap = s->cap ? s->cap : 64;
    while (cap < need)
        cap *= 2;
    s->text = mem_resize(s->text, cap, 1);
    s->cap = cap;
}

void str_add(struct str *s, const char *text)
{
    size_t length = strlen(text);
    if (!length)
        return;
    reserve(s, length);
    memcpy(s->text + s->length, text, length + 1);
    s->length += length;
}

void str_addf(struct str *s, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    check(length >= 0);
    if (length > 0) {
        reserve(s, (size_t)length);
        vsnprintf(s->text + s->length, (size_t)length + 1, format, again);
        s->length += (size_t)length;
    }
    va_end(again);
}

void str_free(struct str *s)
{
    mem_free(s->text);
    *s = (struct str){0};
}
