/* key.c - lines and their keys: known, given once, and filled in; or refused in one line.
 *
 * The problem: two formats with some fifty keys, each of which can be unknown, given twice, empty,
 * malformed or absurd, and each message has to say what would be right.
 *
 * The method: a table describes each key, and this file and key_value.c are the only ones that
 * interpret tables. Rejected: a parse function per key; it is more code, and messages drift apart.
 */
#include "config/key.h"

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

const struct key_kind *key_kind(const struct line_file *f, const struct line *line,
                                const struct key_kind *kinds, uint32_t count, struct err *err)
{
    const char *words[8] = {NULL};
    check(count <= 8);
    for (uint32_t i = 0; i < count; i++) {
        const struct key_kind *kind = &kinds[i];
        words[i] = kind->word;
        if (strcmp(line->word, kind->word))
            continue;
        if (kind->name && !line->name) {
            line_error(f, line->number, err, "%s without %s; want %s %s key=value ...", kind->word,
                       kind->name, kind->word, kind->name);
            return NULL;
        }
        if (!kind->name && line->name) {
            line_error(f, line->number, err, "'%s' stands alone; want %s key=value ...",
                       line_quote(line->name).text, kind->word);
            return NULL;
        }
        return kind;
    }
    struct key_hint hint = key_hint(line->word, words, count);
    char list[100] = "";
    for (uint32_t i = 0; i < count && !hint.text[0]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "; want one of ", words[i]);
    }
    line_error(f, line->number, err, "unknown word '%s'%s%s", line_quote(line->word).text,
               hint.text, list);
    return NULL;
}

static int unknown_key(const struct line_file *f, const struct line *line,
                       const struct key_kind *kind, const char *key, struct err *err)
{
    const char *names[KEY_COUNT_MAX] = {NULL};
    char list[300] = "; it takes none";
    for (uint32_t i = 0; i < kind->count; i++) {
        names[i] = kind->keys[i].name;
        size_t used = i ? strlen(list) : 0;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "; want one of ", names[i]);
    }
    struct key_hint hint = key_hint(key, names, kind->count);
    return line_error(f, line->number, err, "unknown key '%s' of %s%s", line_quote(key).text,
                      kind->word, hint.text[0] ? hint.text : list);
}

int key_fill(const struct line_file *f, const struct line *line, const struct key_kind *kind,
             void *fields, uint64_t *given, struct err *err)
{
    check(kind->count <= KEY_COUNT_MAX);
    for (uint32_t p = 0; p < line->pairs.count; p++) {
        const struct line_pair *pair = &line->pairs.at[p];
        uint32_t i = 0;
        while (i < kind->count && strcmp(pair->key, kind->keys[i].name))
            i++;
        if (i == kind->count)
            return unknown_key(f, line, kind, pair->key, err);
        const struct key *k = &kind->keys[i];
        if (*given & (1ull << i))
            return line_error(f, line->number, err, "key '%s' of %s is given twice; want it once",
                              k->name, kind->word);
        *given |= 1ull << i;
        if (key_value(f, line, k, k->name, pair->value, (char *)fields + k->offset, err))
            return -1;
    }
    return 0;
}

int key_needs(const struct line_file *f, uint64_t number, const struct key_kind *kind,
              uint64_t given, struct err *err)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        const struct key *k = &kind->keys[i];
        if (!k->needs || !(given & (1ull << i)))
            continue;
        uint32_t j = 0;
        while (j < kind->count && strcmp(k->needs, kind->keys[j].name))
            j++;
        check(j < kind->count);
        if (!(given & (1ull << j)))
            return line_error(f, number, err, "key '%s' of %s means nothing without %s=; want both",
                              k->name, kind->word, k->needs);
    }
    return 0;
}
