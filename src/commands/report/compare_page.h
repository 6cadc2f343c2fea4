/* compare_page.h - writes one HTML file about the same jobs in several runs: under other policies,
 * or in the simulator and in reality. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { COMPARE_PAGE_RUNS = 6 };

/* Reads the journals (2 to COMPARE_PAGE_RUNS; names as in read_run_open) of the runs called
 * `labels`, and writes the page. The others are compared with the first. `kept`: the journals can
 * be queried later. Returns 0, or -1 with *err. */
int compare_page(const char *const *journals, const char *const *labels, uint32_t count, bool kept,
                 const char *output, struct err *err);

/* Returns 0 if a page could be written to this path, or -1 with *err. Leaves no file behind. */
int compare_page_may_save(const char *path, struct err *err);
