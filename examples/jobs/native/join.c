/* Join in C: users (number, name) and orders (order, number of the user, thing). `map` makes the
 * number the key and marks values with where they are from; `reduce` has all of one user. A value
 * lives until the next one is asked for, so it copies them. Users without orders are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolly.h>

static int map(struct dolly_task *t, struct dolly_bytes line)
{
    char text[256], key[80], thing[80], value[96];

    snprintf(text, sizeof text, "%.*s", (int)line.length, line.at);
    if (sscanf(text, "order %79s %79s", key, thing) == 2)
        snprintf(value, sizeof value, "o%s", thing);
    else if (sscanf(text, "%79s %79s", key, thing) == 2)
        snprintf(value, sizeof value, "u%s", thing);
    else
        return dolly_fail(t, "a line is neither a user nor an order");
    dolly_emit(t, dolly_text(key), dolly_text(value));
    return 0;
}

/* Texts one behind the other, each with a zero at its end. */
struct texts {
    char *at;
    size_t used, room;
};

static int add(struct texts *texts, struct dolly_bytes text)
{
    if (texts->used + text.length + 1 > texts->room) {
        size_t room = 2 * texts->room + text.length + 1;
        char *at = (char *)realloc(texts->at, room);
        if (!at)
            return -1;
        texts->at = at;
        texts->room = room;
    }
    memcpy(texts->at + texts->used, text.at, text.length);
    texts->used += text.length;
    texts->at[texts->used++] = 0;
    return 0;
}

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct texts things = {NULL, 0, 0};
    struct dolly_bytes value;
    char user[80] = "nobody", text[256];
    int result = 0;

    while (dolly_next(values, &value)) {
        struct dolly_bytes rest = dolly_slice(value.at + 1, value.length - 1);
        if (value.at[0] == 'u')
            snprintf(user, sizeof user, "%.*s", (int)rest.length, rest.at);
        else if (add(&things, rest) != 0)
            result = dolly_fail(t, "there is no memory for the orders of one user");
    }
    for (size_t i = 0; i < things.used; i += strlen(things.at + i) + 1) {
        snprintf(text, sizeof text, "%s\t%s", user, things.at + i);
        dolly_emit(t, key, dolly_text(text));
    }
    free(things.at);
    return result;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .reduce = reduce};
