#include "core/policy/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

static bool describes(const char *text, const char *part)
{
    struct err err;
    struct policy *p = policy_create(text, &err);
    struct str s = {0};
    if (p)
        policy_describe(p, &s);
    bool found = s.text && strstr(s.text, part);
    str_free(&s);
    policy_destroy(p);
    return found;
}

TEST(policy_is_a_recipe_with_parts_replaced)
{
    expect(describes("none", "order=fair,within=index,place=any,mitigate=none,shuffle=cc"));
    expect(describes("dolly", "mitigate=dolly"));
    /* Dolly of NSDI'13 is delay assignment, with every partner. */
    expect(describes("dolly", "shuffle=delay"));
    expect(describes("dolly+late", "mitigate=dolly+late,shuffle=delay"));
    expect(describes("dolly+mantri", "mitigate=dolly+mantri,shuffle=delay"));
    expect(describes("dolly,shuffle=cc", "mitigate=dolly,shuffle=cc"));
    expect(describes("dolly,order=fifo", "order=fifo,within=index,place=any,mitigate=dolly"));
    expect(
        describes("order=fifo,mitigate=dolly", "order=fifo,within=index,place=any,mitigate=dolly"));
    expect(describes("mitigate=dolly;beta=0.25", "dolly.beta=0.25"));
    expect(describes("none;failures_max=7", "policy.failures_max=7"));
    expect(describes("none;disks=own", "policy.disks=own") && !describes("none", "disks"));
    expect(describes("late,cap=0.02", "policy.cap=0.02"));
    expect(describes("late,cap=0.02", "late.cap=0.1"));
    expect(describes("late;cap=0.02", "policy.cap=1")); /* LATE has one of its own */
    expect(describes("late;policy.cap=0.02", "policy.cap=0.02"));
    expect(describes("dolly;cap=0.02", "policy.cap=0.02"));
}

TEST(policy_described_is_the_same_policy)
{
    struct err err;
    struct policy *p =
        policy_create("dolly,within=largest-first;eps=0.1;p_window=90s;admit=fcfs", &err);
    struct str a = {0}, b = {0};
    policy_describe(p, &a);
    struct policy *q = policy_create(a.text, &err);
    expect(q != NULL);
    policy_describe(q, &b);
    expect(strcmp(a.text, b.text) == 0);
    expect(strstr(a.text, "dolly.p_window=90000000us") != NULL);
    str_free(&a);
    str_free(&b);
    policy_destroy(p);
    policy_destroy(q);
}

/* Order and mitigation of DollyMP have parameters of the same name, and may differ in them. */
TEST(policy_tells_parts_of_one_name_apart)
{
    expect(describes("dollymp2;clones=1", "order.clones=1"));
    expect(describes("dollymp2;clones=1", "mitigate.clones=1"));
    expect(describes("dollymp2;clones=1;mitigate.clones=3", "order.clones=1"));
    expect(describes("dollymp2;clones=1;mitigate.clones=3", "mitigate.clones=3"));
    expect(describes("mantri-full", "mantri.replicate"));
}

TEST(policy_refuses_by_name)
{
    struct {
        const char *text, *message;
    } bad[] = {
        {"dollly", "unknown policy 'dollly'; did you mean 'dolly'?"},
        {"xyzzy", "unknown policy 'xyzzy'; 'dolly policies --all' lists them"},
        {"order=fairr", "unknown order policy 'fairr'; did you mean 'fair'?"},
        {"ordr=fair", "unknown seam 'ordr'; did you mean 'order'?"},
        {"mitigate=dolly+lat", "unknown mitigate policy 'lat'; did you mean 'late'?"},
        {"dolly;betta=1", "unknown parameter 'betta'; did you mean 'beta'?"},
        {"dolly;beta=2", "beta=2: must be between 0 and 1"},
        {"dolly;charge=twice", "charge=twice: must be extra or literal"},
        {"dolly;hold=job", "unknown parameter 'hold'"},
        {"none;beta=0.1", "parameter 'beta' belongs to no part of this policy"},
        {"dolly;beta", "policy setting 'beta': must be key=value"},
        {"", "policy: a name is missing"},
        {"dolly,", "policy: a name is missing after the last comma"},
        {"dolly,,late", "policy ',late': a name is missing"},
        {"mitigate=dolly+late+none", "mitigate: at most 2 policies can be combined"},
        {"mitigate=dolly+late+nnne", "unknown mitigate policy 'nnne'; did you mean 'none'?"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {0};
        expect(policy_create(bad[i].text, &err) == NULL);
        expect(strstr(err.text, bad[i].message) == err.text);
    }
}

/* A word of 127 bytes is a name, although of no policy; one more is too long. */
TEST(policy_names_have_an_end)
{
    char word[129], text[140], want[180];
    struct err err;

    memset(word, 'x', sizeof word);
    word[128] = 0;
    snprintf(text, sizeof text, "%s,dolly", word);
    snprintf(want, sizeof want, "policy '%s': a name is too long", text);
    expect(!policy_create(text, &err) && strcmp(err.text, want) == 0 && err.kind == ERR_INPUT);
    word[127] = 0;
    snprintf(want, sizeof want, "unknown policy '%s'", word);
    expect(!policy_create(text + 1, &err) && strstr(err.text, want) == err.text);
}

static bool refused(const char *text, const char *why)
{
    struct err err = {0};
    struct policy *p = policy_create(text, &err);
    bool fine = !p && strstr(err.text, why);
    policy_destroy(p);
    return fine;
}

TEST(policy_refuses_mitigations_that_undo_each_other)
{
    expect(refused("mitigate=mantri+late", "mantri ends the copies that late starts"));
    expect(refused("mitigate=late+mantri", "mantri ends the copies that late starts"));
    expect(refused("mitigate=dryad+mantri", "mantri ends the copies that dryad starts"));
    expect(refused("mitigate=dolly+job-clone", "both clone"));
    expect(refused("mitigate=dolly-hotcloud+dolly", "both clone"));
    expect(refused("mitigate=late+late", "the same policy twice"));
    expect(describes("mitigate=dolly+mantri", "mitigate=dolly+mantri"));
    expect(describes("mitigate=late+dryad", "mitigate=late+dryad"));
    expect(describes("mitigate=mantri+none", "mitigate=mantri+none"));
}

TEST(policy_list_splits_at_bare_names)
{
    struct {
        const char *text;
        const char *parts[4];
    } cases[] = {
        {"none,dolly", {"none", "dolly", NULL}},
        {"dolly,order=fifo,none", {"dolly,order=fifo", "none", NULL}},
        {"order=fifo,mitigate=dolly", {"order=fifo,mitigate=dolly", NULL}},
        {"dolly;beta=0.1,none", {"dolly;beta=0.1", "none", NULL}},
        {"a;queues=b:60:90,c:40:100,none", {"a;queues=b:60:90,c:40:100", "none", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char **list;
        uint32_t n = policy_split(cases[i].text, &list);
        for (uint32_t k = 0; k < n; k++) {
            expect(cases[i].parts[k] && strcmp(list[k], cases[i].parts[k]) == 0);
            mem_free(list[k]);
        }
        expect(cases[i].parts[n] == NULL);
        mem_free(list);
    }
}

/* What a journal says in full, people read as they would write it; it makes the same policy. */
TEST(policy_is_shortened_to_a_recipe_and_what_differs)
{
    static const char *const texts[] = {
        "none",
        "dolly",
        "dollymp2",
        "capacity;queues=prod:60:90,dev:40:100",
        "dolly,order=fifo",
        "dolly+late",
        "late;policy.cap=0.02",
        "dolly,shuffle=cc;beta=0.1;p_window=60s",
    };
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err;
        struct policy *p = policy_create(texts[i], &err);
        struct str full = {0}, brief = {0}, again = {0};
        policy_describe(p, &full);
        policy_shorten(full.text, &brief);
        struct policy *q = policy_create(brief.text, &err);
        expect(q && strcmp(brief.text, texts[i]) == 0);
        policy_describe(q, &again);
        expect(strcmp(full.text, again.text) == 0);
        str_free(&full);
        str_free(&brief);
        str_free(&again);
        policy_destroy(p);
        policy_destroy(q);
    }
    struct str as_it_is = {0};
    policy_shorten("order=of-tomorrow", &as_it_is);
    expect(strcmp(as_it_is.text, "order=of-tomorrow") == 0);
    str_free(&as_it_is);
}

TEST(policy_knows_every_parameter_and_no_other)
{
    expect(policy_knows("beta") && policy_knows("dolly.beta") && policy_knows("failures_max"));
    expect(!policy_knows("none.beta") && !policy_knows("betta"));
}

/* A node of ten cores and 100 MiB, a task of one core and 80 MiB: it is memory of which two copies
 * would take more than 0.7 of the cluster, or than a cap of 0.002 lets extra attempts have. */
TEST(policy_verdicts_are_about_the_scarce_resource)
{
    static const char *const over_tau[] = {"dolly;beta=1;tau=0.7", "dolly-hotcloud;tau=0.7",
                                           "job-clone;tau=0.7"};
    struct phase_spec task = {.tasks = 1, .demand = {{RES_SLOT, 80, 0, 0}}};
    struct event node = {.type = EV_NODE_UP, .u.node.capacity = {{10 * RES_SLOT, 100, 0, 0}}};
    for (uint32_t i = 0; i < sizeof over_tau / sizeof *over_tau; i++) {
        struct script s;
        script_init(&s, over_tau[i], 0, 0);
        script_tell(&s, node);
        struct job_id j = script_phase(&s, task);
        script_decide(&s, 0);
        const struct reason *why = script_verdict(&s, j, 0);
        expect(why && why->code == WHY_OVER_TAU);
        expect(why->num[3] == 80 && why->num[4] == 0 && why->num[5] > 69.9 && why->num[5] < 70.1);
        script_fini(&s);
    }
    struct script s;
    script_init(&s, "job-clone;tau=1;policy.cap=0.002", 0, 0);
    node.u.node.capacity.v[RES_CPU] = 100 * RES_SLOT;
    node.u.node.capacity.v[RES_MEM] = 1000;
    script_tell(&s, node);
    struct job_id j = script_phase(&s, task);
    script_decide(&s, 0);
    const struct reason *why = script_verdict(&s, j, 0);
    expect(why && why->code == WHY_CAP && why->num[2] == RES_MEM);
    script_fini(&s);
}
