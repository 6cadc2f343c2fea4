#include "core/shepherd/slack.h"

#include "tests/unit/test.h"

enum { MAP, SCAN, SORT, JOIN, PHASES };

/* Two chains, map and scan -> sort, which meet in join. */
static double latest_s(const struct slack_phase all[PHASES], uint16_t phase)
{
    const struct edge_spec to_sort[] = {{.from = SCAN}};
    const struct edge_spec to_join[] = {{.from = MAP}, {.from = SORT}};
    const uint16_t of_map[] = {JOIN}, of_scan[] = {SORT}, of_sort[] = {JOIN};
    struct phase phases[PHASES] = {
        [MAP] = {.consumers = of_map, .consumer_count = 1},
        [SCAN] = {.consumers = of_scan, .consumer_count = 1},
        [SORT] = {.consumers = of_sort, .consumer_count = 1, .edges = to_sort, .edge_count = 1},
        [JOIN] = {.edges = to_join, .edge_count = 2},
    };
    struct job j = {.phases = phases, .phase_count = PHASES};
    return slack_latest_s(&j, all, phase);
}

/* Map ends in 10 s and scan in 4; sort takes 3 and join 5. The job ends after max(10, 4 + 3) + 5 =
 * 15 s. Scan has time until 15 - 5 - 3 = 7 s, and map until 10. */
TEST(slack_of_the_shorter_chain)
{
    const struct slack_phase all[] = {{10, 9}, {4, 4}, {-1, 3}, {-1, 5}};
    expect(latest_s(all, MAP) == 10 && latest_s(all, SCAN) == 7 && latest_s(all, SORT) == 10);
    expect(latest_s(all, JOIN) == 15);
}

/* Sort takes 20 s: scan -> sort is the longer one, and map has time until 24 s. */
TEST(slack_is_nothing_on_the_longest_chain)
{
    const struct slack_phase all[] = {{10, 9}, {4, 4}, {-1, 20}, {-1, 5}};
    expect(latest_s(all, SCAN) == 4 && latest_s(all, MAP) == 24);
}

/* Map is done; or of map nothing is known, or only that it takes 9 s from now on. */
TEST(slack_goes_by_what_is_known)
{
    struct slack_phase all[] = {{0, 9}, {4, 4}, {-1, 3}, {-1, 5}};
    expect(latest_s(all, SCAN) == 4);
    all[MAP] = (struct slack_phase){-1, 0};
    expect(latest_s(all, SCAN) == 4);
    all[MAP].takes_s = 9;
    expect(latest_s(all, SCAN) == 6);
}

/* Only what runs beside a phase can make it wait: neither phases that are done nor those below. */
TEST(slack_knows_what_runs_beside_a_phase)
{
    struct phase phases[PHASES] = {
        [MAP] = {.count = 2, .open = true},
        [SCAN] = {.count = 2, .open = true, .done = 1},
        [SORT] = {.count = 2},
        [JOIN] = {.count = 2},
    };
    struct job j = {.phases = phases, .phase_count = PHASES};
    for (uint16_t k = 0; k < PHASES; k++)
        phases[k].job = &j, phases[k].index = k;
    expect(slack_has_siblings(&phases[MAP]) && slack_has_siblings(&phases[SCAN]));
    phases[SCAN].given_up = 1;
    expect(!slack_has_siblings(&phases[MAP]));
    phases[SORT].open = true;
    expect(slack_has_siblings(&phases[MAP]));
}
