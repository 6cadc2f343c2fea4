#include "exec/process/descendants.h"

#include <errno.h>
#include <signal.h>

#include "exec/process/sys.h"
#include "tests/unit/deny.h"
#include "tests/unit/test.h"

/* A child that does nothing until it is ended. */
static pid_t idle_child(void)
{
    pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    return child;
}

static bool is_gone(pid_t child)
{
    return waitpid(child, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* Children of before among those of after, and none that is dead, by either list. In a process of
 * its own, which has no other children. */
static bool spared_stay(void)
{
    enum { CHILDREN = 6 };
    pid_t before[CHILDREN], after[CHILDREN];
    struct descendants t;
    bool good = descendants_init(&t) == 0;

    for (int way = 0; way < 2; way++) {
        if (way)
            sys_close(&t.list_fd);
        for (int i = 0; i < CHILDREN; i += 2)
            before[i] = idle_child();
        vec_clear(&t.spared);
        descendants_spare(&t);
        good &= t.spared.count == CHILDREN / 2;
        for (int i = 0; i < CHILDREN; i++)
            after[i] = idle_child();
        descendants_end_all(&t);
        for (int i = 0; i < CHILDREN; i++)
            good &= is_gone(after[i]);
        for (int i = 0; i < CHILDREN; i += 2) {
            good &= waitpid(before[i], NULL, WNOHANG) == 0;
            kill(before[i], SIGKILL);
            good &= waitpid(before[i], NULL, 0) == before[i];
        }
    }
    descendants_fini(&t);
    return good;
}

TEST(descendants_end_all_but_those_that_are_spared)
{
    if (!test_lacks_subreaper())
        deny_test(spared_stay);
}

/* Where there is nobody to be spared it ends with the last child, and at once without any. */
static bool none_stay(void)
{
    struct descendants t;
    bool good = descendants_init(&t) == 0;

    descendants_end_all(&t);
    pid_t one = idle_child(), other = idle_child();
    descendants_end_all(&t);
    good &= is_gone(one) && is_gone(other) && descendants_list(&t) == 0 && t.pids.count == 0;
    descendants_fini(&t);
    return good;
}

TEST(descendants_end_all_ends_without_children)
{
    if (!test_lacks_subreaper())
        deny_test(none_stay);
}

/* More children than one read of the kernel's list has room for: numbers are cut where it ends. */
static bool all_are_listed(void)
{
    enum { CHILDREN = 900 };
    static pid_t children[CHILDREN];
    struct descendants t;
    bool good = descendants_init(&t) == 0;
    uint32_t found = 0, made = 0;

    for (; made < CHILDREN && (children[made] = vfork()) >= 0; made++) /* as many as we may have */
        if (children[made] == 0)
            _exit(0);
    good &= descendants_list(&t) == 0 && t.pids.count == made;
    for (uint32_t i = 0; i < t.pids.count; i++)
        for (uint32_t k = 0; k < made; k++)
            found += t.pids.at[i] == children[k];
    descendants_end_all(&t);
    descendants_fini(&t);
    return good && found == made && is_gone(children[0]);
}

TEST(descendants_list_is_read_to_its_end)
{
    if (!test_lacks_subreaper() && !test_lacks_vfork())
        deny_test(all_are_listed);
}
