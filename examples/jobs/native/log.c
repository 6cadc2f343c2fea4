/* Log analysis in C: requests, failures and bytes by page. A value is a struct as it lies in
 * memory, and combining adds structs up, so that one record for each page and attempt is left. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <dolly.h>

struct page {
    uint64_t requests, failures, bytes;
};

/* HOST DATE "METHOD PAGE" STATUS BYTES */
static int map(struct dolly_task *t, struct dolly_bytes line)
{
    char text[1024], page[512];
    unsigned status;
    struct page p = {.requests = 1};

    snprintf(text, sizeof text, "%.*s", (int)line.length, line.at);
    if (sscanf(text, "%*s %*s \"%*s %511[^\"]\" %u %" SCNu64, page, &status, &p.bytes) != 3) {
        dolly_count(t, "log", "lines that cannot be read", 1);
        return 0;
    }
    p.failures = status >= 500;
    dolly_emit(t, dolly_text(page), dolly_slice((const char *)&p, sizeof p));
    return 0;
}

static struct page sum_of(struct dolly_values *values)
{
    struct page sum = {0}, p;
    struct dolly_bytes value;

    while (dolly_next(values, &value)) {
        memcpy(&p, value.at, sizeof p);
        sum.requests += p.requests;
        sum.failures += p.failures;
        sum.bytes += p.bytes;
    }
    return sum;
}

static int combine(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct page sum = sum_of(values);

    dolly_emit(t, key, dolly_slice((const char *)&sum, sizeof sum));
    return 0;
}

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct page sum = sum_of(values);
    char text[80];

    snprintf(text, sizeof text, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, sum.requests, sum.failures,
             sum.bytes);
    dolly_emit(t, key, dolly_text(text));
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = map, .combine = combine, .reduce = reduce};
