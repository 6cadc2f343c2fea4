/* page.h - one HTML file about a run. */
#pragma once

#include "base/text.h"
#include "commands/report/read_run.h"
#include "commands/report/web.h"

/* Appends the whole file, with web_report as its script; NULL: without style and scripts, which its
 * server has. */
void page_write(struct read_run *r, const struct web_file *script, struct str *to);

/* Returns the user's name of a run: its folder, the folder of its results while these are not done,
 * or the file of its journal, as text_tame leaves it. Free with mem_free. */
char *page_run_name(const char *path);
