/* test.h - unit tests that register themselves.
 *
 *     TEST(heap_pops_in_order)
 *     {
 *         expect(heap_top(&h)->key == 3);
 *     }
 *
 * A file x_test.c stands beside x.c and is linked into one program, build/.../unit. A test that
 * fails an expectation goes on; it is counted once as failed. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct test {
    const char *name, *file;
    void (*run)(void);
    struct test *next;
};

void test_register(struct test *t);
void test_expect(bool ok, const char *file, int line, const char *what);
/* Makes a new folder. A test removes it; after a test that was killed it is removed, too. */
enum { TEST_FOLDER = 64 };
void test_folder(char path[TEST_FOLDER]);
/* Returns the permissions of a file, with the bits that are special; 0 if there is none. Of a link,
 * those of the link. */
mode_t test_mode(const char *path);
/* Ends the test as skipped, with the reason; the caller returns. */
void test_skip(const char *why);
/* Skips the test and returns true if PR_SET_CHILD_SUBREAPER is refused, as by qemu-user. */
bool test_lacks_subreaper(void);
/* The same if posix_spawn() says that a program has started which is not there: qemu-user forks
 * where the C library asks for vfork(), so the error stays with the child. */
bool test_lacks_vfork(void);
/* The same if a limit of memory is accepted and not kept, as by qemu-user. */
bool test_lacks_memory_limits(void);

#define TEST(id)                                                                                   \
    static void test_run_##id(void);                                                               \
    __attribute__((constructor)) static void test_ctor_##id(void)                                  \
    {                                                                                              \
        static struct test t = {#id, __FILE__, test_run_##id, 0};                                  \
        test_register(&t);                                                                         \
    }                                                                                              \
    static void test_run_##id(void)

#define expect(cond) test_expect((cond), __FILE__, __LINE__, #cond)
