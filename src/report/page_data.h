/* page_data.h - what the script of a page draws from: attempts as columns, and the rest as JSON. */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include <jansson.h>

#include "base/text.h"
#include "explain/explain.h"
#include "report/gather.h"

/* Sorts the rows by launch, and appends their columns (pack_deflated). Returns what describes them
 * and everything else: names, jobs, nodes, series. */
json_t *page_data(const struct explain *x, struct gather *g, struct str *columns);

#endif
