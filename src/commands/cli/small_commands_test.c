/* The small commands, whole: what they print, compared to the letter. */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "commands/commands.h"
#include "core/policy/policy.h"
#include "tests/unit/command.h"

TEST(model_prints_what_copies_do)
{
    expect(command_prints(cmd_model, "model --p 0.5 --n 2",
                          "A phase of 2 tasks, each copy straggling with probability 0.5:\n"
                          "\n"
                          "  copies per task for a risk of at most 0.05: 6\n"
                          "  copies of the whole job for the same: 11\n"
                          "\n"
                          "Probability that the job straggles with 6 copies:\n"
                          "\n"
                          "  job_level   0.177979      the whole job is cloned\n"
                          "  task_level  0.0310059     each task is cloned\n"
                          "  cac         0.408288      two phases; a copy downstream reads a copy "
                          "upstream\n                            of its own\n"
                          "  cc          0.0610504     two phases; all copies downstream read the "
                          "first one\n                            upstream\n"));
    expect(command_prints(cmd_model, "model --p 0.5 --n 2 --c 1 --json",
                          "{\n"
                          "  \"p\": 0.5,\n"
                          "  \"n\": 2,\n"
                          "  \"c\": 1,\n"
                          "  \"eps\": 0.05,\n"
                          "  \"copies\": 6,\n"
                          "  \"job_level\": 0.75,\n"
                          "  \"task_level\": 0.75,\n"
                          "  \"cac\": 0.9375,\n"
                          "  \"cc\": 0.9375\n"
                          "}\n"));
    expect(command_prints(
        cmd_model, "model --alpha 2 --c 2 --n 2",
        "Task times of a Pareto distribution, 2 copies that start together:\n"
        "\n"
        "  alpha       2             of the distribution\n"
        "  speedup     1.5           h(r): the mean over that of the first copy to end\n"
        "  speedup_max 2             of any number of copies\n"
        "\n"
        "Sums of the ends of 2 jobs that take 1 and need 1/2, 1/4, ... of a cluster:\n"
        "\n"
        "  flow1       1.66667       all at once, and a clone of the smallest\n"
        "  flow2       1.80952       the smallest first, each with all copies that fit\n"
        "  flow3       2             at most: two copies of each, the largest job last\n"));
    expect(command_prints(
        cmd_model, "model --mean 40 --dev 30 --c 1",
        "Task times of a Pareto distribution, 1 copy:\n"
        "\n"
        "  alpha       2.66667       of the distribution\n"
        "  speedup     1             h(r): the mean over that of the first copy to end\n"
        "  speedup_max 1.6           of any number of copies\n"
        "  time        40            mean time of the first copy to end\n"));
    expect(command_prints(cmd_model, "model --alpha 2 --c 2 --json",
                          "{\n"
                          "  \"mean\": null,\n"
                          "  \"dev\": null,\n"
                          "  \"alpha\": 2.0,\n"
                          "  \"c\": 2,\n"
                          "  \"speedup\": 1.5,\n"
                          "  \"speedup_max\": 2.0,\n"
                          "  \"time\": null,\n"
                          "  \"n\": null,\n"
                          "  \"flow1\": null,\n"
                          "  \"flow2\": null,\n"
                          "  \"flow3\": null\n"
                          "}\n"));
    expect(command_fails(cmd_model, "model", 2, "--p"));
    expect(command_fails(cmd_model, "model --p 0.5", 2, "--n"));
    expect(command_fails(cmd_model, "model --p 2 --n 1", 2, "--p"));
    expect(command_fails(cmd_model, "model --mean 1", 2, "--dev"));
}

/* Returns true if the text has the line that begins so, once. */
static bool has_line(const char *text, const char *format, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, format, name);
    const char *at = strstr(text, line);
    return at && (at == text || at[-1] == '\n');
}

/* Lines that are not empty and begin with so many blanks. */
static uint32_t count_lines(const char *text, size_t blanks)
{
    uint32_t count = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        count += *line != '\n' && strspn(line, " ") == blanks;
    return count;
}

/* Does the text have these words, wherever its lines end? */
static bool has_words(const char *text, const char *words)
{
    struct str one = {0};
    str_add(&one, "");
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            str_add_bytes(&one, text, 1);
        else if (one.length > 0 && one.text[one.length - 1] != ' ')
            str_add(&one, " ");
    bool has = strstr(one.text, words);
    str_free(&one);
    return has;
}

TEST(policies_lists_every_part_parameter_and_recipe)
{
    char *text, range[400];
    uint32_t count, named = 0, params = 0;
    expect(command_run(cmd_policies, "policies --all", &text, NULL) == 0);
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        expect(has_line(text, "%s\n", policy_seam_name((enum seam)seam)));
        named += count;
        for (uint32_t i = 0; i < count; i++) {
            expect(has_line(text, "  %-14s ", parts[i]->name) && has_words(text, parts[i]->help));
            for (const struct field *p = parts[i]->params; p && p->name; p++, params++) {
                expect(has_line(text, "    %-12s ", p->name));
                snprintf(range, sizeof range, "%s (%s) ", p->help,
                         p->type == FIELD_CHOICE ? p->choices
                         : p->want               ? p->want
                                                 : "");
                expect((p->type != FIELD_CHOICE && p->type != FIELD_OWN) || has_words(text, range));
            }
        }
    }
    for (const struct field *p = policy_common_params(); p->name; p++, params++)
        expect(has_line(text, "    %-12s ", p->name));
    const struct recipe *recipes = policy_recipes(&count);
    for (uint32_t i = 0; i < count; i++, named++)
        expect(has_line(text, "  %-14s ", recipes[i].name) && has_words(text, recipes[i].help));
    expect(count_lines(text, 0) == SEAM_COUNT + 2 && count_lines(text, 2) == named);
    expect(count_lines(text, 4) == params);
    mem_free(text);
    expect(command_fails(cmd_policies, "policies none --all", 2, "one of NAME, --all and --json"));
    expect(command_fails(cmd_policies, "policies --json --all", 2, "one of NAME"));
    expect(command_fails(cmd_policies, "policies none late", 2, "unexpected argument 'late'"));
}

/* Returns true if the member is this text; NULL: there is none. */
static bool has_text(const json_t *o, const char *name, const char *text)
{
    const json_t *member = json_object_get(o, name);
    const char *is = member ? json_string_value(member) : NULL;

    return text ? is && strcmp(is, text) == 0 : !member || json_is_null(member);
}

/* Returns true if the list has exactly the parameters of the table, which may be NULL. */
static bool has_params(const json_t *o, const struct field *table)
{
    static const char *const types[] = {
        [FIELD_REAL] = "real",     [FIELD_INT] = "int",
        [FIELD_TIME] = "time",     [FIELD_WAIT] = "time, auto or inf",
        [FIELD_CHOICE] = "choice", [FIELD_OWN] = "text"};
    const json_t *list = json_object_get(o, "params");
    size_t i = 0;

    for (const struct field *p = table; p && p->name; p++, i++) {
        const json_t *param = json_array_get(list, i), *min = json_object_get(param, "min");
        bool ranges = p->type != FIELD_CHOICE && p->type != FIELD_OWN;
        if (!has_text(param, "name", p->name) || !has_text(param, "type", types[p->type]) ||
            !has_text(param, "default", p->fallback) || !has_text(param, "help", p->help) ||
            !has_text(param, "choices", p->type == FIELD_CHOICE ? p->choices : NULL) ||
            !has_text(param, "form", p->type == FIELD_OWN ? p->want : NULL))
            return false;
        if (ranges &&
            (json_is_integer(min) != (p->type == FIELD_INT) || json_number_value(min) != p->min))
            return false;
        const json_t *max = json_object_get(param, "max");
        if (ranges && json_number_value(max) != p->max && !(p->max >= 1e300 && json_is_null(max)))
            return false;
        if (!ranges && (min || max))
            return false;
    }
    return json_is_array(list) && json_array_size(list) == i;
}

TEST(policies_has_the_same_tables_as_json)
{
    char *text;
    uint32_t count;
    expect(command_run(cmd_policies, "policies --json", &text, NULL) == 0);
    json_t *all = json_loads(text, 0, NULL);
    const json_t *seams = json_object_get(all, "seams"), *list = json_object_get(all, "recipes");
    expect(json_array_size(seams) == SEAM_COUNT && has_params(all, policy_common_params()));
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        const json_t *o = json_array_get(seams, (size_t)seam);
        const json_t *policies = json_object_get(o, "policies");
        expect(has_text(o, "seam", policy_seam_name((enum seam)seam)));
        expect(json_array_size(policies) == count);
        for (uint32_t i = 0; i < count; i++) {
            const json_t *part = json_array_get(policies, i);
            expect(has_text(part, "name", parts[i]->name));
            expect(has_text(part, "help", parts[i]->help));
            expect(has_params(part, parts[i]->params));
        }
    }
    const struct recipe *recipes = policy_recipes(&count);
    expect(json_array_size(list) == count);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *recipe = json_array_get(list, i);
        expect(has_text(recipe, "name", recipes[i].name));
        expect(has_text(recipe, "help", recipes[i].help));
        expect(has_text(recipe, "parts", recipes[i].overrides));
    }
    json_decref(all);
    mem_free(text);
}

static int widest_line(const char *text)
{
    size_t widest = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

TEST(policies_advises_in_ten_lines)
{
    char *text, words[64];
    expect(command_run(cmd_policies, "policies", &text, NULL) == 0);
    expect(count_lines(text, 0) + count_lines(text, 2) == 10 && widest_line(text) <= 80);
    expect(has_line(text, "  %-12s one attempt of each task", "none"));
    expect(strstr(text, "commands must not run twice\n"));
    /* each name that begins a line is one that may be typed */
    const char *line = strchr(text, '\n');
    for (; strncmp(line + 1, "  ", 2) == 0; line = strchr(line + 1, '\n')) {
        char name[32];
        expect(sscanf(line + 1, "  %31s", name) == 1);
        struct err err;
        struct policy *p = policy_create(name, &err);
        expect(p);
        policy_destroy(p);
        snprintf(words, sizeof words, "policies %s", name);
        expect(command_run(cmd_policies, words, NULL, NULL) == 0);
    }
    mem_free(text);
}

/* Returns true if `dolly policies NAME` prints the part with the parameters that users
 * may set. */
static bool prints_part(const char *text, enum seam seam, const struct policy_part *part)
{
    char line[96];
    snprintf(line, sizeof line, "\n%s=%s: ", policy_seam_name(seam), part->name);
    const char *at = strstr(text, line);
    for (const struct field *p = part->params; at && p && p->name; p++) {
        snprintf(line, sizeof line, "\n    %-12s %-9s ", p->name, p->fallback);
        const char *found = strstr(at, line);
        at = p->filled_in ? (found ? NULL : at) : found;
    }
    return at != NULL;
}

TEST(policies_prints_any_part_and_recipe_in_80_columns)
{
    char *text, words[64];
    uint32_t count;
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++) {
            if (strcmp(parts[i]->name, "none") == 0)
                continue; /* the recipe has this name, and parts that do nothing are left out */
            snprintf(words, sizeof words, "policies %s", parts[i]->name);
            expect(command_run(cmd_policies, words, &text, NULL) == 0);
            expect(widest_line(text) <= 80);
            /* a recipe of the same name comes first, and need not have the part in every seam */
            expect(strstr(text, "Short for:") || prints_part(text, (enum seam)seam, parts[i]));
            mem_free(text);
        }
    }
    const struct recipe *recipes = policy_recipes(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct err err;
        struct policy *p = policy_create(recipes[i].name, &err);
        snprintf(words, sizeof words, "policies %s", recipes[i].name);
        expect(command_run(cmd_policies, words, &text, NULL) == 0);
        expect(widest_line(text) <= 80 && has_line(text, "%s: ", recipes[i].name));
        expect(prints_part(text, SEAM_ORDER, p->parts[PART_ORDER].ops));
        char near[64];
        snprintf(words, sizeof words, "policies %s_", recipes[i].name);
        snprintf(near, sizeof near, "did you mean '%s'?", recipes[i].name);
        expect(command_fails(cmd_policies, words, 2, near));
        for (uint32_t k = 0; k < p->mitigate_count; k++)
            expect(strcmp(p->parts[PART_MITIGATE + k].ops->name, "none") == 0 ||
                   prints_part(text, SEAM_MITIGATE, p->parts[PART_MITIGATE + k].ops));
        policy_destroy(p);
        mem_free(text);
    }
    expect(command_run(cmd_policies, "policies blacklist", &text, NULL) == 0);
    expect(strstr(text, "blacklist is a part, for --policy RECIPE,screen=blacklist\n") == text);
    expect(strstr(text, "    docs/reference/policies/blacklist.md\n"));
    mem_free(text);
    expect(command_fails(cmd_policies, "policies mantre", 2, "did you mean 'mantri'?"));
    expect(command_fails(cmd_policies, "policies blacklst", 2, "did you mean 'blacklist'?"));
    expect(command_fails(cmd_policies, "policies zzzzzz", 2, "`dolly policies --all` lists them"));
}

static bool ends(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    bool same = length >= n && strcmp(text + length - n, end) == 0;
    if (!same)
        printf("%s\n    does not end with\n%s\n", text, end);
    return same;
}

TEST(journal_prints_records_and_sums)
{
    struct command_folder f;
    char *text;
    command_begin(&f);
    command_file("w", "job sort\n  phase map tasks=2 sizes=10s,20s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x1 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_run(cmd_journal, "journal run", &text, NULL) == 0);
    expect(strncmp(text, "{\"t_us\":0,\"record\":\"run\",\"seed\":1,\"policy\":\"order=fair,",
                   55) == 0);
    expect(ends(
        text,
        "{\"t_us\":0,\"record\":\"turn\",\"events\":3,\"decisions\":2}\n"
        "{\"t_us\":0,\"record\":\"event\",\"type\":\"node_up\",\"node\":0,\"capacity\":{\"cpu\":"
        "1000,\"mem\":0,\"x\":0,\"y\":0},\"rack\":0,\"name\":\"n0\"}\n"
        "{\"t_us\":0,\"record\":\"event\",\"type\":\"node_up\",\"node\":1,\"capacity\":{\"cpu\":"
        "1000,\"mem\":0,\"x\":0,\"y\":0},\"rack\":0,\"name\":\"n1\"}\n"
        "{\"t_us\":0,\"record\":\"event\",\"type\":\"job_submitted\",\"job\":0,\"name\":\"sort\","
        "\"user\":\"default\",\"queue\":\"default\",\"weight\":1000,\"running_max\":0,\"arrived_"
        "us\":0,\"wrapup_us\":0,\"phases\":[{\"name\":\"map\",\"tasks\":2,\"demand\":{\"cpu\":1000,"
        "\"mem\":0,\"x\":0,\"y\":0},\"clone\":\"auto\",\"input_bytes\":0,\"edges\":[]}]}\n"
        "{\"t_us\":0,\"record\":\"decision\",\"type\":\"launch\",\"id\":1,\"job\":0,\"phase\":0,"
        "\"task\":0,\"attempt\":0,\"node\":1,\"kind\":\"first\",\"replica\":0,\"why\":{\"code\":"
        "\"runnable\"}}\n"
        "{\"t_us\":0,\"record\":\"decision\",\"type\":\"launch\",\"id\":2,\"job\":0,\"phase\":0,"
        "\"task\":1,\"attempt\":0,\"node\":0,\"kind\":\"first\",\"replica\":0,\"why\":{\"code\":"
        "\"runnable\"}}\n"
        "{\"t_us\":0,\"record\":\"turn\",\"events\":2,\"decisions\":0}\n"
        "{\"t_us\":0,\"record\":\"event\",\"type\":\"attempt_started\",\"job\":0,\"phase\":0,"
        "\"task\":0,\"attempt\":0,\"node\":1,\"late_us\":0}\n"
        "{\"t_us\":0,\"record\":\"event\",\"type\":\"attempt_started\",\"job\":0,\"phase\":0,"
        "\"task\":1,\"attempt\":0,\"node\":0,\"late_us\":0}\n"
        "{\"t_us\":10000000,\"record\":\"turn\",\"events\":1,\"decisions\":1}\n"
        "{\"t_us\":10000000,\"record\":\"event\",\"type\":\"attempt_finished\",\"job\":0,\"phase\":"
        "0,\"task\":0,\"attempt\":0,\"node\":1,\"wall_us\":10000000,\"cpu_us\":-1,\"read_bytes\":0,"
        "\"written_bytes\":0,\"peak_rss_kib\":-1}\n"
        "{\"t_us\":10000000,\"record\":\"decision\",\"type\":\"commit\",\"id\":3,\"job\":0,"
        "\"phase\":0,\"task\":0,\"attempt\":0,\"why\":{\"code\":\"first_finished\"}}\n"
        "{\"t_us\":10000000,\"record\":\"turn\",\"events\":1,\"decisions\":0}\n"
        "{\"t_us\":10000000,\"record\":\"event\",\"type\":\"committed\",\"job\":0,\"phase\":0,"
        "\"task\":0,\"attempt\":0}\n"
        "{\"t_us\":20000000,\"record\":\"turn\",\"events\":1,\"decisions\":1}\n"
        "{\"t_us\":20000000,\"record\":\"event\",\"type\":\"attempt_finished\",\"job\":0,\"phase\":"
        "0,\"task\":1,\"attempt\":0,\"node\":0,\"wall_us\":20000000,\"cpu_us\":-1,\"read_bytes\":0,"
        "\"written_bytes\":0,\"peak_rss_kib\":-1}\n"
        "{\"t_us\":20000000,\"record\":\"decision\",\"type\":\"commit\",\"id\":4,\"job\":0,"
        "\"phase\":0,\"task\":1,\"attempt\":0,\"why\":{\"code\":\"first_finished\"}}\n"
        "{\"t_us\":20000000,\"record\":\"turn\",\"events\":1,\"decisions\":1}\n"
        "{\"t_us\":20000000,\"record\":\"event\",\"type\":\"committed\",\"job\":0,\"phase\":0,"
        "\"task\":1,\"attempt\":0}\n"
        "{\"t_us\":20000000,\"record\":\"decision\",\"type\":\"job_done\",\"id\":5,\"job\":0,"
        "\"why\":{\"code\":\"all_committed\",\"tasks\":2}}\n"
        "{\"t_us\":20000000,\"record\":\"end\"}\n"));
    mem_free(text);
    expect(command_run(cmd_journal, "journal run --stats", &text, NULL) == 0);
    expect(strstr(text, "  seed     1\n"
                        "  version  6\n"
                        "  records  22\n"
                        "  turns    6\n"
                        "  intents  0\n"
                        "  time     0.000000 s to 20.000000 s\n"));
    expect(ends(text, "\n"
                      "events\n"
                      "  node_up                           2\n"
                      "  job_submitted                     1\n"
                      "  attempt_started                   2\n"
                      "  attempt_finished                  2\n"
                      "  committed                         2\n"
                      "\n"
                      "decisions\n"
                      "  launch                            2\n"
                      "  commit                            2\n"
                      "  job_done                          1\n"));
    mem_free(text);
    expect(command_prints(cmd_journal, "journal run --verify",
                          "journal run: 6 turns re-fed, decisions identical\n"));
    expect(mkdir("folder", 0700) == 0 && rename("run", "folder/journal") == 0);
    expect(command_prints(cmd_journal, "journal folder --verify",
                          "journal folder/journal: 6 turns re-fed, decisions identical\n"));
    expect(command_fails(cmd_journal, "journal .", 2,
                         ".: holds no run itself; expected one of its folders: ./folder"));
    expect(rename("folder/journal", "run") == 0);
    expect(command_prints(cmd_journal, "journal run --verify --json",
                          "{\n"
                          "  \"journal\": \"run\",\n"
                          "  \"version\": 6,\n"
                          "  \"turns\": 6,\n"
                          "  \"identical\": true,\n"
                          "  \"difference\": null,\n"
                          "  \"torn_bytes\": 0\n"
                          "}\n"));
    expect(command_run(cmd_journal, "journal run --stats --json", &text, NULL) == 0);
    expect(strstr(text, "\"mean_jct_s\": 20.0"));
    mem_free(text);
    expect(command_fails(cmd_journal, "journal", 2, "journal"));
    expect(command_fails(cmd_journal, "journal w", 2, "w"));
    expect(command_fails(cmd_journal, "journal run --verify --stats", 2, "--verify"));
    command_end(&f);
}

/* Four pieces of 3 s on two slots: options of `dolly sim` come behind the job. */
TEST(sim_takes_the_file_of_a_job)
{
    struct command_folder f;
    char *text;
    command_begin(&f);
    command_file("in", "1234567\n1234567\n1234567\n1234567\n");
    command_file("job.yaml", "{input: in, output: x, split: 8, slots: 2, policy: none,\n"
                             " phases: [{name: map, run: cat, sim: {time: 3s}}]}\n");
    expect(command_run(cmd_sim, "sim job.yaml --seed 7 --json", &text, NULL) == 0);
    expect(strstr(text, "\"seed\": 7") && strstr(text, "\"workload\": \"job.yaml\""));
    expect(strstr(text, "\"mean_jct_s\": 6.0") && strstr(text, "\"tasks\": 4"));
    mem_free(text);
    expect(command_fails(cmd_sim, "sim nosuch.yaml", 2, "nosuch.yaml"));
    command_end(&f);
}
