#include "base/pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

/* From here on a block is a mapping of its own. AddressSanitizer watches only what malloc gave. */
#ifdef __SANITIZE_ADDRESS__
#define MAPPED_MIN SIZE_MAX
#else
#define MAPPED_MIN ((size_t)128 * 1024)
#endif

static void *plain(size_t bytes)
{
    void *block = aligned_alloc(POOL_ALIGN, (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN);
    if (!block)
        mem_out(bytes, 1);
    return block;
}

/* Elements are visited in no order: with small pages the processor would also have to look up where
 * each one is. Where that is not known nothing is lost. */
static void large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(block, bytes, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

static void *mapped(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        mem_out(bytes, 1);
    large_pages(block, bytes);
    return block;
}

void *pool_resize(void *block, size_t old_bytes, size_t bytes)
{
    if (block && old_bytes >= MAPPED_MIN && bytes >= MAPPED_MIN) {
        void *moved = mremap(block, old_bytes, bytes, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED)
            mem_out(bytes, 1);
        large_pages(moved, bytes);
        return moved;
    }
    void *next = bytes >= MAPPED_MIN ? mapped(bytes) : plain(bytes);
    if (block)
        memcpy(next, block, old_bytes < bytes ? old_bytes : bytes);
    pool_release(block, old_bytes);
    return next;
}

void pool_release(void *block, size_t bytes)
{
    if (block && bytes >= MAPPED_MIN)
        munmap(block, bytes);
    else
        free(block);
}
