#include "ui/settings.h"

#include <string.h>

#include "base/text.h"
#include "core/policy/policy.h"
#include "tests/test.h"

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

TEST(settings_make_one_policy)
{
    struct err err;

    expect(!settings_policy("none,dolly", NULL, NULL, 0, &err));
    expect(strstr(err.text, "one policy, not 2") && strstr(err.text, "dolly sim"));
    struct policy *p = settings_policy("dolly,order=fifo", NULL, NULL, 0, &err);
    expect(p);
    policy_destroy(p);
}
