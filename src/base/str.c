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

void str_add_bytes(struct str *s, const char *at, size_t length)
{
    reserve(s, length); /* also for none: an empty text is not the one that was there before */
    if (length)
        memcpy(s->text + s->length, at, length);
    s->length += length;
    s->text[s->length] = 0;
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_addf(struct str *s, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    /* Mostly there is left, and once is enough. */
    size_t left = s->cap - s->length;
    int length = vsnprintf(left ? s->text + s->length : NULL, left, format, args);
    va_end(args);
    check(length >= 0);
    if ((size_t)length >= left) {
        reserve(s, (size_t)length);
        vsnprintf(s->text + s->length, (size_t)length + 1, format, again);
    }
    s->length += (size_t)length;
    va_end(again);
}

void str_add_real(struct str *s, double value)
{
    char text[32];
    double again;
    int digits = 15;

    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits++ < 17 && (!text_real(text, &again) || again != value));
    str_add(s, text);
}

void str_add_size(struct str *s, int64_t bytes)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    int unit = 0;

    for (; unit < 4 && bytes && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    str_addf(s, "%lld%s", (long long)bytes, units[unit]);
}

void str_cut(struct str *s, size_t length)
{
    check(length <= s->length);
    s->length = length;
    if (s->text)
        s->text[length] = 0;
}

void str_free(struct str *s)
{
    mem_free(s->text);
    *s = (struct str){0};
}
