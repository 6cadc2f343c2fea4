/* rule_disk.c - full disks, where each node has its own (disks=own).
 *
 * A failure of a full disk, or by a fault of its node, is a trouble of that node: in that turn the
 * node is to be avoided for a minute. After a fault it is on trial, and gets one attempt until one
 * has ended there in its own way (book_node_usable). For a full disk extra attempts may be ended
 * there and nowhere else. A copy of a whole job goes as a whole. */
#include "tests/swarm/rule.h"

enum { DISK_MINUTE_US = 60 * 1000000 };

void rule_disk_full(struct referee *r, const struct event *e, struct book_entry x)
{
    struct book_node *n = book_node(&r->book, x.attempt->node);

    if (r->rules.disks_own && e->cause != CAUSE_DISK_FULL && e->cause != CAUSE_NODE_FAULT &&
        e->type != EV_ATTEMPT_LAUNCH_FAILED && e->type != EV_ATTEMPT_LOST &&
        e->type != EV_ATTEMPT_KILLED && n->fault_turn != r->tally.turns)
        n->trial = false;
    if (!r->rules.disks_own || (e->cause != CAUSE_DISK_FULL && e->cause != CAUSE_NODE_FAULT))
        return;
    if (e->cause == CAUSE_NODE_FAULT) { /* whatever else ends there in this turn */
        n->trial = true;
        n->fault_turn = r->tally.turns;
    }
    n->full_turn = r->tally.turns;
    r->disk_full = true;
    r->tally.disks_full++;
}

int rule_disk_kill(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!r->rules.disks_own || d->why.code != WHY_DISK_FULL || x.attempt->asked_ever)
        return 0;
    if (x.attempt->kind != LAUNCH_CLONE && x.attempt->kind != LAUNCH_BACKUP && !x.job->replicated)
        return rule_fail(r, RULE_DISK, "ends an attempt that is not extra for a full disk");
    if (!x.job->replicated && book_node(&r->book, x.attempt->node)->full_turn != r->tally.turns)
        return rule_fail(r, RULE_DISK, "no disk of its node was full in this turn");
    return 0;
}

int rule_disk_turn_end(struct referee *r)
{
    if (!r->disk_full)
        return 0;
    r->disk_full = false;
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        const struct book_node *n = &r->book.nodes.at[i];
        if (n->full_turn == r->tally.turns && n->avoid_until_us < r->now_us + DISK_MINUTE_US)
            return rule_fail(r, RULE_DISK, "the disk of node %u was full, and it is not avoided",
                             i);
    }
    return 0;
}
