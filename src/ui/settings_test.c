#include "ui/settings.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/policy/policy.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

/* Whether the policy that is made of these is described with the words. */
static bool has(const char *text, const char *cloning, const char *setting, const char *words)
{
    struct str described = {0};
    struct err err;
    struct policy *p = settings_policy(text, cloning, &setting, setting ? 1 : 0, &err);

    expect(p);
    policy_describe(p, &described);
    bool found = strstr(described.text, words);
    str_free(&described);
    policy_destroy(p);
    return found;
}

TEST(settings_clones_take_what_is_idle_where_nothing_else_is_said)
{
    expect(has("dolly", SETTINGS_ONE_MACHINE, NULL, "budget=idle"));
    expect(has("dolly+late;beta=0.1", SETTINGS_ONE_MACHINE, NULL, "budget=idle"));
    expect(has("dolly;budget=cluster", SETTINGS_ONE_MACHINE, NULL, "budget=cluster"));
    expect(has("dolly", SETTINGS_ONE_MACHINE, "budget=cluster", "budget=cluster"));
    expect(has("dolly", SETTINGS_SEVERAL, NULL, "admit=fcfs"));
    expect(has("dolly", SETTINGS_SEVERAL, "budget=idle", "budget=idle"));
    expect(!has("dolly", NULL, NULL, "budget=idle"));
    expect(!has("late", SETTINGS_ONE_MACHINE, NULL, "budget="));
}

TEST(settings_times_of_mantri_are_those_of_reports)
{
    expect(has("dolly+mantri", SETTINGS_ONE_MACHINE, NULL, "delta=250000us"));
    expect(has("mantri", NULL, NULL, "delta=250000us"));
    expect(has("mantri;delta=9s", NULL, NULL, "delta=9000000us"));
}

TEST(settings_of_shepherd)
{
    expect(has("shepherd", SETTINGS_ONE_MACHINE, NULL, "scan=250000us"));
    expect(has("shepherd", SETTINGS_ONE_MACHINE, NULL, "network=none"));
    expect(!has("shepherd", SETTINGS_ONE_MACHINE, NULL, "cap=0.05"));
    expect(has("shepherd;cap=0.1", SETTINGS_ONE_MACHINE, NULL, "cap=0.1"));
    expect(has("shepherd", SETTINGS_SEVERAL, NULL, "network=shared"));
    expect(has("shepherd", SETTINGS_SEVERAL, NULL, "cap=0.05"));
    expect(has("shepherd", SETTINGS_SEVERAL, "shepherd.scan=9s", "scan=9000000us"));
}

TEST(settings_make_one_policy)
{
    struct err err;

    expect(!settings_policy("none,dolly", NULL, NULL, 0, &err));
    expect(strstr(err.text, "one policy, not 2") && strstr(err.text, "dolly sim"));
    struct policy *p = settings_policy("dolly,order=fifo", NULL, NULL, 0, &err);
    expect(p);
    policy_destroy(p);
}

/* Each parameter of each part is one of those that a typing error is compared with. */
TEST(settings_suggest_every_parameter)
{
    struct err err;
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        uint32_t count;
        const struct policy_part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++)
            for (const struct field *p = parts[i]->params; p && p->name; p++) {
                struct str text = {0};
                if (strlen(p->name) < 5) /* too short to be like anything */
                    continue;
                str_addf(&text, "%sq=1", p->name);
                expect(settings_apply(text.text, NULL, 0, &err) == -1);
                str_cut(&text, 0);
                str_addf(&text, "did you mean %s?", p->name);
                expect(strstr(err.text, text.text));
                str_free(&text);
            }
    }
}

TEST(settings_apply_to_the_policies_that_have_them)
{
    struct err err;
    struct policy *two[2] = {settings_policy("late", NULL, NULL, 0, &err),
                             settings_policy("dolly", NULL, NULL, 0, &err)};
    static const char *const wrong[][2] = {
        {"beta", "--set beta: expected KEY=VALUE"},
        {"=1", "--set =1: expected KEY=VALUE"},
        {"betta=1", "--set betta: no policy has such a parameter, did you mean beta?"},
        {"nonsense=1", "no policy has such a parameter; `dolly policies --all` lists them"},
        {"delta=1s", "--set delta: none of the chosen policies has this parameter"},
        {"beta=x", "beta"},
        {"beta=@/nonexistent", "--set beta=@/nonexistent: cannot read it: No such file"},
        {"beta=@/", "--set beta=@/: cannot read it: Is a directory"},
        {"beta=@/dev/zero", "--set beta=@/dev/zero: expected a file of at most 64K"},
    };
    expect(settings_apply("beta=0.07", two, 2, &err) == 0);
    expect(settings_apply("beta=0.07", two, 1, &err) == -1);
    struct str text = {0};
    policy_describe(two[1], &text);
    expect(strstr(text.text, "beta=0.07"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err.text[0] = '\0';
        expect(settings_apply(wrong[i][0], two, 2, &err) == -1 && strstr(err.text, wrong[i][1]));
    }
    str_free(&text);
    policy_destroy(two[0]);
    policy_destroy(two[1]);
}

/* Blanks count, too: a file of 64K is read, one with another byte is not. */
TEST(settings_read_files_of_64k)
{
    enum { BYTES = 1 << 16 };
    struct err err = {.text = ""};
    struct policy *p = settings_policy("dolly", NULL, NULL, 0, &err);
    char *text = mem_zalloc(1, BYTES + 1);
    char setting[64], want[128];
    memset(text, '\n', BYTES + 1);
    memcpy(text, "0.07", 4);
    for (size_t more = 0; more < 2; more++) {
        struct scratch file = scratch_write(text, BYTES + more);
        snprintf(setting, sizeof setting, "beta=@%s", file.path);
        snprintf(want, sizeof want, "--set %s: expected a file of at most 64K", setting);
        expect(settings_apply(setting, &p, 1, &err) == (more ? -1 : 0));
        expect(!strcmp(err.text, more ? want : ""));
        scratch_remove(&file);
    }
    text[4] = 0;
    struct scratch file = scratch_write(text, 6);
    snprintf(setting, sizeof setting, "beta=@%s", file.path);
    snprintf(want, sizeof want, "--set %s: it has a zero byte; expected lines of text", setting);
    expect(settings_apply(setting, &p, 1, &err) == -1 && !strcmp(err.text, want));
    scratch_remove(&file);
    struct str described = {0};
    policy_describe(p, &described);
    expect(strstr(described.text, "beta=0.07"));
    str_free(&described);
    mem_free(text);
    policy_destroy(p);
}

/* Copies that were always idle took nothing from anyone; rescues that became backups may have. */
TEST(settings_know_what_took_idle_resources)
{
    static const struct {
        const char *policy;
        uint64_t backups;
        bool took_idle;
    } rows[] = {
        {"mitigate=shepherd", 0, true},       {"mitigate=shepherd", 1, false},
        {"mitigate=dolly", 0, false},         {"dolly.budget=idle", 0, true},
        {"dolly.budget=idle", 1, true},       {"dolly.budget=cluster", 0, false},
        {"mitigate=none,order=fifo", 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(settings_took_idle(rows[i].policy, rows[i].backups) == rows[i].took_idle);
}
