/* page.h - one HTML file that tells of a run. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"
#include "report/read_run.h"

/* Appends the whole file. */
void page_write(struct read_run *r, struct str *to);

#endif
