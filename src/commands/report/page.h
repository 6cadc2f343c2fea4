/* page.h - one HTML file about a run. */
#ifndef COMMANDS_REPORT_PAGE_H
#define COMMANDS_REPORT_PAGE_H

#include "base/text.h"
#include "commands/report/read_run.h"

/* Appends the whole file. */
void page_write(struct read_run *r, struct str *to);

#endif
