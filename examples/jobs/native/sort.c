/* Sort in C. dolly sorts by key between phases, so the line is the key and has no value; a key that
 * came more than once is printed as often. */
#include <dolly.h>

static int map(struct dolly_task *t, struct dolly_bytes line)
{
    dolly_emit(t, line, dolly_text(""));
    return 0;
}

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;

    while (dolly_next(values, &value))
        dolly_print(t, key);
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .reduce = reduce};
