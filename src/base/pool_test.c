#include "base/pool.h"

#include <string.h>

#include "tests/unit/test.h"

/* Growing keeps what is there, across the size from which blocks are mappings, and stays aligned.
 */
TEST(pool_grows_and_stays_aligned)
{
    POOL(uint64_t) p = {0};
    for (uint64_t i = 0; i < 200000; i++) {
        pool_add(&p);
        p.at[i] = i * 3;
        expect((uintptr_t)p.at % POOL_ALIGN == 0);
    }
    for (uint64_t i = 0; i < p.count; i++)
        expect(p.at[i] == i * 3);
    pool_free(&p);
    expect(p.at == NULL && p.count == 0 && p.cap == 0);
    pool_free(&p);
}

TEST(pool_shrinks)
{
    unsigned char *at = pool_resize(NULL, 0, 1 << 20);
    for (int i = 0; i < 1 << 20; i++)
        at[i] = (unsigned char)(i * 7);
    at = pool_resize(at, 1 << 20, 1 << 18);
    at = pool_resize(at, 1 << 18, 1000);
    for (int i = 0; i < 1000; i++)
        expect(at[i] == (unsigned char)(i * 7));
    pool_release(at, 1000);
    pool_release(NULL, 0);
}

/* At the size from which a block is a mapping, and one byte to either side of it. */
TEST(pool_resizes_across_the_bound_of_mappings)
{
    static const size_t sizes[] = {131071, 131072, 131073, 131072, 131071, 131072, 1};
    unsigned char *at = pool_resize(NULL, 0, 131072);

    memset(at, 7, 131072);
    for (size_t i = 0, before = 131072; i < sizeof sizes / sizeof *sizes; before = sizes[i++]) {
        at = pool_resize(at, before, sizes[i]);
        expect(at[0] == 7 && (uintptr_t)at % POOL_ALIGN == 0);
    }
    pool_release(at, 1);
    pool_release(pool_resize(NULL, 0, 131072), 131072);
}
