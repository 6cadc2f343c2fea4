/* cmd_policies.c - `dolly policies`: the tables of core/policy/policy.h, printed.
 *
 * Nothing is described here a second time: a new part, parameter or recipe shows up by being in its
 * table. Text (policies_text.c) and JSON walk the same tables in the same order. */
#include <stdbool.h>
#include <stddef.h>

#include "commands/cli/policies_text.h"
#include "commands/commands.h"
#include "core/policy/policy.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

struct args {
    bool json, all;
    const char *name;
};

#define OPTIONS struct args

static const struct field options[] = {
    {FLAG("all", all, "list every part, parameter and recipe")},
    {FLAG("json", json, "print the same as one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "policies",
    .usage = "usage: dolly policies [NAME | --all | --json]\n\n"
             "Prints which policy suits which load; with NAME the parts, parameters and pages\n"
             "of one. A policy is a recipe, parts, or both:\n\n"
             "  none    dolly    dolly,order=fifo    'dolly;beta=0.1'\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly policies late\n"
             "  dolly policies --json | jq -r '.recipes[].name'",
    .has_operand = true,
    .operand_at = offsetof(struct args, name),
};

static void add_param(json_t *params, const struct field *p)
{
    static const char *const types[] = {
        [FIELD_REAL] = "real",     [FIELD_INT] = "int",
        [FIELD_TIME] = "time",     [FIELD_WAIT] = "time, auto or inf",
        [FIELD_CHOICE] = "choice", [FIELD_OWN] = "text"};
    json_t *object = json_out_add(params);

    json_out_put(object, "name", p->name);
    json_out_put(object, "type", types[p->type]);
    json_out_put(object, "default", p->fallback);
    if (p->type == FIELD_CHOICE) {
        json_out_put(object, "choices", p->choices);
    } else if (p->type == FIELD_OWN) {
        json_out_put(object, "form", p->want);
    } else {
        json_out_set(object, "min", json_out_number(p->min, p->type == FIELD_INT));
        json_out_set(object, "max", json_out_number(p->max, p->type == FIELD_INT));
    }
    json_out_put(object, "help", p->help);
}

/* `table` may be NULL. */
static void add_params(json_t *object, const struct field *table)
{
    json_t *params = json_out_list(object, "params");

    for (const struct field *p = table; p && p->name; p++)
        add_param(params, p);
}

static void add_seam(json_t *object, enum seam seam)
{
    uint32_t count;
    const struct policy_part *const *parts = policy_parts(seam, &count);

    json_out_put(object, "seam", policy_seam_name(seam));
    json_t *policies = json_out_list(object, "policies");
    for (uint32_t i = 0; i < count; i++) {
        json_t *part = json_out_add(policies);
        json_out_members(part, parts[i], name, help);
        add_params(part, parts[i]->params);
    }
}

static void print_json(void)
{
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    json_t *object = json_object(), *seams = json_out_list(object, "seams");
    json_t *list = json_out_list(object, "recipes");

    for (int seam = 0; seam < SEAM_COUNT; seam++)
        add_seam(json_out_add(seams), (enum seam)seam);
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", recipes[i].name, "help",
                                              recipes[i].help, "parts", recipes[i].overrides));
    add_params(object, policy_common_params());
    json_out_print(object);
}

int cmd_policies(int argc, char **argv)
{
    struct args a = {0};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if ((a.name != NULL) + a.all + a.json > 1)
        return cli_usage("policies", "expected one of NAME, --all and --json");
    if (a.name)
        return policies_text_one(a.name, &err) < 0 ? cli_fail(&err) : EXIT_DONE;
    if (a.json)
        print_json();
    else if (a.all)
        policies_text_all();
    else
        policies_text_choice();
    return EXIT_DONE;
}
