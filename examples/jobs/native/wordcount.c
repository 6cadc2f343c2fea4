/* Word count in C. `map` cuts a line into words and emits each with a 1; `combine`, on what one
 * attempt has, and `reduce` add up what a word has. Numbers are text here, so that results can be
 * read; between phases they could be any bytes. */
#include <dolly.h>

/* Letters of ASCII alone; a word that is longer than the room for it is cut. */
static int map(struct dolly_task *t, struct dolly_bytes line)
{
    char word[64];
    size_t length = 0;

    for (size_t i = 0; i <= line.length; i++) {
        char letter = i < line.length ? (char)(line.at[i] | ' ') : ' '; /* in lower case */
        int is_letter = letter >= 'a' && letter <= 'z';
        if (is_letter)
            word[length++] = letter;
        if (length == sizeof word || (length > 0 && !is_letter)) {
            dolly_emit(t, dolly_slice(word, length), dolly_text("1"));
            length = 0;
        }
    }
    return 0;
}

static int add_up(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;
    char text[24], *at = text + sizeof text;
    unsigned long long sum = 0;

    while (dolly_next(values, &value)) { /* no zero behind a value */
        unsigned long long n = 0;
        for (size_t i = 0; i < value.length; i++)
            n = 10 * n + (unsigned)(value.at[i] - '0');
        sum += n;
    }
    do
        *--at = (char)('0' + sum % 10);
    while ((sum /= 10) > 0);
    dolly_emit(t, key, dolly_slice(at, (size_t)(text + sizeof text - at)));
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .combine = add_up, .reduce = add_up};
