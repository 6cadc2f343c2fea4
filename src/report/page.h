/* page.h - one HTML file that tells of a run. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "explain/explain.h"
#include "report/gather.h"

/* Appends the whole file. */
void page_write(const struct explain *x, struct gather *g, struct str *to);

#endif
