#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "jobs/task/task_state.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* Lines of the functions must not get among the results: without both streams nothing is loaded. */
TEST(task_native_needs_stdout_and_stderr)
{
    struct plan_phase phase = {.name = "a", .native = "/nowhere.so", .above = PLAN_INPUTS};
    struct task_attempt t = {.phase = &phase, .split.path = "/in"};
    uint64_t emitted = 0;

    for (int which = STDOUT_FILENO; which <= STDERR_FILENO; which++) {
        int open_before = limits_open(), before = fcntl(which, F_DUPFD_CLOEXEC, 3);
        struct err err;
        close(which);
        int result = task_native_run(&t, NULL, NULL, &emitted, &err);
        dup2(before, which);
        close(before);
        expect(result < 0 && err.kind == ERR_SYSTEM && emitted == 0);
        expect(strcmp(err.text, "standard output: Bad file descriptor") == 0);
        expect(limits_open() == open_before);
    }
}
