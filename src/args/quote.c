#include "args/quote.h"

#include <ctype.h>
#include <string.h>

static bool quote_is_harmless(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_./+", *text))
            return false;
    return true;
}

void quote_add(struct str *out, const char *text)
{
    if (quote_is_harmless(text)) {
        str_add(out, text);
        return;
    }
    for (const char *from = text;;) {
        size_t plain = strcspn(text, "'");
        bool inner = text > from && text[plain]; /* between two quotes, even if there is nothing */
        if (plain > 0 || inner || !*from) {
            str_add(out, "'");
            str_add_bytes(out, text, plain);
            str_add(out, "'");
        }
        text += plain;
        if (!*text++)
            break;
        str_add(out, "\"'\"");
    }
}
