/* policies_text.c - the tables of core/policy/policy.h, for people.
 *
 * Parts, parameters and recipes are described in their tables and nowhere else: a new one shows up
 * by being there. Only the advice which recipe suits which load is written here; recipes that it
 * leaves out are grouped by what they do. */
#include "commands/cli/policies_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "core/policy/policy.h"
#include "ui/wrap.h"

static const struct advice {
    const char *recipe, *does, *use;
} advice[] = {
    {"shepherd", "copies by the time that they save", "when in doubt; the default"},
    {"none", "one attempt of each task", "commands must not run twice"},
    {"dolly", "clones small jobs from the start", "small jobs, idle slots"},
    {"dolly+mantri", "clones small jobs, Mantri for others", "mixed jobs"},
    {"late", "backs up what will end last", "long tasks with progress"},
    {"dollymp2", "ranks by time and volume, and clones", "cores and memory differ"},
};

enum { ADVICE = sizeof advice / sizeof *advice, NAME = 12, DOES = 36 };

static const struct advice *advice_find(const char *recipe)
{
    for (int i = 0; i < ADVICE; i++)
        if (strcmp(advice[i].recipe, recipe) == 0)
            return &advice[i];
    return NULL;
}

static struct policy *recipe_policy(const struct recipe *r)
{
    struct err err;
    struct policy *p = policy_create(r->name, &err);
    check(p);
    return p;
}

static bool makes_copies(const struct recipe *r)
{
    struct policy *p = recipe_policy(r);
    bool makes = strcmp(p->parts[PART_MITIGATE].ops->name, "none") != 0;
    policy_destroy(p);
    return makes;
}

/* Prints a row with the recipes that no advice names, as far as they fit. */
static void print_others(bool copies, const char *use)
{
    static const char more[] = " ...";
    enum { WIDTH = NAME + 1 + DOES };
    struct str names = {0};
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    bool is_full = false;

    for (uint32_t i = 0; i < count && !is_full; i++) {
        if (advice_find(recipes[i].name) || makes_copies(&recipes[i]) != copies)
            continue;
        is_full = names.length + 1 + strlen(recipes[i].name) + strlen(more) > WIDTH;
        str_addf(&names, "%s%s", names.length && !is_full ? " " : "",
                 is_full ? more : recipes[i].name);
    }
    printf("  %-*s %s\n", WIDTH, names.text ? names.text : "", use);
    str_free(&names);
}

void policies_text_choice(void)
{
    puts("Which policy?  `dolly policies NAME` prints its parameters, `--all` everything");
    for (int i = 0; i < ADVICE; i++)
        printf("  %-*s %-*s %s\n", NAME, advice[i].recipe, DOES, advice[i].does, advice[i].use);
    print_others(false, "another order, no copies");
    print_others(true, "to compare with; see `--all`");
    puts("Settings follow a semicolon: 'dolly;beta=0.1'. At equal cost: 'late,cap=0.05'.");
}

/* ---- parameters ---- */

static void add_range(const struct field *p, struct str *out)
{
    if (p->type == FIELD_CHOICE)
        str_add(out, p->choices);
    else if (p->type == FIELD_OWN)
        str_add(out, p->want);
    else
        param_range(p, " to ", out);
}

/* What a recipe is short for; it has no blanks, so lines end behind a comma or a semicolon. */
static void print_overrides(const char *overrides, int indent)
{
    int column = 0;

    while (*overrides) {
        int length = (int)strcspn(overrides, ",;");
        length += overrides[length] != '\0';
        if (column == 0 || column + length > WRAP_COLUMNS)
            column = printf("%s%*s", column ? "\n" : "", indent, "") - (column > 0);
        column += printf("%.*s", length, overrides);
        overrides += length;
    }
    if (column > 0)
        puts("");
}

static void print_param(const struct field *p)
{
    struct str line = {0};
    int column = printf("    %-12s %-9s ", p->name, p->fallback);

    str_addf(&line, "%s (", p->help);
    add_range(p, &line);
    str_add(&line, ")");
    wrap_print(line.text, column, 27);
    str_free(&line);
}

/* ---- one ---- */

/* The page of a part has its name, except for these. */
static const struct {
    enum seam seam;
    const char *part; /* NULL: all of the seam */
    const char *page; /* NULL: none */
} pages[] = {
    {SEAM_ORDER, "fifo", "order"},     {SEAM_ORDER, "fair", "order"},
    {SEAM_ORDER, "srpt", "smallest"},  {SEAM_ORDER, "svf", "smallest"},
    {SEAM_WITHIN, NULL, "within"},     {SEAM_PLACE, "any", "place"},
    {SEAM_PLACE, "best-fit", "place"}, {SEAM_PLACE, "locality", "place"},
    {SEAM_MITIGATE, "none", NULL},     {SEAM_MITIGATE, "dollymp", "dollymp-clones"},
    {SEAM_SHUFFLE, NULL, "shuffle"},   {SEAM_PROTECT, NULL, "protect"},
    {SEAM_SCREEN, "none", NULL},
};

static const char *page_of(enum seam seam, const char *part)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].seam == seam && (!pages[i].part || strcmp(pages[i].part, part) == 0))
            return pages[i].page;
    return part;
}

static void print_part(enum seam seam, const struct policy_part *part)
{
    const char *page = page_of(seam, part->name);

    printf("\n%s=%s: ", policy_seam_name(seam), part->name);
    wrap_print(part->help, (int)(strlen(policy_seam_name(seam)) + strlen(part->name)) + 3, 4);
    for (const struct field *p = part->params; p && p->name; p++)
        if (!p->filled_in)
            print_param(p);
    if (page)
        printf("    docs/reference/policies/%s.md\n", page);
}

/* Prints the chosen parts of a seam; not those that do nothing. */
static void print_parts(const struct policy *p, enum seam seam)
{
    uint32_t count = seam == SEAM_MITIGATE ? p->mitigate_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        const struct policy_part *part = p->parts[seam_part(seam) + i].ops;
        if (strcmp(part->name, "none") != 0)
            print_part(seam, part);
    }
}

static void print_recipe(const struct recipe *r)
{
    const struct advice *a = advice_find(r->name);
    struct policy *p = recipe_policy(r);
    struct str common = {0};

    printf("%s: ", r->name);
    wrap_print(r->help, (int)strlen(r->name) + 2, 4);
    if (a)
        printf("When to use: %s\n", a->use);
    if (strcmp(r->name, policy_recipes(&(uint32_t){0})->name) != 0) { /* the base of the others */
        puts("Short for:");
        print_overrides(r->overrides, 4);
    }
    for (int seam = 0; seam < SEAM_COUNT; seam++)
        print_parts(p, (enum seam)seam);
    str_add(&common, "Parameters are shown with their defaults. Every policy also has");
    for (const struct field *f = policy_common_params(); f->name; f++)
        str_addf(&common, " %s%s", f->name, f[1].name ? "," : " (`--all`).");
    putchar('\n');
    wrap_print(common.text, 0, 0);
    str_free(&common);
    policy_destroy(p);
}

static int unknown(const char *name, struct err *err)
{
    VEC(const char *) names = {0};
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);

    for (uint32_t i = 0; i < count; i++)
        vec_push(&names, recipes[i].name);
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++)
            vec_push(&names, parts[i]->name);
    }
    const char *near = text_nearest(name, names.at, names.count);
    if (near)
        err_set(err, "unknown policy '%s'; did you mean '%s'?", name, near);
    else
        err_set(err, "unknown policy '%s'; `dolly policies --all` lists them", name);
    vec_free(&names);
    return -1;
}

int policies_text_one(const char *name, struct err *err)
{
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    bool is_part = false;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(recipes[i].name, name) == 0)
            return print_recipe(&recipes[i]), 0;
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++) {
            if (strcmp(parts[i]->name, name) != 0)
                continue;
            if (!is_part)
                printf("%s is a part, for --policy RECIPE,%s=%s\n", name,
                       policy_seam_name((enum seam)seam), name);
            is_part = true;
            print_part((enum seam)seam, parts[i]);
        }
    }
    return is_part ? 0 : unknown(name, err);
}

/* ---- all ---- */

void policies_text_all(void)
{
    uint32_t count;

    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        printf("%s\n", policy_seam_name((enum seam)seam));
        for (uint32_t i = 0; i < count; i++) {
            wrap_print(parts[i]->help, printf("  %-14s ", parts[i]->name), 17);
            for (const struct field *p = parts[i]->params; p && p->name; p++)
                print_param(p);
        }
    }
    puts("\nparameters of every policy");
    for (const struct field *p = policy_common_params(); p->name; p++)
        print_param(p);

    const struct recipe *recipes = policy_recipes(&count);
    puts("\nrecipes");
    for (uint32_t i = 0; i < count; i++) {
        wrap_print(recipes[i].help, printf("  %-14s ", recipes[i].name), 17);
        print_overrides(recipes[i].overrides, 17);
    }
}
