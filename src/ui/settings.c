/* settings.c - values of policy parameters as users write them: `key=value`, or `key=@FILE`. */
#include "ui/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "core/policy/policy.h"
#include "exec/process/runner.h"

/* No part at all knows the key. */
static int unknown(const char *key, struct err *err)
{
    VEC(const char *) names = {0};

    for (const struct field *p = policy_common_params(); p->name; p++)
        vec_push(&names, p->name);
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        uint32_t count;
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++)
            for (const struct field *p = parts[i]->params; p && p->name; p++)
                vec_push(&names, p->name);
    }
    const char *nearest = text_nearest(key, names.at, names.count);
    vec_free(&names);
    if (nearest)
        return err_set(err, "--set %s: no policy has such a parameter, did you mean %s?", key,
                       nearest);
    return err_set(
        err, "--set %s: no policy has such a parameter; `dolly policies --all` lists them", key);
}

static int apply(const char *key, const char *value, struct policy *const *policies, uint32_t count,
                 struct err *err)
{
    bool used = false;

    if (!policy_knows(key))
        return unknown(key, err);
    for (uint32_t i = 0; i < count; i++)
        if (policy_has(policies[i], key)) {
            used = true;
            if (policy_set(policies[i], key, value, err) < 0)
                return -1;
        }
    if (!used)
        return err_set(err, "--set %s: none of the chosen policies has this parameter", key);
    return 0;
}

/* Appends what the line says: no comment, no blanks at its ends. */
static void add_line(struct str *out, const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    if (comment)
        length = (size_t)(comment - line);
    for (; length > 0 && strchr(" \t\r", *line); length--)
        line++;
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    if (length > 0)
        str_addf(out, "%s%.*s", out->length ? "," : "", (int)length, line);
}

/* The lines of the file, joined by commas. */
static int read_value(const char *key, const char *path, struct str *out, struct err *err)
{
    enum { BYTES_MAX = 1 << 16 };
    char *text = mem_zalloc(1, BYTES_MAX + 2);
    FILE *f = fopen(path, "re");
    size_t bytes = f ? fread(text, 1, BYTES_MAX + 1, f) : 0;
    int failed = !f || ferror(f) ? errno : 0;
    if (f)
        fclose(f);
    str_add(out, "");
    for (const char *line = text; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        add_line(out, line, length);
        line += length;
    }
    bool zeros = strlen(text) < bytes;
    mem_free(text);
    if (failed)
        return err_set(err, "--set %s=@%s: cannot read it: %s", key, path, strerror(failed));
    if (bytes > BYTES_MAX)
        return err_set(err, "--set %s=@%s: expected a file of at most 64K", key, path);
    if (zeros)
        return err_set(err, "--set %s=@%s: it has a zero byte; expected lines of text", key, path);
    return 0;
}

int settings_apply(const char *text, struct policy *const *policies, uint32_t count,
                   struct err *err)
{
    const char *equal = strchr(text, '=');

    if (!equal || equal == text)
        return err_set(err, "--set %s: expected KEY=VALUE", text);
    char *key = mem_strdup(text);
    key[equal - text] = '\0';
    struct str read = {0};
    bool file = equal[1] == '@';
    int result = file ? read_value(key, equal + 2, &read, err) : 0;
    if (result == 0)
        result = apply(key, file ? read.text : equal + 1, policies, count, err);
    str_free(&read);
    mem_free(key);
    return result;
}

/* What comes first is overridden by what comes later. */
static struct policy *create_first(const char *text, const char *first, struct err *err)
{
    struct str all = {0};
    size_t names = strcspn(text, ";");

    str_addf(&all, "%.*s%s%s", (int)names, text, first, text + names);
    struct policy *p = policy_create(all.text, err);
    str_free(&all);
    return p;
}

/* Who has read of `dolly sim --policy A,B` may try it here. */
static int check_one(const char *text, struct err *err)
{
    char **list;
    uint32_t count = policy_split(text, &list);

    for (uint32_t i = 0; i < count; i++)
        mem_free(list[i]);
    mem_free(list);
    if (count < 2)
        return 0;
    return err_set(err, "--policy %s: a run has one policy, not %u; `dolly sim` compares several",
                   text, count);
}

struct policy *settings_policy(const char *text, const char *cloning, const char *const *settings,
                               uint32_t count, struct err *err)
{
    struct policy *p = check_one(text, err) == 0 ? policy_create(text, err) : NULL;
    struct str first = {0};

    if (p && policy_has(p, "mantri.delta"))
        str_addf(&first, ";mantri.delta=%dms;mantri.scan=%dms", RUNNER_REPORT_US / 1000,
                 RUNNER_REPORT_US / 2000);
    if (p && policy_has(p, "shepherd.scan"))
        str_addf(&first, ";shepherd.scan=%dms", RUNNER_REPORT_US / 1000);
    if (p && policy_has(p, "shepherd.network") && cloning && !strcmp(cloning, SETTINGS_ONE_MACHINE))
        str_add(&first, ";shepherd.network=none;policy.cap=1");
    if (p && cloning && policy_has(p, "dolly.budget"))
        str_add(&first, cloning);
    if (first.text) {
        policy_destroy(p);
        p = create_first(text, first.text, err);
    }
    str_free(&first);
    for (uint32_t i = 0; p && i < count; i++)
        if (settings_apply(settings[i], &p, 1, err) < 0) {
            policy_destroy(p);
            p = NULL;
        }
    return p;
}

/* Rescues of shepherd become backups when they stop yielding. */
bool settings_took_idle(const char *policy, uint64_t backups)
{
    return strstr(policy, "dolly.budget=idle") ||
           (strstr(policy, "mitigate=shepherd") && backups == 0);
}
