#include "commands/watch/http_token.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/refuse.h"
#include "tests/unit/test.h"

/* No token is better than one that can be guessed. */
TEST(http_token_needs_random_numbers)
{
    enum { FINE, WRONG, UNKNOWN };
    pid_t child = fork();

    if (child == 0) {
        struct http_token t;
        struct err err;
        if (!refuse_call(__NR_getrandom, ENOSYS))
            _exit(UNKNOWN);
        bool fails = http_token_init(&t, &err) < 0 && err.kind == ERR_SYSTEM &&
                     strcmp(err.text, "cannot get random numbers: Function not implemented") == 0;
        _exit(fails ? FINE : WRONG);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == UNKNOWN)
        test_skip("system calls cannot be refused here");
    else
        expect(WEXITSTATUS(status) == FINE);
}
