/* policy.c - from names to a policy and back.
 *
 * The text form is the same on the command line and in the journal: a recipe and parts separated by
 * commas, then settings after semicolons. policy_create reads the text of policy_describe, so that
 * a journal suffices to make the same brain again. */
#include "core/policy/policy.h"

#include <string.h>

#include "base/check.h"
#include "core/policy/table.h"

/* Parameters that belong to no part but to every policy. */
#define PARAMS struct policy
static const struct field core_params[] = {
    PARAM_INT("failures_max", failures_max, "4", 1, 100,
              "a task that has failed this often fails its job"),
    PARAM_INT("launches_max", launches_max, "1000", 1, 60000,
              "a task launched this often, and lost every time, fails its job; no backups beyond "
              "half of it"),
    PARAM_REAL("cap", cap, "1", 0, 1,
               "extra slot-seconds per trailing hour, as a share of the cluster's; 1: no cap"),
    PARAM_TIME("cap_window", cap_window_us, "1h", 1, 1e7, "how long the hour of cap is"),
    PARAM_TIME("tick", tick_us, "0s", 0, 1e7,
               "attempts start at multiples of it only; 0: at any time"),
    PARAM_CHOICE("disks", disks, "one", "one|own",
                 "whether a full disk stops all nodes, or its own node alone"),
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
    return err_set(err, "unknown %s '%s'; 'dolly policies --all' lists them", what, name);
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

static const struct mitigate_ops *mitigation(const struct policy *p, uint32_t i)
{
    return (const struct mitigate_ops *)p->parts[PART_MITIGATE + i].ops;
}

/* Two that clone would spend each other's budget, and one that ends copies would end those of the
 * other, which starts them again for ever. */
static int mitigate_agree(const struct policy *p, struct err *err)
{
    if (p->mitigate_count < 2)
        return 0;
    const struct mitigate_ops *a = mitigation(p, 0);
    const struct mitigate_ops *b = mitigation(p, 1);
    const char *first = a->part.name, *second = b->part.name;
    if (a == b)
        return err_set(err, "mitigate=%s+%s: the same policy twice", first, second);
    if (a->phase_started && b->phase_started)
        return err_set(err,
                       "mitigate=%s+%s: both clone; expected one that clones and one that reacts",
                       first, second);
    if (a->backs_up && b->backs_up && (a->ends_copies || b->ends_copies))
        return err_set(
            err,
            "mitigate=%s+%s: %s ends the copies that %s starts; expected one of them, alone "
            "or with one that clones (dolly+%s)",
            first, second, a->ends_copies ? first : second, a->ends_copies ? second : first, first);
    return 0;
}

/* mitigate may name a proactive policy and its reactive partner: "dolly+late". */
static int choose_mitigate(struct policy *p, char *names, struct err *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MITIGATE_MAX; i++)
        choice_clear(&p->parts[PART_MITIGATE + i]);
    for (char *name; (name = strsep(&names, "+"));) {
        const struct policy_part *part = part_find(SEAM_MITIGATE, name);
        if (!part)
            return choose_unknown(SEAM_MITIGATE, name, err);
        if (count == MITIGATE_MAX)
            return err_set(err, "mitigate: at most %d policies can be combined", MITIGATE_MAX);
        choice_put(&p->parts[PART_MITIGATE + count++], part);
    }
    p->mitigate_count = count;
    return mitigate_agree(p, err);
}

static int choose(struct policy *p, char *word, struct err *err)
{
    char *name = strchr(word, '=');
    check(name);
    *name++ = '\0';
    if (strcmp(word, "cap") == 0 || strcmp(word, "tick") == 0)
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
        choice_put(&p->parts[seam_part((enum seam)i)], part);
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

/* Applies "key=value;key=value", which it takes to pieces. */
static int apply_settings(struct policy *p, char *settings, struct err *err)
{
    for (char *key; (key = strsep(&settings, ";"));) {
        char *value = strchr(key, '=');
        if (!value)
            return err_set(err, "policy setting '%s': must be key=value", key);
        *value++ = '\0';
        if (policy_set(p, key, value, err) < 0)
            return -1;
    }
    return 0;
}

/* Applies words and, behind a semicolon, settings. */
static int apply_text(struct policy *p, const char *text, struct err *err)
{
    char *copy = mem_strdup(text), *settings = copy;
    int bad = apply_words(p, strsep(&settings, ";"), err);
    if (bad == 0)
        bad = apply_settings(p, settings, err);
    mem_free(copy);
    return bad;
}

static int apply_recipe(struct policy *p, const char *name, struct err *err)
{
    const char *names[64];
    check(table_recipe_count <= sizeof names / sizeof *names);
    for (uint32_t i = 0; i < table_recipe_count; i++) {
        names[i] = table_recipes[i].name;
        if (strcmp(names[i], name) == 0)
            return apply_text(p, table_recipes[i].overrides, err);
    }
    return fail_unknown("policy", name, names, table_recipe_count, err);
}

struct policy *policy_create(const char *text, struct err *err)
{
    struct policy *p = mem_zalloc(1, sizeof *p);
    param_defaults(core_params, p);
    int bad = apply_recipe(p, table_recipes[0].name, err);
    if (bad == 0 && (*text == '\0' || *text == ';'))
        bad = err_set(err, "policy: a name is missing; 'dolly policies --all' lists them");
    if (bad == 0)
        bad = apply_text(p, text, err);
    if (bad == 0)
        return p;
    policy_destroy(p);
    return NULL;
}

void policy_destroy(struct policy *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < PART_COUNT; i++)
        choice_clear(&p->parts[i]);
    mem_free(p);
}

/* ---- parameters ---- */

/* The key without its part's name, when that name is `part` or absent; else NULL. */
static const char *key_for(const char *key, const char *part)
{
    const char *dot = strchr(key, '.');
    if (!dot)
        return key;
    size_t n = (size_t)(dot - key);
    return strncmp(key, part, n) == 0 && part[n] == '\0' ? dot + 1 : NULL;
}

/* The parameter of the table that the key names; `part` is the table's owner. */
static const struct field *param_of(const struct field *table, const char *part, const char *key)
{
    const char *bare = key_for(key, part);
    return bare && table ? field_find(table, bare) : NULL;
}

static const char *seam_of(uint32_t part)
{
    uint32_t seam = part < PART_SHUFFLE ? part : part - MITIGATE_MAX + 1;
    return table_seams[seam > SEAM_MITIGATE && part < PART_SHUFFLE ? SEAM_MITIGATE : seam].name;
}

/* The same of a chosen part, which may also be named by its seam. */
static const struct field *param_of_part(const struct policy *p, uint32_t i, const char *key)
{
    const struct policy_part *part = p->parts[i].ops;
    if (!part)
        return NULL;
    const struct field *q = param_of(part->params, part->name, key);
    return q ? q : param_of(part->params, seam_of(i), key);
}

int policy_set(struct policy *p, const char *key, const char *value, struct err *err)
{
    const char *names[256];
    size_t count = 0;
    bool found = false;
    const struct field *core = param_of(core_params, "policy", key);
    for (const struct field *q = core_params; q->name; q++)
        names[count++] = q->name;
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        const struct policy_part *part = p->parts[i].ops;
        for (const struct field *q = part ? part->params : NULL; q && q->name; q++) {
            check(count < sizeof names / sizeof *names);
            names[count++] = q->name;
        }
        const struct field *q = param_of_part(p, i, key);
        if (q && param_set(q, p->parts[i].params, value, err) < 0)
            return -1;
        found |= q != NULL;
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
    for (int s = 0; s < SEAM_COUNT; s++)
        for (uint32_t i = 0; i < table_seams[s].count; i++)
            if (param_of(table_seams[s].parts[i]->params, table_seams[s].parts[i]->name, key) ||
                param_of(table_seams[s].parts[i]->params, table_seams[s].name, key))
                return true;
    return param_of(core_params, "policy", key) != NULL;
}

bool policy_has(const struct policy *p, const char *key)
{
    for (uint32_t i = 0; i < PART_COUNT; i++)
        if (param_of_part(p, i, key))
            return true;
    return param_of(core_params, "policy", key) != NULL;
}

const struct field *policy_common_params(void)
{
    return core_params;
}

bool policy_reads_progress(const struct policy *p)
{
    for (uint32_t i = 0; i < p->mitigate_count; i++)
        if (mitigation(p, i)->reads_progress)
            return true;
    return false;
}

bool policy_may_clone(const struct policy *p)
{
    for (uint32_t i = 0; i < p->mitigate_count; i++)
        if (mitigation(p, i)->phase_started)
            return true;
    return false;
}

bool policy_reads_links(const struct policy *p)
{
    const struct place_ops *place = (const struct place_ops *)p->parts[PART_PLACE].ops;
    struct part_ctx ctx = {.params = p->parts[PART_PLACE].params};
    return place->reads_links && place->reads_links(&ctx);
}

/* ---- text ---- */

/* Journals of runs without ticks, or on one disk, read as they did before there were others. */
static bool is_as_ever(const struct field *q, const struct policy *p)
{
    return (q->offset == offsetof(struct policy, tick_us) && p->tick_us == 0) ||
           (q->offset == offsetof(struct policy, disks) && p->disks == DISKS_ONE);
}

static void describe_params(struct str *out, const char *part, const struct field *table,
                            const void *values)
{
    for (const struct field *q = table; q && q->name; q++) {
        if (table == core_params && is_as_ever(q, values))
            continue;
        str_addf(out, ";%s.%s=", part, q->name);
        field_text(q, values, out);
    }
}

/* Whether a part of the same name has a parameter of the same name, as those of DollyMP do. */
static bool has_namesake(const struct policy *p, uint32_t i)
{
    const struct policy_part *mine = p->parts[i].ops;
    for (uint32_t k = 0; k < PART_COUNT; k++) {
        const struct policy_part *other = p->parts[k].ops;
        if (k == i || !other || !other->params || strcmp(other->name, mine->name) != 0)
            continue;
        for (const struct field *q = mine->params; q && q->name; q++)
            if (field_find(other->params, q->name))
                return true;
    }
    return false;
}

/* The name by which a part's parameters are meant and no other's. */
static const char *name_of(const struct policy *p, uint32_t i)
{
    return has_namesake(p, i) ? seam_of(i) : p->parts[i].ops->name;
}

static void describe_part(struct str *out, const struct policy *p, uint32_t i)
{
    describe_params(out, name_of(p, i), p->parts[i].ops->params, p->parts[i].params);
}

static void describe_choice(struct str *out, const struct policy *p, enum seam seam)
{
    str_addf(out, "%s=%s", table_seams[seam].name, p->parts[seam_part(seam)].ops->name);
    for (uint32_t k = 1; seam == SEAM_MITIGATE && k < p->mitigate_count; k++)
        str_addf(out, "+%s", mitigation(p, k)->part.name);
}

void policy_describe(const struct policy *p, struct str *out)
{
    for (int i = 0; i < SEAM_COUNT; i++) {
        str_add(out, i ? "," : "");
        describe_choice(out, p, (enum seam)i);
    }
    describe_params(out, "policy", core_params, p);
    for (int i = 0; i < SEAM_COUNT; i++)
        describe_part(out, p, seam_part((enum seam)i));
    for (uint32_t k = 1; k < p->mitigate_count; k++)
        describe_part(out, p, PART_MITIGATE + k);
}

/* ---- the same for people ---- */

static void add_brief_value(struct str *out, const struct field *q, const void *values)
{
    const void *at = (const char *)values + q->offset;
    double real;
    int64_t us;
    if (q->type == FIELD_REAL)
        str_add_real(out, (memcpy(&real, at, sizeof real), real));
    else if (q->type == FIELD_TIME && (memcpy(&us, at, sizeof us), us % 1000000 == 0))
        str_addf(out, "%llds", (long long)(us / 1000000));
    else
        field_text(q, values, out);
}

/* Those that differ from the usual ones; `part` may be NULL. */
static void add_unusual(struct str *out, const char *part, const struct field *table,
                        const void *values, const void *usual)
{
    for (const struct field *q = table; q && q->name; q++) {
        struct str mine = {0}, its = {0};
        add_brief_value(&mine, q, values);
        add_brief_value(&its, q, usual);
        if (strcmp(mine.text, its.text) != 0)
            str_addf(out, ";%s%s%s=%s", part ? part : "", part ? "." : "", q->name, mine.text);
        str_free(&mine);
        str_free(&its);
    }
}

static bool is_same(const struct policy *a, const struct policy *b)
{
    struct str one = {0}, other = {0};
    policy_describe(a, &one);
    policy_describe(b, &other);
    bool same = strcmp(one.text, other.text) == 0;
    str_free(&one);
    str_free(&other);
    return same;
}

/* Appends what differs from a policy of the same parts whose text stands in *out already, with
 * names of parts only where they are needed. */
static void add_settings(struct str *out, const struct policy *p)
{
    struct err err;
    struct policy *usual = policy_create(out->text, &err), *made = NULL;
    size_t before = out->length;
    for (int named = 0; named < 2 && (!made || !is_same(made, p)); named++) {
        str_cut(out, before);
        add_unusual(out, named ? "policy" : NULL, core_params, p, usual);
        for (uint32_t i = 0; i < PART_COUNT; i++)
            if (p->parts[i].ops)
                add_unusual(out, named ? name_of(p, i) : NULL, p->parts[i].ops->params,
                            p->parts[i].params, usual->parts[i].params);
        policy_destroy(made);
        made = policy_create(out->text, &err);
    }
    policy_destroy(made);
    policy_destroy(usual);
}

/* Appends the recipe's name and what of this policy is not of it. */
static void describe_beside(const struct policy *p, const char *recipe, struct str *out)
{
    struct err err;
    struct policy *usual = policy_create(recipe, &err);
    str_add(out, recipe);
    for (int i = 0; i < SEAM_COUNT; i++) {
        struct str mine = {0}, its = {0};
        describe_choice(&mine, p, (enum seam)i);
        describe_choice(&its, usual, (enum seam)i);
        if (strcmp(mine.text, its.text) != 0)
            str_addf(out, ",%s", mine.text);
        str_free(&mine);
        str_free(&its);
    }
    policy_destroy(usual);
    add_settings(out, p);
}

void policy_shorten(const char *text, struct str *out)
{
    struct err err;
    struct policy *p = policy_create(text, &err);
    struct str best = {0};
    for (uint32_t i = 0; p && i < table_recipe_count; i++) {
        struct str one = {0};
        describe_beside(p, table_recipes[i].name, &one);
        if (best.length && best.length <= one.length) {
            str_free(&one);
            continue;
        }
        str_free(&best);
        best = one;
    }
    str_add(out, p ? best.text : text);
    str_free(&best);
    policy_destroy(p);
}

uint32_t policy_split(const char *text, char ***list)
{
    VEC(char *) out = {0};
    struct str one = {0};
    for (bool more = true; more;) {
        size_t n = strcspn(text, ",");
        /* A bare name begins the next policy; one with a colon is more of a list before it. */
        bool part =
            memchr(text, '=', strcspn(text, ",;")) || memchr(text, ':', strcspn(text, ",;"));
        if (!part && one.length) {
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
