/* rule_share.h - who of a reader's siblings reads the same, and whether `exclusive` says so. */
#pragma once

#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"

/* Siblings of the reader that use an output of an upstream task, task by task. */
struct rule_users {
    uint32_t now;  /* are reading it */
    uint32_t held; /* ... or, where outputs are not used again, have read it */
};

struct rule_users rule_share_users(const struct referee *r, struct book_entry reader, uint16_t edge,
                                   uint32_t task, uint16_t source);

/* The flag of a read of one task's output, or of a whole phase, tells the truth. Whether sharing
 * was right is judged at the end of the turn. 0, or -1. */
int rule_share_single(struct referee *r, const struct decision *d, const struct book_read_entry *e);
int rule_share_whole(struct referee *r, const struct decision *d, const struct book_read_entry *e);
