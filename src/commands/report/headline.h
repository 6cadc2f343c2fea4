/* headline.h - the result of a run in one line, and the few sentences below it. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "commands/report/read_run.h"

/* Free with headline_fini. */
struct headline {
    struct str text;  /* "2.7 s instead of about 18 s"; commands are between backticks */
    struct str range; /* "(13 s to 23 s)", or empty */
    bool is_bad;      /* something failed */
};

/* Makes the headline: the first that holds of failed tasks, an interrupted run, the savings of
 * extra attempts, the cost of stragglers; of many jobs their mean and 95th percentile. */
void headline_init(struct headline *h, const struct read_run *r);
void headline_fini(struct headline *h);

enum { HEADLINE_SENTENCES = 5 };

/* Adds at most HEADLINE_SENTENCES, each followed by a newline: a caveat about the journal, the
 * rescued tasks, the cost of that, the remaining delay, nodes with trouble, unknown facts. */
void headline_sentences(const struct read_run *r, struct str *out);
