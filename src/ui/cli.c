#include "ui/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cli_fail(const struct err *err)
{
    fprintf(stderr, "dolly: %s\n", err->text);
    return err->kind == ERR_SYSTEM ? EXIT_JOB_FAILED : EXIT_USAGE;
}

int cli_usage(const char *command, const char *format, ...)
{
    struct err err;
    va_list args;

    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    /* The message stays one line, whatever stands in an argument. */
    for (char *c = err.text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    if (command)
        fprintf(stderr, "dolly %s: %s (see `dolly %s --help`)\n", command, err.text, command);
    else
        fprintf(stderr, "dolly: %s (see `dolly --help`)\n", err.text);
    return EXIT_USAGE;
}

void cli_hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null",
                        fd == 0 ? O_WRONLY : O_RDONLY); /* takes the lowest number: fd */
}

int cli_close_stdout(int status)
{
    errno = 0;
    bool lost = fflush(stdout) != 0; /* first: it says why, an error noted earlier does not */
    if (ferror(stdout)) {
        lost = true;
        if (errno == 0) /* nothing was left to write: the output is torn, so one byte more may be */
            (void)!write(STDOUT_FILENO, "\n", 1);
    }

    if (fclose(stdout) != 0)
        lost = true;
    if (!lost)
        return status;
    fprintf(stderr, "dolly: cannot write the output: %s\n", strerror(errno ? errno : EIO));
    return status ? status : EXIT_JOB_FAILED;
}
