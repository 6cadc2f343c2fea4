#include "exec/process/guardian.h"

#include <errno.h>
#include <string.h>

#include "exec/process/sys.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* Nothing is left open, and no process is taken for the guardian. */
TEST(guardian_that_cannot_be_started_says_why)
{
    static const struct {
        const char *call, *why;
    } cases[] = {{"socketpair", "cannot make a socket: "},
                 {"fork", "cannot start the guardian process: "}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct runner_options options = {0};
        struct err err;
        int64_t count = 0;
        struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                .at = 1,
                                .error = EAGAIN,
                                .count = &count,
                                .call = cases[i].call};
        int fd, before = limits_open();
        sys_plan_set(&plan);
        expect(guardian_start(&options, &fd, &err) == -1);
        sys_plan_set(NULL);
        expect(strncmp(err.text, cases[i].why, strlen(cases[i].why)) == 0);
        expect(strstr(err.text, strerror(EAGAIN)) && limits_open() == before);
    }
}
