#include "remote/coordinator/agents_card.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { CARD_TEXT_MAX = 4096 }; /* of each text */

void agents_card_fini(struct agents_card *c)
{
    mem_free(c->host);
    mem_free(c->rack);
    mem_free(c->boot);
    mem_free(c->scratch);
    *c = (struct agents_card){0};
}

bool agents_card_is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return strlen(text) <= CARD_TEXT_MAX;
}

void agents_card_clock(int64_t ahead_us, char text[64])
{
    int64_t s = ahead_us / 1000000;

    snprintf(text, 64, "%lld s %s", (long long)(s < 0 ? -s : s), s < 0 ? "behind" : "ahead of");
}
