/* explain.c - what the views share: names, numbers, and reasons in words.
 *
 * Most reasons are one sentence with the numbers of the reason in it. Such sentences stand in
 * tables by code, as text with the names of numbers in braces, and explain_words fills them in. */
#include "commands/explain/explain.h"

#include <stdio.h>
#include <stdlib.h>

#include "ui/words.h"

struct about_text explain_about(const struct explain *x)
{
    struct about_text about = {0};
    struct err err;

    if (x->about && *x->about)
        about_read(x->about, "about", &about, &err);
    return about;
}

struct path explain_folder(const char *journal)
{
    const char *slash = strrchr(journal, '/');
    bool lies = slash && slash > journal && strcmp(slash, "/journal") == 0;

    return path_of("%.*s", lies ? (int)(slash - journal) : 0, journal);
}

struct explain_name explain_node(const struct explain *x, struct node_id node)
{
    struct explain_name n;
    const char *name = node.v < x->run->nodes.count ? x->run->nodes.at[node.v].name : NULL;
    if (name)
        snprintf(n.text, sizeof n.text, "%s", name);
    else
        snprintf(n.text, sizeof n.text, "node %u", node.v);
    return n;
}

uint64_t explain_number(const struct explain *x, uint32_t task)
{
    return x->look && task < map_look_tasks(x->look) ? map_look_seq(x->look, task)
                                                     : (uint64_t)task + (x->from_one ? 1 : 0);
}

void explain_command(const struct explain *x, uint32_t task, const char *before, const char *after,
                     struct str *out)
{
    enum { SHOWN_MAX = 200 };
    struct str command = {0};
    if (!x->look || task >= map_look_tasks(x->look))
        return;
    map_look_command(x->look, task, &command);
    bool cut = command.length > SHOWN_MAX;
    for (char *c = command.text; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    text_tame(command.text);
    str_addf(out, "%s%.*s%s%s", before, SHOWN_MAX, command.text ? command.text : "",
             cut ? "..." : "", after);
    str_free(&command);
}

const struct explain_cause explain_causes[STORY_CAUSES] = {
    [STORY_LATE] = {"late_start", "waited for its turn"},
    [STORY_AGAIN] = {"ran_again", "had to run again"},
    [STORY_NOTICED] = {"noticed_late", "was slow, and its backup came late"},
    [STORY_READS] = {"reads", "waited for its inputs"},
    [STORY_SKEW] = {"skewed_input", "had more input"},
    [STORY_SLOW_ATTEMPT] = {"slow_attempt", "was slow where others were not"},
    [STORY_SLOW_NODE] = {"slow_node", "was on a slow node"},
};

/* ---- standing ---- */

struct reason explain_standing_at(const struct explain *x, uint16_t phase)
{
    for (uint32_t i = 0; i < x->job->attempts.count; i++) {
        const struct story_attempt *a = &x->job->attempts.at[i];
        if (a->why.code == WHY_STANDING && (phase == EXPLAIN_ANY || a->phase == phase))
            return story_job_reason(x->job, a->why);
    }
    return REASON_PLAIN(WHY_NONE);
}

void explain_standing(const struct reason *r, struct str *out)
{
    if (words_reason_number(r, "rank") > 0)
        explain_words("rank {rank|7}, with ", "", r, out);
    explain_words("{volume|3} cluster-seconds of work", "", r, out);
    if (words_reason_number(r, "time_s") > 0)
        explain_words(" and {time_s|s} along its longest path", "", r, out);
    str_add(out, " left");
}

/* ---- reasons ---- */

static struct words number_words(double value, const char *form)
{
    if (strcmp(form, "s") == 0)
        return words_seconds(value);
    if (strcmp(form, "%") == 0)
        return words_share(value);
    if (form[0] >= '1' && form[0] <= '9')
        return words_number(value, atoi(form));
    return words_counted(value, form);
}

void explain_words(const char *text, const char *who, const struct reason *r, struct str *out)
{
    for (const char *open; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
        char name[32] = "", form[32] = "";
        str_addf(out, "%.*s", (int)(open - text), text);
        if (sscanf(open, "{%31[^|}]|%31[^}]}", name, form) == 2)
            str_add(out, number_words(words_reason_number(r, name), form).text);
        else
            str_add(out, who);
    }
    str_add(out, text);
}

void explain_pressure(const struct explain *x, const struct reason *r, struct str *out)
{
    double disk = words_reason_number(r, "disk"), memory = words_reason_number(r, "memory");
    double number = words_reason_number(r, "node");
    if (r->count < 3) { /* asked to end once more */
        str_add(out, "the disk or the memory of its node was busy");
        return;
    }
    struct node_id node = {number >= 0 && number < NODES_MAX ? (uint32_t)number : NODE_NONE.v};
    explain_words(memory > disk ? "the memory of {} was short: something waited for it {memory|%} "
                                  "of the time"
                                : "the disk of {} was busy: something waited for it {disk|%} of "
                                  "the time",
                  explain_node(x, node).text, r, out);
}

void explain_reason(const struct reason *r, struct str *out)
{
    str_add(out, reason_name(r->code));
    for (uint8_t i = 0; i < r->count; i++)
        str_addf(out, "%s%s=%s", i ? ", " : " (", reason_number_name(r->code, i),
                 words_number(r->num[i], 4).text);
    str_add(out, r->count ? ")" : "");
}

void explain_why(const char *const table[WHY_CODE_END], const char *other, const char *who,
                 const struct reason *r, struct str *out)
{
    if (r->code < WHY_CODE_END && table[r->code]) {
        explain_words(table[r->code], who, r, out);
        return;
    }
    str_add(out, other);
    explain_reason(r, out);
}
