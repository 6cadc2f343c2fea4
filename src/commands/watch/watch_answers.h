/* watch_answers.h - what `dolly watch` answers, by route. */
#pragma once

#include "commands/watch/followed_run.h"
#include "commands/watch/http_server.h"
#include "commands/watch/kept_jobs.h"
#include "commands/watch/live_page.h"
#include "commands/watch/metrics.h"

struct watch_answers {
    struct followed_run *run;       /* borrowed */
    const struct http_token *token; /* that is exchanged for the cookie; borrowed */
    struct live_page page;
    struct kept_jobs jobs;
    /* The sums as streams get them, when they were made, and their cost in CPU time. */
    struct str sums;
    struct event_state state;
    bool of_end; /* they are of a journal that was read to its end */
    struct event_pieces pieces;
    int64_t made_us, cost_us;
    struct metrics_most most; /* that metrics have reported */
    int64_t seen_us;          /* when the end of the journal was reached last */
};

void watch_answers_fini(struct watch_answers *w);

/* Returns the handler that answers from *w, which is borrowed. For streams the sums are made anew a
 * few times a second at most, and less often where that is costly. */
struct http_handler watch_answers_handler(struct watch_answers *w);
