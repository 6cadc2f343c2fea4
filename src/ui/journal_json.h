/* journal_json.h - a record of the journal as a JSON object; docs/reference/journal.md lists the
 * keys. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "record/journal/journal_reader.h"

/* Returns a new object for the record; release it with json_decref. */
json_t *journal_json_record(const struct record *record);

/* Returns jansson's flags for printing a record on one line: the fewest digits that reproduce its
 * numbers exactly. */
size_t journal_json_flags(const struct record *record);
