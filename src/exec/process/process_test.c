#include "exec/process/process.h"

#include <fcntl.h>
#include <unistd.h>

#include "exec/process/descendants.h"
#include "exec/process/sys.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

TEST(process_entries_are_found_and_used_again)
{
    struct process_table t = {0};
    int before = limits_open();
    struct process *p = process_add(&t, 7);

    expect(p->state == PROCESS_RUNNING && p->handle == 7 && p->order == 0 && p->stdin_fd == -1);
    expect(p->progress_fd == -1 && p->pipe_fd == -1 && p->kill_at_us == INT64_MAX && !p->pid);
    process_enter(&t, p, 100);
    p = process_add(&t, 8);
    process_enter(&t, p, 200);
    expect(p->order == 1 && process_index(&t, p) == 1);
    expect(process_by_handle(&t, 7)->pid == 100 && process_by_pid(&t, 200)->handle == 8);
    expect(!process_by_handle(&t, 9) && !process_by_pid(&t, 300) && !process_orphan(&t, 100));
    p = process_by_handle(&t, 7);
    p->stdin_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    p->progress_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    p->pipe_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    p->pipe = 55;
    p->killed = true;
    int progress = p->progress_fd;
    process_remove(&t, p);
    expect(limits_open() == before + 2); /* the next one gets the pipe, not stdin */
    expect(!process_by_handle(&t, 7) && !process_by_pid(&t, 100) && process_by_pid(&t, 200));
    p = process_add(&t, 9); /* in the same place */
    expect(process_index(&t, p) == 0 && p->order == 2 && p->handle == 9 && !p->killed);
    expect(p->stdin_fd == -1 && p->progress_fd == progress && p->pipe_fd >= 0 && p->pipe == 55);
    process_remove(&t, p); /* it was never started: no process has number 0 */
    p = process_add(&t, 10);
    p->stdin_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    vec_push(&t.orphans, ((struct orphan){.pid = 5}));
    vec_push(&t.orphans, ((struct orphan){.pid = 6}));
    expect(process_orphan(&t, 6) == &t.orphans.at[1] && !process_orphan(&t, 7));
    process_table_fini(&t);
    expect(limits_open() == before);
}

/* Waits until the child has ended, but leaves it to be waited for. */
static void await(pid_t child)
{
    siginfo_t info;

    expect(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
}

/* By the kernel's list, and by a search of /proc. */
TEST(descendants_list_children_either_way)
{
    struct descendants t;
    pid_t children[3];

    if (test_lacks_subreaper())
        return;
    expect(descendants_init(&t) == 0);
    descendants_spare(&t);
    uint32_t had = t.pids.count;
    for (int i = 0; i < 3; i++)
        if ((children[i] = fork()) == 0)
            _exit(0);
    for (int i = 0; i < 3; i++)
        await(children[i]);
    for (int way = 0; way < 2; way++) {
        if (way)
            sys_close(&t.list_fd);
        expect(descendants_list(&t) == 0 && t.pids.count == had + 3);
        for (int i = 0; i < 3; i++) {
            uint32_t found = 0;
            for (uint32_t k = 0; k < t.pids.count; k++)
                found += t.pids.at[k] == children[i];
            expect(found == 1 && descendants_parent(children[i]) == getpid());
        }
    }
    expect(waitpid(children[0], NULL, 0) == children[0] && descendants_parent(children[0]) == 0);
    for (int i = 1; i < 3; i++)
        expect(waitpid(children[i], NULL, 0) == children[i]);
    expect(descendants_parent(getpid()) == getppid());
    descendants_fini(&t);
}
