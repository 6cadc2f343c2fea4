#include "data/mapped.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/command.h"
#include "tests/unit/limits.h"

TEST(mapped_is_the_whole_file)
{
    struct command_folder f;
    struct mapped m;
    struct err err;
    int open_before;

    command_begin(&f);
    open_before = limits_open();
    command_file("one", "x");
    command_file("none", "");
    expect(mapped_open(&m, "one", &err) == 0 && m.size == 1 && m.at[0] == 'x');
    mapped_close(&m);
    expect(!m.at && m.size == 0);
    mapped_close(&m);
    expect(mapped_open(&m, "none", &err) == 0 && m.size == 0 && m.at && !*m.at);
    mapped_close(&m);
    expect(limits_open() == open_before);
    command_end(&f);
}

TEST(mapped_refuses_what_is_not_a_file)
{
    struct command_folder f;
    struct mapped m;
    struct err err;
    int open_before;

    command_begin(&f);
    open_before = limits_open();
    expect(mapped_open(&m, "none", &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "none: No such file or directory") == 0 && m.size == 0 && !*m.at);
    expect(mapped_open(&m, ".", &err) == -1 && strcmp(err.text, ".: Invalid argument") == 0);
    expect(m.size == 0 && limits_open() == open_before);
    expect(mapped_take(&m, -1, "it", &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "it: Bad file descriptor") == 0 && m.size == 0);
    command_file("one", "x");
    int fd = open("one", O_WRONLY | O_CLOEXEC); /* that cannot be read */
    expect(mapped_take(&m, fd, "it", &err) == -1 && m.size == 0);
    expect(strcmp(err.text, "it: Permission denied") == 0);
    expect(fcntl(fd, F_GETFD) >= 0); /* it is still the caller's */
    close(fd);
    command_end(&f);
}
