/* rule_screen.c - how many nodes may be avoided because they make stragglers.
 *
 * At most half of them in one turn, and only while the others carry what is in use at a load of 0.8
 * (docs/reference/policies/blacklist.md). The screen also counts the mean of its window, which is
 * more: the referee keeps no means. */
#include "tests/swarm/rule.h"

#define SCREEN_LOAD_MAX 0.8

static void add(struct res_sum *sum, const struct res *one)
{
    for (int i = 0; i < RES_COUNT; i++)
        sum->v[i] += one->v[i];
}

static double largest_share(const struct res_sum *part, const struct res_sum *whole)
{
    double most = 0;
    for (int i = 0; i < RES_COUNT; i++)
        if (whole->v[i] > 0 && (double)part->v[i] / (double)whole->v[i] > most)
            most = (double)part->v[i] / (double)whole->v[i];
    return most;
}

int rule_screen(struct referee *r, struct book_node *node)
{
    struct res_sum gone = {{0}}, all = {{0}}, used = {{0}};
    uint32_t avoided = 0;
    node->screened_turn = r->tally.turns;
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        const struct book_node *n = &r->book.nodes.at[i];
        if (n->state == BOOK_NODE_DOWN || n->state == BOOK_NODE_UNSEEN)
            continue;
        add(&all, &n->capacity);
        for (int k = 0; k < RES_COUNT; k++)
            used.v[k] += n->charged.v[k];
        if (n->screened_turn != r->tally.turns)
            continue;
        add(&gone, &n->capacity);
        avoided++;
    }
    if (2 * avoided > r->book.nodes.count)
        return rule_fail(r, RULE_SCREEN, "%u of %u nodes are avoided", avoided,
                         r->book.nodes.count);
    double rest = 1 - largest_share(&gone, &all), use = largest_share(&used, &all);
    if (rest * SCREEN_LOAD_MAX < use - 1e-9)
        return rule_fail(r, RULE_SCREEN, "%.3f of the cluster is to carry what takes %.3f of it",
                         rest, use);
    return 0;
}
