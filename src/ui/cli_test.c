#include "ui/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

/* Returns true if this was printed on stderr since `c` began. */
static bool printed(struct capture *c, const char *want)
{
    char *text = capture_end(c);
    bool same = strcmp(text, want) == 0;

    if (!same)
        printf("%s\n", text);
    mem_free(text);
    return same;
}

TEST(cli_fails_with_one_line_and_the_status_of_the_kind)
{
    struct capture c;
    struct err err;

    err_set(&err, "no\nsuch");
    capture_begin(&c, STDERR_FILENO);
    expect(cli_fail(&err) == EXIT_USAGE && printed(&c, "dolly: no?such\n"));
    err_system(&err, "the disk");
    capture_begin(&c, STDERR_FILENO);
    expect(cli_fail(&err) == EXIT_JOB_FAILED && printed(&c, "dolly: the disk\n"));
}

TEST(cli_usage_names_the_command_and_its_help)
{
    struct capture c;

    capture_begin(&c, STDERR_FILENO);
    expect(cli_usage("map", "no %s", "a\tb") == EXIT_USAGE);
    expect(printed(&c, "dolly map: no a?b (see `dolly map --help`)\n"));
    capture_begin(&c, STDERR_FILENO);
    expect(cli_usage(NULL, "no %d", 7) == EXIT_USAGE);
    expect(printed(&c, "dolly: no 7 (see `dolly --help`)\n"));
}

/* Runs it in a child, whose stdout is `out`. Returns its status. */
static int status_of(int (*body)(void), int out)
{
    int status = -1;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (out >= 0)
            dup2(out, STDOUT_FILENO);
        _exit(body());
    }
    expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A descriptor that is not open is taken, so that no file of ours gets its number; what is there
 * cannot be used, because the process was started without it. */
static int holds_files(void)
{
    char byte;

    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    cli_hold_standard_files();
    bool held = fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0;
    bool useless = read(0, &byte, 1) < 0 && write(1, "", 1) < 0 && write(2, "", 1) < 0;
    return held && useless ? 0 : 1;
}

static int leaves_files(void)
{
    int ends[2];

    if (pipe(ends) < 0 || dup2(ends[0], 0) < 0 || dup2(ends[1], 1) < 0)
        return 1;
    cli_hold_standard_files();
    char byte;
    return write(1, "x", 1) == 1 && read(0, &byte, 1) == 1 && byte == 'x' ? 0 : 1;
}

TEST(cli_holds_the_standard_files)
{
    expect(status_of(leaves_files, -1) == 0 && status_of(holds_files, -1) == 0);
}

static int prints(void)
{
    cli_open_stdout();
    printf("text\n");
    return cli_close_stdout(EXIT_DONE);
}

static int prints_and_fails(void)
{
    cli_open_stdout();
    printf("text\n");
    return cli_close_stdout(EXIT_USAGE);
}

static int asks_first(void)
{
    cli_open_stdout();
    printf("text\n");
    int error = cli_stdout_error();
    return cli_close_stdout(EXIT_DONE) == EXIT_JOB_FAILED && error == ENOSPC ? 40 : 41;
}

TEST(cli_reports_output_that_cannot_be_written)
{
    struct capture c;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC), file;
    char text[16];
    FILE *made = tmpfile();

    if (full < 0 || !made) {
        test_skip("there is no /dev/full");
        return;
    }
    file = fileno(made);
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(prints, file) == EXIT_DONE && status_of(prints_and_fails, file) == EXIT_USAGE);
    expect(printed(&c, "") && pread(file, text, sizeof text, 0) == 10);
    expect(memcmp(text, "text\ntext\n", 10) == 0);
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(prints, full) == EXIT_JOB_FAILED);
    expect(printed(&c, "dolly: cannot write the output: No space left on device\n"));
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(prints_and_fails, full) == EXIT_USAGE);
    expect(printed(&c, "dolly: cannot write the output: No space left on device\n"));
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(asks_first, full) == 40 && printed(&c, "")); /* the command speaks of it */
    close(full);
    fclose(made);
}

static int close_error;

static ssize_t takes_all(void *ctx, const char *text, size_t length)
{
    (void)ctx;
    (void)text;
    return (ssize_t)length;
}

static int fails_to_close(void *ctx)
{
    (void)ctx;
    if (close_error)
        errno = close_error;
    return -1;
}

static int prints_to_what_fails_late(void)
{
    stdout = fopencookie(NULL, "w",
                         (cookie_io_functions_t){.write = takes_all, .close = fails_to_close});
    printf("text\n");
    return cli_close_stdout(EXIT_DONE);
}

/* Some file systems say only when a file is closed that it could not be written. */
TEST(cli_reports_output_that_is_lost_when_it_is_closed)
{
    struct capture c;

    close_error = EDQUOT;
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(prints_to_what_fails_late, -1) == EXIT_JOB_FAILED);
    expect(printed(&c, "dolly: cannot write the output: Disk quota exceeded\n"));
    close_error = 0; /* it does not say why */
    capture_begin(&c, STDERR_FILENO);
    expect(status_of(prints_to_what_fails_late, -1) == EXIT_JOB_FAILED);
    expect(printed(&c, "dolly: cannot write the output: Input/output error\n"));
}
