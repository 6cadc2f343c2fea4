#include "map/quote.h"

#include <ctype.h>
#include <string.h>

static bool quote_is_harmless(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_./+,:@%", *text))
            return false;
    return true;
}

void quote_add(struct str *out, const char *text)
{
    if (quote_is_harmless(text)) {
        str_add(out, text);
        return;
    }
    str_add(out, "'");
    for (;;) {
        size_t plain = strcspn(text, "'");
        str_addf(out, "%.*s", (int)plain, text);
        text += plain;
        if (!*text)
            break;
        str_add(out, "'\\''");
        text++;
    }
    str_add(out, "'");
}
