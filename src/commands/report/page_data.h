/* page_data.h - the data for the script of a page: attempts as columns, stories of tasks, and the
 * rest as JSON. */
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "commands/report/read_run.h"

/* Sorts the rows by launch, and appends their columns (pack_deflated). Returns their description
 * and everything else: names, jobs, nodes, series. */
json_t *page_data(struct read_run *r, struct str *columns);

/* Appends the stories of the most notable tasks (pack_deflated): [[job, phase, task, text]...]. */
void page_data_stories(struct read_run *r, struct str *to);
