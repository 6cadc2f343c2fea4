/* journal_json.h - a record of the journal as a JSON object; docs/reference/journal.md lists the
 * keys. */
#ifndef UI_JOURNAL_JSON_H
#define UI_JOURNAL_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "record/journal/journal_reader.h"

/* A new object for the record; the caller drops it with json_decref. */
json_t *journal_json_record(const struct record *record);

/* jansson's flags for printing a record on one line: as few digits as give its numbers back
 * exactly. */
size_t journal_json_flags(const struct record *record);

/* A count or id that may exceed what JSON integers hold here: then it is a string of digits. */
json_t *journal_json_u64(uint64_t value);

/* Checksums and digests: 16 hexadecimal digits. */
json_t *journal_json_hex(uint64_t value);

/* A string from a journal; bytes that are not UTF-8 are shown as '?', no string as null. */
json_t *journal_json_text(const char *text);

#endif
