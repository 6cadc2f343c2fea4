/* key.c - checks the keys of lines and fills in their values, or refuses them with one message.
 *
 * The problem: two formats with some fifty keys, each of which can be unknown, given twice, empty,
 * malformed or absurd, and each message must name the expected value.
 *
 * The method: a table describes each key, and this file is the only one that interprets tables.
 * Rejected: a parse function per key; it is more code, and messages drift apart. */
#include "inputs/config/key.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

struct key_hint key_hint(const char *word, const char *const *candidates, size_t count)
{
    struct key_hint hint = {""};
    const char *near = text_nearest(word, candidates, count);
    if (near)
        snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", near);
    return hint;
}

const struct key_kind *key_kind(const struct line *line, const struct key_kind *kinds,
                                uint32_t count, struct err *err)
{
    const char *words[16] = {NULL};
    check(count <= sizeof words / sizeof *words);
    for (uint32_t i = 0; i < count; i++) {
        const struct key_kind *kind = &kinds[i];
        words[i] = kind->word;
        if (strcmp(line->word, kind->word))
            continue;
        if (kind->name && !line->name) {
            line_fail(line, err, "%s without %s; expected %s %s key=value ...", kind->word,
                      kind->name, kind->word, kind->name);
            return NULL;
        }
        if (!kind->name && line->name) {
            line_fail(line, err, "'%s' has no value; expected %s key=value ...",
                      line_quote(line->name).text, kind->word);
            return NULL;
        }
        return kind;
    }
    struct key_hint hint = key_hint(line->word, words, count);
    char list[100] = "";
    for (uint32_t i = 0; i < count && !hint.text[0]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "; expected one of ",
                 words[i]);
    }
    line_fail(line, err, "unknown word '%s'%s%s", line_quote(line->word).text, hint.text, list);
    return NULL;
}

int key_name(const struct line *line, const char *what, const char *name, struct err *err)
{
    if (field_name_ok(name))
        return 0;
    return line_fail(line, err, "'%s' is not a valid name of a %s; expected " FIELD_NAME_WANT,
                     line_quote(name).text, what);
}

static int unknown_key(const struct line *line, const struct key_kind *kind, const char *key,
                       struct err *err)
{
    const char *names[KEY_COUNT_MAX] = {NULL};
    uint32_t count = 0;
    char list[300] = "; it takes none";
    for (const struct field *k = kind->keys; k && k->name; k++) {
        size_t used = count ? strlen(list) : 0;
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "; expected one of ",
                 k->name);
        names[count++] = k->name;
    }
    struct key_hint hint = key_hint(key, names, count);
    return line_fail(line, err, "unknown key '%s' of %s%s", line_quote(key).text, kind->word,
                     hint.text[0] ? hint.text : list);
}

static uint64_t bit_of(const struct key_kind *kind, const struct field *k)
{
    check(k - kind->keys < KEY_COUNT_MAX);
    return 1ull << (k - kind->keys);
}

int key_fill(const struct line *line, const struct key_kind *kind, void *fields, uint64_t *given,
             struct err *err)
{
    for (uint32_t p = 0; p < line->pairs.count; p++) {
        const struct line_pair *pair = &line->pairs.at[p];
        const struct field *k = field_find(kind->keys, pair->key);
        struct line at = *line; /* borrows its pairs */
        at.number = pair->number;
        if (!k)
            return unknown_key(&at, kind, pair->key, err);
        if (*given & bit_of(kind, k) && k->type != FIELD_LIST)
            return line_fail(&at, err, "key '%s' of %s is given twice; expected it once", k->name,
                             kind->word);
        *given |= bit_of(kind, k);
        if (key_value(&at, k, k->name, pair->value, (char *)fields + k->offset, err))
            return -1;
    }
    return 0;
}

int key_needs(const struct line_file *f, uint64_t number, const struct key_kind *kind,
              uint64_t given, struct err *err)
{
    for (const struct field *k = kind->keys; k && k->name; k++) {
        if (!k->needs || !(given & bit_of(kind, k)))
            continue;
        const struct field *needed = field_find(kind->keys, k->needs);
        check(needed);
        if (!(given & bit_of(kind, needed)))
            return line_error(f, number, err,
                              "key '%s' of %s means nothing without %s=; expected both", k->name,
                              kind->word, k->needs);
    }
    return 0;
}

int key_value(const struct line *line, const struct field *k, const char *as, char *text,
              void *field, struct err *err)
{
    if (!text[0])
        return line_fail(line, err, "key '%s' of %s has no value; expected %s=...", as, line->word,
                         as);
    if (field_read(k, text, field) == FIELD_FINE)
        return 0;
    struct str want = {0};
    field_want(k, &want);
    line_fail(line, err, "%s=%s of %s is wrong; expected %s", as, line_quote(text).text, line->word,
              want.text);
    str_free(&want);
    return -1;
}
