#include "ui/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/write_all.h"
#include "base/text.h"

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
    text_tame(err.text); /* it stays one line, whatever stands in an argument */
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

static struct write_all_stream stdout_stream;
static bool stdout_told; /* a command speaks of it */

void cli_open_stdout(void)
{
    FILE *f = write_all_stream(&stdout_stream, STDOUT_FILENO);

    if (!f)
        return; /* the one that is there does, as long as writing does not fail half way */
    if (isatty(STDOUT_FILENO))
        setvbuf(f, NULL, _IOLBF, BUFSIZ);
    stdout = f;
}

static int stdout_look(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return stdout_stream.error ? stdout_stream.error : EIO;
}

int cli_stdout_error(void)
{
    int error = stdout_look();

    stdout_told |= error != 0;
    return error;
}

int cli_close_stdout(int status)
{
    int error = stdout_look();

    errno = 0;
    if (fclose(stdout) != 0 && error == 0)
        error = errno ? errno : EIO;
    if (error == 0)
        return status;
    if (!stdout_told)
        fprintf(stderr, "dolly: cannot write the output: %s\n", strerror(error));
    return status ? status : EXIT_JOB_FAILED;
}
