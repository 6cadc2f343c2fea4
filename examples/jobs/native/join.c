/* Join in C: users (number, name) and orders (order, number of the user, thing). `map` makes the
 * number the key and marks values with where they are from; `reduce` has all of one user. A value
 * lives until the next one is asked for, so it copies them. Users without orders are left out. */
#include <stdlib.h>
#include <string.h>

#include <dolly.h>

/* The next word of the line, which loses it; of no length where there is none. */
static struct dolly_bytes word_of(struct dolly_bytes *line)
{
    const char *at = line->at, *end = line->at + line->length;

    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *from = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    *line = dolly_slice(at, (size_t)(end - at));
    return dolly_slice(from, (size_t)(at - from));
}

static int map(struct dolly_task *t, struct dolly_bytes line)
{
    struct dolly_bytes key = word_of(&line);
    char value[96];

    value[0] = 'u';
    if (key.length == 5 && memcmp(key.at, "order", 5) == 0) {
        value[0] = 'o';
        key = word_of(&line);
    }
    struct dolly_bytes thing = word_of(&line);
    if (key.length == 0 || thing.length == 0 || thing.length >= sizeof value)
        return dolly_fail(t, "a line is neither a user nor an order");
    memcpy(value + 1, thing.at, thing.length);
    dolly_emit(t, key, dolly_slice(value, thing.length + 1));
    return 0;
}

/* Bytes one behind the other; it grows, and is used again for the next key. */
struct bytes {
    char *at;
    size_t used, room;
};

static int add(struct bytes *to, const void *from, size_t length)
{
    if (to->used + length > to->room) {
        size_t room = 2 * to->room + length;
        char *at = (char *)realloc(to->at, room);
        if (!at)
            return -1;
        to->at = at;
        to->room = room;
    }
    memcpy(to->at + to->used, from, length);
    to->used += length;
    return 0;
}

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct bytes things = {NULL, 0, 0};
    struct dolly_bytes value;
    char text[256] = "nobody\t";
    size_t user = 7;
    int result = 0;

    while (dolly_next(values, &value)) {
        size_t length = value.length - 1;
        if (value.at[0] == 'u') {
            memcpy(text, value.at + 1, length);
            text[length] = '\t';
            user = length + 1;
        } else if (add(&things, &length, sizeof length) != 0 ||
                   add(&things, value.at + 1, length) != 0) {
            result = dolly_fail(t, "there is no memory for the orders of one user");
        }
    }
    for (size_t i = 0, length; i < things.used; i += length) {
        memcpy(&length, things.at + i, sizeof length);
        i += sizeof length;
        memcpy(text + user, things.at + i, length);
        dolly_emit(t, key, dolly_slice(text, user + length));
    }
    free(things.at);
    return result;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .reduce = reduce};
