/* trouble.c - counts errors: one bad line in a hundred is usual in traces and must not end the
 * reading, but must be reported. */
#include "inputs/trace/trouble.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/check.h"

const struct trouble_text trouble_texts[TROUBLE_KINDS] = {
    [TROUBLE_COLUMNS] = {"columns", "too few columns"},
    [TROUBLE_NUMBER] = {"number", "not a number, or one out of range"},
    [TROUBLE_WORD] = {"word", "a word that the format does not have"},
    [TROUBLE_TEXT] = {"text", "a name that is empty, too long, or has a NUL byte"},
    [TROUBLE_LONG] = {"long", "a line of more than 64 MiB"},
    [TROUBLE_JSON] = {"json", "not JSON, nested too deep, or with too long a text"},
    [TROUBLE_RECORD] = {"record", "a record that is damaged or torn; what follows it is lost"},
    [TROUBLE_NEGATIVE] = {"negative", "a negative time"},
    [TROUBLE_BACKWARDS] = {"backwards", "an end before its start"},
    [TROUBLE_ORDER] = {"order", "a job that arrives before those above it; --sort reads it"},
    [TROUBLE_DUPLICATE] = {"duplicate", "a row that occurs twice"},
    [TROUBLE_PARENT] = {"parent", "a parent, or the task of an attempt, that does not exist"},
    [TROUBLE_CYCLE] = {"cycle", "a job whose phases wait for each other in a circle"},
    [TROUBLE_LIMIT] = {"limit", "a job with more phases, tasks or attempts than there may be"},
};

void trouble_fini(struct trouble *t)
{
    vec_free_each(&t->members);
}

uint32_t trouble_member(struct trouble *t, const char *name)
{
    check(t->members.count < TROUBLE_MEMBERS_MAX);
    vec_push(&t->members, mem_strdup(name));
    return t->members.count - 1;
}

void trouble_add(struct trouble *t, enum trouble_kind kind, uint64_t where, bool drops)
{
    if (t->kinds[kind].count++ == 0)
        t->kinds[kind].first = where;
    t->bad += drops;
    t->is_over |= t->is_strict;
}

struct trouble_place trouble_place(const struct trouble *t, uint64_t where)
{
    struct trouble_place p;
    uint64_t line = where & ((UINT64_C(1) << TROUBLE_LINE_BITS) - 1);
    uint64_t member = where >> TROUBLE_LINE_BITS;
    snprintf(p.text, sizeof p.text, "%.200s:%" PRIu64,
             member < t->members.count ? t->members.at[member] : "?", line);
    return p;
}

int trouble_judge(const struct trouble *t, struct err *err)
{
    int worst = 0;
    for (int k = 1; k < TROUBLE_KINDS; k++)
        if (t->kinds[k].count > t->kinds[worst].count)
            worst = k;
    if (t->kinds[worst].count == 0)
        return 0;
    struct trouble_place place = trouble_place(t, t->kinds[worst].first);
    if (t->is_strict)
        return err_set(err, "%s: %s", place.text, trouble_texts[worst].help);
    if (t->bad * 2 > t->rows)
        return err_set(err,
                       "%s: %s; %" PRIu64 " of %" PRIu64 " rows are bad, so this is not such a "
                       "trace",
                       place.text, trouble_texts[worst].help, t->bad, t->rows);
    return 0;
}
