#include "commands/explain/explain.h"

#include "tests/unit/test.h"

static bool says(const char *text, const struct reason *r, const char *expected)
{
    struct str out = {0};
    explain_words(text, "attempt 3", r, &out);
    bool same = strcmp(out.text ? out.text : "", expected) == 0;
    str_free(&out);
    return same;
}

TEST(explain_words_fill_numbers_in)
{
    struct reason r = REASON(WHY_SLOWEST_LEFT, 12.5, 0.25, 0.5, 3, 1);
    expect(says("nothing to fill in", &r, "nothing to fill in"));
    expect(says("{} went at {rate|%}, not {threshold|%}", &r, "attempt 3 went at 25 %, not 50 %"));
    expect(says("{left_s|s} to go", &r, "12.5 s to go"));
    expect(says("{left_s|1} {left_s|3}", &r, "13 12.5"));
    struct reason pruned = REASON(WHY_PRUNED, 1, 1), more = REASON(WHY_PRUNED, 1, 4);
    expect(says("{copies|attempt}.", &pruned, "1 attempt.") &&
           says("{copies|attempt}.", &more, "4 attempts."));
}

TEST(explain_why_falls_back_to_names)
{
    static const char *const table[WHY_CODE_END] = {[WHY_PRUNED] = "the most of {copies|4}"};
    struct reason known = REASON(WHY_PRUNED, 1, 4), other = REASON(WHY_BUDGET_SHRANK, 2, 1.5);
    struct str out = {0};
    explain_why(table, "because of ", "", &known, &out);
    str_add(&out, "; ");
    explain_why(table, "because of ", "", &other, &out);
    expect(strcmp(out.text, "the most of 4; because of budget_shrank (used=2, limit=1.5)") == 0);
    str_free(&out);
}

TEST(explain_tells_tasks_and_nodes_by_their_names)
{
    struct story_node nodes[2] = {{.name = (char *)(uintptr_t) "n0"}, {0}};
    struct story_run run = {.nodes = {nodes, 2, 2}};
    struct explain x = {.run = &run};
    expect(strcmp(explain_node(&x, (struct node_id){0}).text, "n0") == 0);
    expect(strcmp(explain_node(&x, (struct node_id){1}).text, "node 1") == 0);
    expect(strcmp(explain_node(&x, (struct node_id){7}).text, "node 7") == 0);
    expect(explain_number(&x, 4) == 4);
    x.from_one = true;
    expect(explain_number(&x, 4) == 5);
}

TEST(explain_says_in_a_few_words_why_a_phase_was_not_cloned)
{
    expect(strstr(explain_cloning_refusal(WHY_OVER_TAU), "tau"));
    expect(strstr(explain_cloning_refusal(WHY_CLONED), "no clone started"));
    expect(strstr(explain_cloning_refusal(WHY_OFFERED), "no clone started"));
    expect(strcmp(explain_cloning_refusal(WHY_OMEGA), "omega") == 0);
}

TEST(explain_calls_resources_as_the_cluster_does)
{
    struct story_run run = {.resources = {[2] = (char *)(uintptr_t) "gpu"}};
    struct explain x = {.run = &run};
    struct str out = {0};
    explain_cloning_cap(&x, &REASON(WHY_CAP, 5, 9, 2), &out);
    expect(strstr(out.text, "used 5 seconds x units of gpu within"));
    str_free(&out);
    run.resources[2] = NULL;
    explain_cloning_cap(&x, &REASON(WHY_CAP, 5, 9, 2), &out);
    expect(strstr(out.text, "used 5 seconds x units of x within"));
    str_free(&out);
    explain_cloning_cap(&x, &REASON(WHY_CAP, 5, 9, RES_CPU), &out);
    expect(strstr(out.text, "used 5 slot-seconds within"));
    str_free(&out);
}

TEST(explain_standing_says_what_the_order_published)
{
    struct reason ranked = REASON(WHY_STANDING, 2, 0.125, 12.5),
                  left = REASON(WHY_STANDING, 0, 3, 0);
    struct str out = {0};
    explain_standing(&ranked, &out);
    expect(strcmp(out.text,
                  "rank 2, with 0.125 cluster-seconds of work and 12.5 s along its longest "
                  "path left") == 0);
    str_cut(&out, 0);
    explain_standing(&left, &out);
    expect(strcmp(out.text, "3 cluster-seconds of work left") == 0);
    str_free(&out);
}
