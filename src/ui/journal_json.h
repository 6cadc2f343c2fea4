/* journal_json.h - a record of the journal as a JSON object; docs/reference/journal.md lists the
 * keys. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "record/journal/journal_reader.h"

/* Returns a new object for the record; release it with json_decref. */
json_t *journal_json_record(const struct record *record);

/* Returns jansson's flags for printing a record on one line: the fewest digits that reproduce its
 * numbers exactly. */
size_t journal_json_flags(const struct record *record);

/* Returns a count or id as an integer, or as a string of digits if it exceeds JSON's integers here.
 */
json_t *journal_json_u64(uint64_t value);

/* Returns a checksum or digest as 16 hexadecimal digits. */
json_t *journal_json_hex(uint64_t value);

/* Returns a string from a journal; bytes that are not UTF-8 become '?', NULL becomes null. */
json_t *journal_json_text(const char *text);
