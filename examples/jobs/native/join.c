/* Join in C: users (number, name) and orders (order, number of the user, thing). `map` makes the
 * number the key and marks values with where they are from; `reduce` has all of one user. Values
 * live until it returns, so it keeps pointers to them. Users without orders are left out. */
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

static void put(struct dolly_task *t, struct dolly_bytes key, struct dolly_bytes user,
                struct dolly_bytes thing)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%.*s\t%.*s", (int)user.length, user.at, (int)thing.length,
                     thing.at);

    dolly_emit(t, key, dolly_slice(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1));
}

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes user = dolly_text("nobody"), value, *things = NULL;
    size_t count = 0, room = 0;

    while (dolly_next(values, &value)) {
        struct dolly_bytes rest = dolly_slice(value.at + 1, value.length - 1);
        if (value.at[0] == 'u') {
            user = rest;
            continue;
        }
        if (count == room)
            things = (struct dolly_bytes *)realloc(things, (room += 16) * sizeof *things);
        if (!things)
            return dolly_fail(t, "there is no memory for the orders of one user");
        things[count++] = rest;
    }
    for (size_t i = 0; i < count; i++)
        put(t, key, user, things[i]);
    free(things);
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .reduce = reduce};
