/* The tables of docs/reference/{cluster,workload}-file.md against those of the code: which keys
 * there are, from which value to which they go, and what they need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/cluster/cluster_keys.h"
#include "inputs/workload/workload_keys.h"
#include "tests/unit/test.h"

/* A page as text, which the caller frees; NULL and a skipped test without it. */
static char *page_of(const char *path)
{
    enum { PAGE_MAX = 1 << 17 };
    FILE *f = fopen(path, "r");
    if (!f) {
        test_skip("no folder docs here");
        return NULL;
    }
    char *text = mem_zalloc(PAGE_MAX, 1);
    expect(fread(text, 1, PAGE_MAX - 1, f) < PAGE_MAX - 1);
    fclose(f);
    return text;
}

/* The value of a member as its bounds are counted: seconds, bytes, MiB, numbers. */
static double counted(enum field_type type, const void *member)
{
    switch (type) {
    case FIELD_REAL:
        return *(const double *)member;
    case FIELD_TIME:
        return (double)*(const int64_t *)member / 1e6;
    case FIELD_BYTES:
    case FIELD_INT:
        return (double)*(const int64_t *)member;
    case FIELD_COUNT:
        return *(const uint32_t *)member;
    case FIELD_MILLI:
        return *(const int32_t *)member / 1000.0;
    case FIELD_MIB_UP:
    case FIELD_MIB_DOWN:
        return *(const int32_t *)member;
    default:
        return -1;
    }
}

/* Whether the text is the bound: it is a value, and the very last one. */
static bool is_bound(const struct field *f, const char *text, double bound)
{
    union {
        double real;
        int64_t whole;
        uint32_t count;
        int32_t milli;
    } member = {0};
    return field_read(f, text, &member) == FIELD_FINE && counted(f->type, &member) == bound;
}

/* The range of a row, "0, or time, 1s to 36500d", and "needs `key`". */
static bool row_is_right(const char *row, const struct field *f)
{
    char least[32] = "", most[32] = "", need[64] = "";
    const char *to = strstr(row, " to "), *needs = strstr(row, "needs `");
    if (needs)
        sscanf(needs, "needs `%63[^`]", need);
    bool good = f->needs ? strcmp(need, f->needs) == 0 : !needs;
    const char *bytes = strstr(row, "text, up to ");
    if (f->type == FIELD_TEXT)
        return good && f->min == 0 && f->max == (bytes ? atof(bytes + 12) : 1 << 30);
    if (f->type == FIELD_CHOICE || f->type == FIELD_NAME || f->type == FIELD_PERCENT)
        return good && f->min == 0 && f->max == 0; /* they need none */
    const char *from = to;
    while (from && from > row && from[-1] != ' ')
        from--;
    if (!from || sscanf(from, "%31[^ ] to %31[^ ,|]", least, most) != 2)
        return false;
    bool mib = f->type == FIELD_MIB_UP || f->type == FIELD_MIB_DOWN; /* 0, or from 1M on */
    bool or_zero = strstr(row, "| 0, or ") && strstr(row, "| 0, or ") < to;
    good &= or_zero == (f->zero || mib) && is_bound(f, least, mib ? 1 : f->min);
    return good && (strcmp(most, "the") == 0 || is_bound(f, most, f->max));
}

/* The row of the key in a table of the page after `from`, or NULL. */
static const char *row_of(const char *from, const char *end, const char *key)
{
    char begins[64];
    snprintf(begins, sizeof begins, "\n| `%s` |", key);
    const char *row = strstr(from, begins);
    return row && row < end ? row + 1 : NULL;
}

/* The tables of a page in their order, and a kind of line for each: how many rows each has that are
 * right. */
static void tables_agree(const char *path, const struct key_kind *const *kinds, uint32_t count)
{
    char *text = page_of(path), line[1024];
    const char *at = text;
    for (uint32_t i = 0; text && i < count; i++) {
        const char *from = strstr(at, "\n| key |"), *end = from ? strstr(from, "\n\n") : NULL;
        expect(from != NULL);
        if (!from)
            break;
        end = end ? end : from + strlen(from);
        uint32_t rows = 0, keys = 0;
        for (const char *row = from; row && row < end; row = strstr(row + 1, "\n| `"))
            rows += row > from;
        for (const struct field *f = kinds[i]->keys; f->name; f++, keys++) {
            const char *row = row_of(from, end, f->name);
            snprintf(line, sizeof line, "%.*s", row ? (int)strcspn(row, "\n") : 0, row ? row : "");
            bool right = row_is_right(line, f);
            if (!right)
                printf("%s: not as in the code: %s %s: %s\n", path, kinds[i]->word, f->name, line);
            expect(right);
        }
        expect(rows == keys && keys > 0);
        at = end;
    }
    expect(!text || !strstr(at, "\n| key |"));
    mem_free(text);
}

TEST(keys_doc_of_clusters)
{
    static const struct key_kind *const kinds[] = {
        &cluster_keys[CLUSTER_RESOURCE], &cluster_keys[CLUSTER_NODES],
        &cluster_keys[CLUSTER_LUCK],     &cluster_keys[CLUSTER_FAULTS],
        &cluster_keys[CLUSTER_DOWN],     &cluster_keys[CLUSTER_PRESSURE],
        &cluster_keys[CLUSTER_NETWORK],
    };
    tables_agree("docs/reference/cluster-file.md", kinds, sizeof kinds / sizeof *kinds);
}

TEST(keys_doc_of_workloads)
{
    static const struct key_kind *const kinds[] = {
        &workload_keys[WORKLOAD_JOB],
        &workload_keys[WORKLOAD_PHASE],
        &workload_keys[WORKLOAD_TASK],
    };
    tables_agree("docs/reference/workload-file.md", kinds, sizeof kinds / sizeof *kinds);
}

/* A line of one node has the keys of many, but for the racks among which these are dealt. */
TEST(keys_doc_of_one_node)
{
    const struct field *one = cluster_keys[CLUSTER_NODE].keys,
                       *many = cluster_keys[CLUSTER_NODES].keys;
    for (; one->name; one++, many++)
        expect(strcmp(one->name, many->name) == 0 && one->type == many->type &&
               one->min == many->min && one->max == many->max && one->zero == many->zero &&
               one->offset == many->offset);
    expect(strcmp(many->name, "racks") == 0 && many->max == CLUSTER_NODES_MAX && !many[1].name);
    expect(CLUSTER_NODES_MAX == 1000000 && WORKLOAD_JOBS_MAX == 1000000000);
}
