/* table.c - code that formats of tables share. */
#include "inputs/formats/table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "inputs/trace/number.h"

void table_split(struct row_text line, char mark, struct table_row *row)
{
    row->count = lines_split(line, mark, row->at, TABLE_COLUMNS_MAX);
}

bool table_take(struct feed_reader *r, struct row_text line, char comment, char mark,
                uint32_t least, struct table_row *row)
{
    if (line.length == 0 || (comment && line.at[0] == comment))
        return false;
    table_split(line, mark, row);
    return feed_check(r, row->count >= least, TROUBLE_COLUMNS);
}

bool table_first(const char *at, size_t length, bool is_all, char mark, char comment,
                 struct table_row *row)
{
    struct row_text line;
    if (!lines_first(at, length, is_all, comment, &line))
        return false;
    table_split(line, mark, row);
    return true;
}

bool table_begins(const char *at, size_t length, bool is_all, const char *header)
{
    struct row_text line;
    size_t n = strlen(header);
    return lines_first(at, length, is_all, 0, &line) && line.length >= n &&
           !memcmp(line.at, header, n);
}

bool table_is_int(struct row_text field)
{
    int64_t value;
    return number_int(field, &value);
}

uint32_t table_header(struct row_text line, char mark, const char *const *names, uint32_t count,
                      int *column)
{
    struct table_row row;
    uint32_t found = 0;
    table_split(line, mark, &row);
    for (uint32_t i = 0; i < count; i++) {
        column[i] = -1;
        for (uint32_t k = 0; k < row.count && column[i] < 0; k++)
            if (row_text_is(row.at[k], names[i]))
                column[i] = (int)k;
        found += column[i] >= 0;
    }
    return found;
}

struct row_text table_number(struct table_text *to, const char *before, int64_t value)
{
    to->length = (size_t)snprintf(to->at, sizeof to->at, "%.30s%" PRId64, before, value);
    return (struct row_text){to->at, to->length};
}

struct row_text table_line(struct table_text *to, struct row_text line, uint64_t number)
{
    uint32_t hash = hash_fold(hash_bytes(HASH_START, line.at, line.length));
    to->length = (size_t)snprintf(to->at, sizeof to->at, "%" PRIu64 "-%08" PRIx32, number, hash);
    return (struct row_text){to->at, to->length};
}
