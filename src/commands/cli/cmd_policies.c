/* cmd_policies.c - `dolly policies`: the tables of core/policy/policy.h, printed.
 *
 * Nothing is described here a second time: a new part, parameter or recipe shows up by being in its
 * table. Text (policies_text.c) and JSON walk the same tables in the same order. */
#include <stdbool.h>
#include <stddef.h>

#include "commands/cli/commands.h"
#include "commands/cli/policies_text.h"
#include "core/policy/policy.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

struct args {
    bool json, all;
    const char *name;
};

static const struct field options[] = {
    {.name = "all",
     .type = FIELD_FLAG,
     .offset = offsetof(struct args, all),
     .help = "list every part, parameter and recipe"},
    {.name = "json",
     .type = FIELD_FLAG,
     .offset = offsetof(struct args, json),
     .help = "print the same as one JSON object"},
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

static json_t *param_json(const struct field *p)
{
    static const char *const types[] = {
        [FIELD_REAL] = "real",     [FIELD_INT] = "int",
        [FIELD_TIME] = "time",     [FIELD_WAIT] = "time, auto or inf",
        [FIELD_CHOICE] = "choice", [FIELD_OWN] = "text"};
    json_t *object = json_object();

    json_out_set(object, "name", json_string(p->name));
    json_out_set(object, "type", json_string(types[p->type]));
    json_out_set(object, "default", json_string(p->fallback));
    if (p->type == FIELD_CHOICE) {
        json_out_set(object, "choices", json_string(p->choices));
    } else if (p->type == FIELD_OWN) {
        json_out_set(object, "form", json_string(p->want));
    } else {
        json_out_set(object, "min", json_out_number(p->min, p->type == FIELD_INT));
        json_out_set(object, "max", json_out_number(p->max, p->type == FIELD_INT));
    }
    json_out_set(object, "help", json_string(p->help));
    return object;
}

/* `table` may be NULL. */
static json_t *params_json(const struct field *table)
{
    json_t *params = json_array();

    for (const struct field *p = table; p && p->name; p++)
        json_array_append_new(params, param_json(p));
    return params;
}

static json_t *part_json(const struct policy_part *part)
{
    json_t *object = json_object();

    json_out_set(object, "name", json_string(part->name));
    json_out_set(object, "help", json_string(part->help));
    json_out_set(object, "params", params_json(part->params));
    return object;
}

static json_t *seam_json(enum seam seam)
{
    uint32_t count;
    const struct policy_part *const *parts = policy_parts(seam, &count);
    json_t *object = json_object(), *policies = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(policies, part_json(parts[i]));
    json_out_set(object, "seam", json_string(policy_seam_name(seam)));
    json_out_set(object, "policies", policies);
    return object;
}

static void print_json(void)
{
    uint32_t count;
    const struct recipe *recipes = policy_recipes(&count);
    json_t *object = json_object(), *seams = json_array(), *list = json_array();

    for (int seam = 0; seam < SEAM_COUNT; seam++)
        json_array_append_new(seams, seam_json((enum seam)seam));
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", recipes[i].name, "help",
                                              recipes[i].help, "parts", recipes[i].overrides));
    json_out_set(object, "seams", seams);
    json_out_set(object, "recipes", list);
    json_out_set(object, "params", params_json(policy_common_params()));
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
