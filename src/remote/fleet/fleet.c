#include "remote/fleet/fleet.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

int fleet_parse_count(const char *text, uint32_t *min, uint32_t *max, struct err *err)
{
    const char *dash = strchr(text, '-');
    char first[16];
    int64_t from, to;

    snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : 15, text);
    if (!text_int(first, &from) || !text_int(dash ? dash + 1 : text, &to) || from < 1 ||
        from > to || to > FLEET_AGENTS_MAX)
        return err_set(err, "'%s': expected a number of agents from 1 to %d, or two as in 2-10",
                       text, FLEET_AGENTS_MAX);
    *min = (uint32_t)from;
    *max = (uint32_t)to;
    return 0;
}
