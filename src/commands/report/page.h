/* page.h - one HTML file about a run. */
#pragma once

#include "base/text.h"
#include "commands/report/read_run.h"

/* Appends the whole file. */
void page_write(struct read_run *r, struct str *to);

/* Appends the page without its style and scripts, which its server has. */
void page_write_served(struct read_run *r, struct str *to);

/* Returns the user's name of a run: its folder, or the file of its journal. Free with mem_free. */
char *page_run_name(const char *path);
