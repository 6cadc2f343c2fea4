#include "jobs/args/quote.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"

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

void quote_add_path(struct str *out, const char *path)
{
    struct str tame = {0};
    str_addf(&tame, "%s%s", *path == '-' ? "./" : "", path);
    quote_add(out, text_tame(tame.text));
    str_free(&tame);
}

/* Appends the word at `at`, which is no blank; where it ends. */
static const char *quote_word(const char *at, struct str *word)
{
    char in = 0; /* the quotes that were opened */

    str_add(word, "");
    for (; *at && (in || !strchr(" \t\n", *at)); at++) {
        if (*at == in) {
            in = 0;
        } else if (!in && (*at == '\'' || *at == '"')) {
            in = *at;
        } else {
            if (*at == '\\' && in != '\'' && at[1])
                at++;
            str_add_bytes(word, at, 1);
        }
    }
    return at;
}

char **quote_split(const char *text, uint32_t *count)
{
    VEC(char *) words = {0};

    for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
        struct str word = {0};
        text = quote_word(text, &word);
        vec_push(&words, word.text);
    }
    *count = words.count;
    return words.at;
}
