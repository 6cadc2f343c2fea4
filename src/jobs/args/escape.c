#include "jobs/args/escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a base at the start of the text, at most `most`; how many. */
static size_t digits(const char *text, size_t most, int base, char *c)
{
    char copy[4] = "";
    size_t n = 0;

    for (; n < most &&
           (base == 16 ? isxdigit((unsigned char)text[n]) : text[n] >= '0' && text[n] <= '7');
         n++)
        copy[n] = text[n];
    if (n)
        *c = (char)strtol(copy, NULL, base);
    return n;
}

size_t escape_decode(const char *text, char *out)
{
    static const char letters[] = "ntr\\", meanings[] = "\n\t\r\\";
    size_t length = 0, n;
    char c;

    while (*text) {
        const char *letter = *text == '\\' && text[1] ? strchr(letters, text[1]) : NULL;
        if (letter) {
            out[length++] = meanings[letter - letters];
            text += 2;
        } else if (*text == '\\' && text[1] == 'x' && (n = digits(text + 2, 2, 16, &c)) > 0) {
            out[length++] = c;
            text += 2 + n;
        } else if (*text == '\\' && (n = digits(text + 1, 3, 8, &c)) > 0) {
            out[length++] = c;
            text += 1 + n;
        } else {
            out[length++] = *text++;
        }
    }
    out[length] = 0;
    return length;
}
