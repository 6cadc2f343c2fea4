/* fit_set.c - the method is in fit_set.h.
 *
 * A bit of an upper level is set whenever the word below has bits, and may be set when it has none.
 * It is set at once and cleared late, by the search that finds nothing there: a node that is full,
 * free and full again within a turn, as all are on a busy cluster, then changes one word and not
 * one per level, and a search pays for what it clears only once. */
#include "core/match/fit_set.h"

#include <string.h>

#include "base/mem.h"

static uint32_t words_of(uint32_t nodes, int level)
{
    for (int i = 0; i <= level; i++)
        nodes = nodes / 64 + (nodes % 64 != 0);
    return nodes ? nodes : 1;
}

void fit_set_fini(struct fit_set *s)
{
    for (int l = 0; l < FIT_SET_LEVELS; l++)
        mem_free(s->level[l]);
    *s = (struct fit_set){0};
}

/* All is summed up again: levels may have come into use. */
void fit_set_resize(struct fit_set *s, uint32_t cap)
{
    for (int l = 0; l < FIT_SET_LEVELS; l++) {
        uint32_t had = s->level[l] && l == 0 ? s->words[l] : 0, has = words_of(cap, l);
        s->level[l] = mem_resize(s->level[l], has, sizeof *s->level[l]);
        memset(s->level[l] + had, 0, (has - had) * sizeof *s->level[l]);
        s->words[l] = has;
        for (uint32_t w = 0; l > 0 && w < s->words[l - 1]; w++)
            if (s->level[l - 1][w])
                s->level[l][w / 64] |= UINT64_C(1) << (w % 64);
    }
    for (s->levels = 1; s->words[s->levels - 1] > 1;)
        s->levels++;
}

/* Says on every level that node `i` is there. */
static void sum_up(struct fit_set *s, uint32_t i)
{
    for (int l = 1; l < s->levels; l++) {
        i /= 64;
        s->level[l][i / 64] |= UINT64_C(1) << (i % 64);
    }
}

void fit_set_flip(struct fit_set *s, uint32_t i)
{
    uint64_t bit = UINT64_C(1) << (i % 64);
    s->level[0][i / 64] ^= bit;
    if (!(s->level[0][i / 64] & bit)) {
        s->count--;
        return;
    }
    s->count++;
    s->last = i;
    if (s->levels > 1 && !(s->level[1][i / 64 / 64] >> (i / 64 % 64) & 1))
        sum_up(s, i);
}

/* Up while the rest of the word is empty, then down to the first bit. */
uint32_t fit_set_next(const struct fit_set *s, uint32_t from)
{
    for (int l = 0; l < s->levels;) {
        uint32_t w = from / 64;
        if (w >= s->words[l])
            return FIT_SET_END;
        uint64_t rest = s->level[l][w] & ~UINT64_C(0) << (from % 64);
        if (!rest) {
            from = w + 1;
            l++;
            continue;
        }
        from = w * 64 + (uint32_t)__builtin_ctzll(rest);
        if (l == 0)
            return from;
        if (s->level[l - 1][from]) {
            from *= 64;
            l--;
        } else {
            s->level[l][w] &= ~(UINT64_C(1) << (from % 64));
        }
    }
    return FIT_SET_END;
}
