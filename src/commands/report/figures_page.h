/* figures_page.h - writes one HTML file with published numbers and figures next to those of dolly.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

/* Writes the page about `papers`, a list of
 *     {paper, title, seeds, rows: [...], figures: [{id, kind, title, x_label, y_label, points}]}
 * as `dolly reproduce` makes them; borrowed. 0, or -1 with *err. */
int figures_page(json_t *papers, const char *output, struct err *err);
