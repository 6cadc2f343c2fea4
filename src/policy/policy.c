/* policy.c - from names to a policy and back.
 *
 * The text form is the same on the command line and in the journal: a recipe and parts separated by
 * commas, then settings behind semicolons. What policy_describe writes, policy_create reads, so
 * that a journal is enough to make the same brain again. */
#include "policy/policy.h"

#include <string.h>

#include "base/check.h"
#include "policy/table.h"

/* Parameters that belong to no part but to every policy. */
static const struct field core_params[] = {
    PARAM("failures_max", FIELD_INT, offsetof(struct policy, failures_max), "4", 1, 100, NULL,
          "a task that failed so often fails its job"),
    PARAM("launches_max", FIELD_INT, offsetof(struct policy, launches_max), "1000", 1, 60000, NULL,
          "a task launched so often, and lost every time, fails its job; no backups beyond "
          "half of it"),
    PARAM("cap", FIELD_REAL, offsetof(struct policy, cap), "1", 0, 1, NULL,
          "extra slot-seconds per trailing hour, as a share of the cluster's; 1: no cap"),
    PARAM("cap_window", FIELD_TIME, offsetof(struct policy, cap_window_us), "1h", 1, 1e7, NULL,
          "how long the hour of cap is"),
    {0},
};

enum { WORD_MAX = 128 };

static const struct policy_part *part_find(enum seam seam, const char *name)
{
    for (uint32_t i = 0; i < table_seams[seam].count; i++)
        if (strcmp(table_seams[seam].parts[i]->name, name) == 0)
            return table_seams[seam].parts[i];
    return NULL;
}

static int fail_unknown(const char *what, const char *name, const char *const *names, size_t count,
                        struct err *err)
{
    const char *near = text_nearest(name, names, count);
    if (near)
        return err_set(err, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return err_set(err, "unknown %s '%s'; 'dolly policies' lists them", what, name);
}

/* ---- choosing parts ---- */

static void choice_clear(struct choice *c)
{
    mem_free(c->params);
    *c = (struct choice){0};
}

static void choice_put(struct choice *c, const struct policy_part *part)
{
    choice_clear(c);
    c->ops = part;
    if (part->params_size) {
        c->params = mem_zalloc(1, part->params_size);
        param_defaults(part->params, c->params);
    }
}

static struct choice *policy_choice(struct policy *p, enum seam seam)
{
    switch (seam) {
    case SEAM_ORDER:
        return &p->order;
    case SEAM_WITHIN:
        return &p->within;
    case SEAM_PLACE:
        return &p->place;
    case SEAM_SHUFFLE:
        return &p->shuffle;
    case SEAM_PROTECT:
        return &p->protect;
    case SEAM_SCREEN:
        return &p->screen;
    default:
        return &p->mitigate[0];
    }
}

static int choose_unknown(enum seam seam, const char *name, struct err *err)
{
    const char *names[32];
    uint32_t n = table_seams[seam].count;
    check(n <= sizeof names / sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = table_seams[seam].parts[i]->name;
    char what[WORD_MAX];
    struct err text;
    err_set(&text, "%s policy", table_seams[seam].name);
    memcpy(what, text.text, sizeof what - 1);
    what[sizeof what - 1] = '\0';
    return fail_unknown(what, name, names, n, err);
}

/* Two that clone would spend each other's budget, and one that ends copies would end those of the
 * other, which starts them again for ever. */
static int mitigate_agree(const struct policy *p, struct err *err)
{
    if (p->mitigate_count < 2)
        return 0;
    const struct mitigate_ops *a = (const struct mitigate_ops *)p->mitigate[0].ops;
    const struct mitigate_ops *b = (const struct mitigate_ops *)p->mitigate[1].ops;
    const char *first = a->part.name, *second = b->part.name;
    if (a == b)
        return err_set(err, "mitigate=%s+%s: the same policy twice", first, second);
    if (a->phase_started && b->phase_started)
        return err_set(err, "mitigate=%s+%s: both clone; want one that clones and one that reacts",
                       first, second);
    if (a->backs_up && b->backs_up && (a->ends_copies || b->ends_copies))
        return err_set(err,
                       "mitigate=%s+%s: %s ends the copies that %s starts; want one of them, alone "
                       "or with one that clones (dolly+%s)",
                       first, second, a->ends_copies ? first : second,
                       a->ends_copies ? second : first, first);
    return 0;
}

/* mitigate may name a proactive policy and its reactive partner: "dolly+late". */
static int choose_mitigate(struct policy *p, char *names, struct err *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MITIGATE_MAX; i++)
        choice_clear(&p->mitigate[i]);
    for (char *rest = names, *name; (name = rest) != NULL;) {
        rest = strchr(name, '+');
        if (rest)
            *rest++ = '\0';
        const struct policy_part *part = part_find(SEAM_MITIGATE, name);
        if (!part)
            return choose_unknown(SEAM_MITIGATE, name, err);
        if (count == MITIGATE_MAX)
            return err_set(err, "mitigate: at most %d policies can be combined", MITIGATE_MAX);
        choice_put(&p->mitigate[count++], part);
    }
    p->mitigate_count = count;
    return mitigate_agree(p, err);
}

static int choose(struct policy *p, char *word, struct err *err)
{
    char *name = strchr(word, '=');
    check(name);
    *name++ = '\0';
    if (strcmp(word, "cap") == 0)
        return param_set(field_find(core_params, word), p, name, err);
    const char *seams[SEAM_COUNT];
    for (int i = 0; i < SEAM_COUNT; i++) {
        seams[i] = table_seams[i].name;
        if (strcmp(seams[i], word) != 0)
            continue;
        if (i == SEAM_MITIGATE)
            return choose_mitigate(p, name, err);
        const struct policy_part *part = part_find((enum seam)i, name);
        if (!part)
            return choose_unknown((enum seam)i, name, err);
        choice_put(policy_choice(p, (enum seam)i), part);
        return 0;
    }
    return fail_unknown("seam", word, seams, SEAM_COUNT, err);
}

static int apply_recipe(struct policy *p, const char *name, struct err *err);

/* Applies "a,b=c,d=e" word by word. */
static int apply_words(struct policy *p, const char *text, struct err *err)
{
    while (*text) {
        size_t n = strcspn(text, ",");
        char word[WORD_MAX];
        if (n == 0 || n >= sizeof word)
            return err_set(err, "policy '%s': %s", text,
                           n ? "a name is too long" : "a name is missing");
        memcpy(word, text, n);
        word[n] = '\0';
        if ((strchr(word, '=') ? choose(p, word, err) : apply_recipe(p, word, err)) < 0)
            return -1;
        text += n;
        if (*text == ',' && *++text == '\0')
            return err_set(err, "policy: a name is missing after the last comma");
    }
    return 0;
}

static int apply_recipe(struct policy *p, const char *name, struct err *err)
{
    const char *names[64];
    check(table_recipe_count <= sizeof names / sizeof *names);
    for (uint32_t i = 0; i < table_recipe_count; i++) {
        names[i] = table_recipes[i].name;
        if (strcmp(names[i], name) == 0)
            return apply_words(p, table_recipes[i].parts, err);
    }
    return fail_unknown("policy", name, names, table_recipe_count, err);
}

struct policy *policy_create(const char *text, struct err *err)
{
    struct policy *p = mem_zalloc(1, sizeof *p);
    param_defaults(core_params, p);
    char *copy = mem_strdup(text);
    char *settings = strchr(copy, ';');
    if (settings)
        *settings++ = '\0';
    int bad = apply_recipe(p, table_recipes[0].name, err);
    if (bad == 0 && *copy == '\0')
        bad = err_set(err, "policy: a name is missing; 'dolly policies' lists them");
    if (bad == 0)
        bad = apply_words(p, copy, err);
    while (bad == 0 && settings) {
        char *next = strchr(settings, ';');
        if (next)
            *next++ = '\0';
        char *value = strchr(settings, '=');
        if (!value) {
            bad = err_set(err, "policy setting '%s': must be key=value", settings);
        } else {
            *value++ = '\0';
            bad = policy_set(p, settings, value, err);
        }
        settings = next;
    }
    mem_free(copy);
    if (bad == 0)
        return p;
    policy_destroy(p);
    return NULL;
}

void policy_destroy(struct policy *p)
{
    if (!p)
        return;
    for (int i = 0; i < SEAM_COUNT; i++)
        choice_clear(policy_choice(p, (enum seam)i));
    for (uint32_t i = 0; i < MITIGATE_MAX; i++)
        choice_clear(&p->mitigate[i]);
    mem_free(p);
}

/* ---- parameters ---- */

/* All chosen parts: one per seam, and mitigation's partner. */
enum { CHOICES_MAX = SEAM_COUNT + MITIGATE_MAX - 1 };

static uint32_t policy_choices(struct policy *p, struct choice *out[CHOICES_MAX])
{
    uint32_t n = 0;
    for (int i = 0; i < SEAM_COUNT; i++)
        out[n++] = policy_choice(p, (enum seam)i);
    for (uint32_t i = 1; i < p->mitigate_count; i++)
        out[n++] = &p->mitigate[i];
    return n;
}

/* The key without its part's name, when that name is `part` or absent; else NULL. */
static const char *key_for(const char *key, const char *part)
{
    const char *dot = strchr(key, '.');
    if (!dot)
        return key;
    size_t n = (size_t)(dot - key);
    return strncmp(key, part, n) == 0 && part[n] == '\0' ? dot + 1 : NULL;
}

int policy_set(struct policy *p, const char *key, const char *value, struct err *err)
{
    struct choice *choices[CHOICES_MAX];
    uint32_t n = policy_choices(p, choices), found = 0;
    const char *names[256];
    size_t count = 0;
    const char *own = key_for(key, "policy");
    const struct field *core = own ? field_find(core_params, own) : NULL;
    for (const struct field *q = core_params; q->name; q++)
        names[count++] = q->name;
    for (uint32_t i = 0; i < n; i++) {
        const struct field *table = choices[i]->ops->params;
        for (const struct field *q = table; q && q->name; q++) {
            check(count < sizeof names / sizeof *names);
            names[count++] = q->name;
        }
        const char *bare = key_for(key, choices[i]->ops->name);
        const struct field *q = bare && table ? field_find(table, bare) : NULL;
        if (!q)
            continue;
        if (param_set(q, choices[i]->params, value, err) < 0)
            return -1;
        found++;
    }
    if (found)
        return 0;
    if (core) /* a part that has one of the same name comes first: LATE's own cap */
        return param_set(core, p, value, err);
    if (policy_knows(key))
        return err_set(err, "parameter '%s' belongs to no part of this policy", key);
    return fail_unknown("parameter", key, names, count, err);
}

bool policy_knows(const char *key)
{
    const char *own = key_for(key, "policy");
    if (own && field_find(core_params, own))
        return true;
    for (int s = 0; s < SEAM_COUNT; s++)
        for (uint32_t i = 0; i < table_seams[s].count; i++) {
            const struct policy_part *part = table_seams[s].parts[i];
            const char *bare = key_for(key, part->name);
            if (bare && part->params && field_find(part->params, bare))
                return true;
        }
    return false;
}

bool policy_has(const struct policy *p, const char *key)
{
    struct policy *q = (struct policy *)(uintptr_t)p; /* policy_choices only looks */
    struct choice *choices[CHOICES_MAX];
    uint32_t n = policy_choices(q, choices);
    const char *own = key_for(key, "policy");
    if (own && field_find(core_params, own))
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const char *bare = key_for(key, choices[i]->ops->name);
        if (bare && choices[i]->ops->params && field_find(choices[i]->ops->params, bare))
            return true;
    }
    return false;
}

const struct field *policy_common_params(void)
{
    return core_params;
}

bool policy_reads_progress(const struct policy *p)
{
    for (uint32_t i = 0; i < p->mitigate_count; i++)
        if (((const struct mitigate_ops *)p->mitigate[i].ops)->reads_progress)
            return true;
    return false;
}

bool policy_reads_links(const struct policy *p)
{
    const struct place_ops *place = (const struct place_ops *)p->place.ops;
    struct part_ctx ctx = {.params = p->place.params};
    return place->reads_links && place->reads_links(&ctx);
}

/* ---- text ---- */

static void describe_params(struct str *out, const char *part, const struct field *table,
                            const void *values)
{
    for (const struct field *q = table; q && q->name; q++) {
        struct str text = {0};
        field_text(q, values, &text);
        str_addf(out, ";%s.%s=%s", part, q->name, text.text);
        str_free(&text);
    }
}

void policy_describe(const struct policy *p, struct str *out)
{
    struct policy *q = (struct policy *)(uintptr_t)p; /* policy_choices only looks */
    struct choice *choices[CHOICES_MAX];
    uint32_t n = policy_choices(q, choices);
    for (int i = 0; i < SEAM_COUNT; i++) {
        str_addf(out, "%s%s=%s", i ? "," : "", table_seams[i].name, choices[i]->ops->name);
        for (uint32_t k = 1; i == SEAM_MITIGATE && k < p->mitigate_count; k++)
            str_addf(out, "+%s", p->mitigate[k].ops->name);
    }
    describe_params(out, "policy", core_params, p);
    for (uint32_t i = 0; i < n; i++)
        describe_params(out, choices[i]->ops->name, choices[i]->ops->params, choices[i]->params);
}

uint32_t policy_split(const char *text, char ***list)
{
    VEC(char *) out = {0};
    struct str one = {0};
    for (bool more = true; more;) {
        size_t n = strcspn(text, ",");
        bool part = memchr(text, '=', strcspn(text, ",;")) != NULL;
        if (!part && one.length) { /* a bare name begins the next policy */
            vec_push(&out, mem_strdup(one.text));
            str_free(&one);
        }
        str_addf(&one, "%s%.*s", one.length ? "," : "", (int)n, text);
        if (one.length == 0)
            str_add(&one, " "); /* a missing name: kept, so that it is refused */
        more = text[n] == ',';
        text += n + 1;
    }
    vec_push(&out, mem_strdup(one.text));
    str_free(&one);
    *list = out.at;
    return out.count;
}

const struct recipe *policy_recipes(uint32_t *count)
{
    *count = table_recipe_count;
    return table_recipes;
}

const char *policy_seam_name(enum seam seam)
{
    return table_seams[seam].name;
}

const struct policy_part *const *policy_parts(enum seam seam, uint32_t *count)
{
    *count = table_seams[seam].count;
    return table_seams[seam].parts;
}
