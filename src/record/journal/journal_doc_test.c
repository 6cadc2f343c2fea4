/* docs/reference/journal.md is held to the code: its tables by number, name and fields, its example
 * by byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "record/journal/journal_decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/journal_fields.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/test.h"

enum { DOC_MAX = 1 << 16, ROW_MAX = 300 };

/* The document, or NULL after telling why not. Free with mem_free. */
static char *doc_load(void)
{
    FILE *f = fopen("docs/reference/journal.md", "r");
    if (!f) {
        test_skip("docs/reference/journal.md is not here: run from the project's folder");
        return NULL;
    }
    char *doc = mem_zalloc(DOC_MAX, 1);
    size_t n = fread(doc, 1, DOC_MAX - 1, f);
    fclose(f);
    expect(n > 0 && n < DOC_MAX - 1);
    return doc;
}

static void expect_row(const char *doc, const char *row)
{
    if (!strstr(doc, row))
        printf("docs/reference/journal.md has no row that begins with: %s\n", row + 1);
    expect(strstr(doc, row));
}

/* The fields of its own that a type has: their names, and as the tables of payloads have them. */
struct own_fields {
    char names[ROW_MAX / 2], payload[ROW_MAX / 2];
};

static const char *wire_word(const char *wire)
{
    static const char *const words[][2] = {
        {"capacity", ""},    {"int", "int "},     {"i32", "int "},      {"late", "int "},
        {"at", "at "},       {"node", "node "},   {"flag", "u8 "},      {"launch_kind", "u8 "},
        {"res_kind", "u8 "}, {"resource", "u8 "}, {"string", "string "}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], wire) == 0)
            return words[i][1];
    return "uint ";
}

static void own_add(struct own_fields *own, const char *wire, const char *key)
{
    size_t names = strlen(own->names), payload = strlen(own->payload);
    const char *comma = names ? ", " : "";
    snprintf(own->names + names, sizeof own->names - names, "%s%s", comma, key);
    snprintf(own->payload + payload, sizeof own->payload - payload, "%s%s%s", comma,
             wire_word(wire), key);
}

#define CASE(type) case type:
#define FIELD(wire, json, member, key) own_add(&own, #wire, key);
#define LAST(...)                                                                                  \
    FIELD(__VA_ARGS__)                                                                             \
    break;
static struct own_fields event_own(uint8_t type)
{
    struct own_fields own = {0};
    switch (type) {
        JOURNAL_EVENT_FIELDS(CASE, FIELD, LAST)
    }
    return own;
}

static struct own_fields decision_own(uint8_t type)
{
    struct own_fields own = {0};
    switch (type) {
        JOURNAL_DECISION_FIELDS(CASE, FIELD, LAST)
    }
    return own;
}
#undef CASE
#undef FIELD
#undef LAST

static void expect_own(const char *doc, char *row, const struct own_fields *own)
{
    size_t n = strlen(row);
    snprintf(row + n, ROW_MAX - n, " %s%s|", own->names, *own->names ? " " : "");
    expect_row(doc, row);
    snprintf(row, ROW_MAX, "| %s |\n", own->payload);
    if (*own->payload)
        expect_row(doc, row);
}

static void field_row(char *row, unsigned number, const char *name, unsigned has)
{
    snprintf(row, ROW_MAX, "\n| %u | `%s` | %s%s%s%s%s |", number, name,
             has & JOURNAL_AT    ? "at"
             : has & JOURNAL_JOB ? "job"
                                 : "",
             has & (JOURNAL_AT | JOURNAL_JOB) && has & JOURNAL_NODE ? ", " : "",
             has & JOURNAL_NODE ? "node" : "",
             has & ~(unsigned)JOURNAL_CAUSE && has & JOURNAL_CAUSE ? ", " : "",
             has & JOURNAL_CAUSE ? "cause" : "");
}

TEST(journal_doc_lists_events_and_decisions)
{
    char *doc = doc_load(), row[ROW_MAX];
    if (!doc)
        return;
    for (uint8_t i = 1; i < EV_TYPE_END; i++) {
        struct own_fields own = event_own(i);
        field_row(row, i, event_name(i), journal_event_fields(i));
        expect_row(doc, row);
        if (i != EV_JOB_SUBMITTED && i != EV_OUTPUT_READY) /* lists, told in words */
            expect_own(doc, row, &own);
    }
    for (uint8_t i = 1; i < DO_TYPE_END; i++) {
        if (!decision_is_type(i))
            continue;
        struct own_fields own = decision_own(i);
        field_row(row, i, decision_name(i), journal_decision_fields(i));
        expect_own(doc, row, &own);
    }
    mem_free(doc);
}

TEST(journal_doc_lists_causes_kinds_and_reasons)
{
    char *doc = doc_load(), row[ROW_MAX];
    if (!doc)
        return;
    for (uint8_t i = 0; i < CAUSE_END; i++) {
        snprintf(row, sizeof row, "\n| %u | `%s` |", i, event_cause_name(i));
        expect_row(doc, row);
    }
    for (uint8_t i = 0; i < LAUNCH_KIND_END; i++) {
        snprintf(row, sizeof row, "\n| %u | `%s` |", i, decision_kind_name(i));
        expect_row(doc, row);
    }
    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        int n = snprintf(row, sizeof row, "\n| %u | `%s` | ", code, reason_name(code));
        for (uint8_t i = 0; reason_number_name(code, i)[0] != '?'; i++)
            n += snprintf(row + n, sizeof row - (size_t)n, "%s%s", i ? ", " : "",
                          reason_number_name(code, i));
        snprintf(row + n, sizeof row - (size_t)n, " |");
        expect_row(doc, row);
    }
    mem_free(doc);
}

/* The run of the document's example. */
static size_t write_example(unsigned char *out)
{
    char path[SAMPLE_PATH_MAX];
    struct err err;
    journal_sample_path(path, "example");
    struct journal_options options = {.path = path};
    struct journal *j = journal_create(&options, 1, "none", "sim", &err);
    struct event e = {.type = EV_ATTEMPT_STARTED, .at = {{0}, 2, 1, 0}, .node = {4}};
    struct decision d[] = {
        {.id = 7, .type = DO_VERDICT, .at = {{0}, TASK_ALL, 1, 0}},
        {.id = 8, .type = DO_LAUNCH, .at = {{0}, 3, 1, 0}, .node = {200}},
    };
    d[0].why = REASON(WHY_NO_NEED, 1, 4, 0.15);
    d[1].why = REASON_PLAIN(WHY_RUNNABLE);
    struct turn turn = {1500000, &e, d, 1, 2, NULL};
    check(j && journal_tap(j).turn(j, &turn, &err) == 0);
    check(journal_close(j, true, &err) == 0);
    size_t length = journal_sample_load(path, out);
    unlink(path);
    return length;
}

/* The bytes of the block that begins with ```hex; on each line they end at the first '|'. */
static size_t read_example(const char *doc, unsigned char *out)
{
    size_t n = 0;
    const char *line = strstr(doc, "```hex\n");
    check(line);
    while ((line = strchr(line, '\n')) && strncmp(++line, "```", 3) != 0) {
        const char *at = line;
        char *end;
        for (unsigned long v; *at != '|' && (v = strtoul(at, &end, 16), end != at); at = end)
            out[n++] = (unsigned char)v;
    }
    return n;
}

TEST(journal_doc_example_is_what_we_write)
{
    static unsigned char written[SAMPLE_FILE_MAX], printed[SAMPLE_FILE_MAX];
    char *doc = doc_load();
    if (!doc)
        return;
    size_t n = write_example(written);
    expect(read_example(doc, printed) == n && memcmp(written, printed, n) == 0);
    mem_free(doc);
}
