#include "remote/coordinator/agent_info.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { CARD_TEXT_MAX = 4096 }; /* of each text */

void agent_info_fini(struct agent_info *c)
{
    mem_free(c->host);
    mem_free(c->rack);
    mem_free(c->boot);
    mem_free(c->scratch);
    *c = (struct agent_info){0};
}

bool agent_info_is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return strlen(text) <= CARD_TEXT_MAX;
}

void agent_info_clock(int64_t ahead_us, char text[64])
{
    int64_t s = ahead_us / 1000000;

    snprintf(text, 64, "%lld s %s", (long long)(s < 0 ? -s : s), s < 0 ? "behind" : "ahead of");
}
