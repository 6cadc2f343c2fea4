/* compare_page.h - one HTML file about the same jobs in several runs: under other policies, or in
 * the simulator and in reality. */
#ifndef COMMANDS_REPORT_COMPARE_PAGE_H
#define COMMANDS_REPORT_COMPARE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { COMPARE_PAGE_RUNS = 3 };

/* Reads the journals (up to COMPARE_PAGE_RUNS, at least 2; names as of read_run_open), whose runs
 * are called `labels`, and writes the page. The first is what the others are compared with. `kept`:
 * the journals can be asked for more later. 0, or -1 with *err. */
int compare_page(const char *const *journals, const char *const *labels, uint32_t count, bool kept,
                 const char *output, struct err *err);

/* Whether a page could be written there: 0, or -1 with *err. Leaves nothing behind. */
int compare_page_may_save(const char *path, struct err *err);

#endif
