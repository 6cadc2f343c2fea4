/* Page rank in C, a round for each phase. Records of a page are its links (L and the line of the
 * page) and what others gave it (R and a double, as it lies in memory: values may be any bytes).
 * The last round has functions of its own, which print ranks instead of dealing them out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dolly.h>

/* The next word of the rest of a line. */
static struct dolly_bytes word_of(struct dolly_bytes *rest)
{
    const char *end = rest->at + rest->length, *from = rest->at;

    while (from < end && *from == ' ')
        from++;
    const char *to = from;
    while (to < end && *to != ' ')
        to++;
    *rest = dolly_slice(to, (size_t)(end - to));
    return dolly_slice(from, (size_t)(to - from));
}

/* Deals a rank out to the pages that a page links to. */
static void deal_out(struct dolly_task *t, struct dolly_bytes links, double rank)
{
    struct dolly_bytes rest = links, to;
    unsigned count = 0;

    while ((to = word_of(&rest)).length > 0)
        count++;
    char given[1 + sizeof(double)] = "R";
    double share = count > 0 ? rank / count : 0;
    memcpy(given + 1, &share, sizeof share);
    for (rest = links; (to = word_of(&rest)).length > 0;)
        dolly_emit(t, to, dolly_slice(given, sizeof given));
}

static void keep_links(struct dolly_task *t, struct dolly_bytes page, struct dolly_bytes links)
{
    char *value = (char *)malloc(links.length + 1);

    if (!value) {
        dolly_fail(t, "there is no memory for the links of a page");
        return;
    }
    value[0] = 'L';
    memcpy(value + 1, links.at, links.length);
    dolly_emit(t, page, dolly_slice(value, links.length + 1));
    free(value);
}

static int start(struct dolly_task *t, struct dolly_bytes line)
{
    struct dolly_bytes page = word_of(&line);

    keep_links(t, page, line);
    deal_out(t, line, 1);
    return 0;
}

/* What belongs to a page: the rank of all that it was given, and its links, in memory of their own:
 * a value lives until the next one is asked for. */
struct page {
    double rank;
    char *links;
    size_t length;
};

static struct page take_page(struct dolly_task *t, struct dolly_values *values)
{
    struct page page = {0, NULL, 0};
    struct dolly_bytes value;
    double share, sum = 0;

    while (dolly_next(values, &value)) {
        if (value.at[0] != 'L') {
            memcpy(&share, value.at + 1, sizeof share);
            sum += share;
        } else if (!page.links && (page.links = (char *)malloc(value.length))) {
            page.length = value.length - 1;
            memcpy(page.links, value.at + 1, page.length);
        } else {
            dolly_fail(t, "the links of a page come twice, or there is no memory for them");
        }
    }
    page.rank = 0.15 + 0.85 * sum;
    return page;
}

static int next_round(struct dolly_task *t, struct dolly_bytes name, struct dolly_values *values)
{
    struct page page = take_page(t, values);
    struct dolly_bytes links = page.links ? dolly_slice(page.links, page.length) : dolly_text("");

    keep_links(t, name, links);
    deal_out(t, links, page.rank);
    free(page.links);
    return 0;
}

static int last_round(struct dolly_task *t, struct dolly_bytes name, struct dolly_values *values)
{
    struct page page = take_page(t, values);
    char text[40];

    snprintf(text, sizeof text, "%.4f", page.rank);
    dolly_emit(t, name, dolly_text(text));
    free(page.links);
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .map = start, .reduce = next_round};
DOLLY_EXPORT const struct dolly_functions last = {.abi = DOLLY_ABI, .reduce = last_round};
