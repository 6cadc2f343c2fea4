/* cli.h - shared by all commands: exit statuses, error lines, the standard files. */
#pragma once

#include "base/err.h"

#define DOLLY_VERSION "1.0.0"

enum { EXIT_DONE = 0, EXIT_JOB_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* Prints "dolly: text" on stderr and returns the exit status that fits the kind of error. */
int cli_fail(const struct err *err);

/* Prints a usage error (printf style) with a pointer to `dolly COMMAND --help`; returns EXIT_USAGE.
 * `command` may be NULL: the pointer is then to `dolly --help`. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Opens those of stdin, stdout and stderr that the caller has closed, so that no other file gets
 * their numbers and the output of the program. Reading or writing them still fails. Call first in
 * main. */
void cli_hold_standard_files(void);

/* Makes writes to stdout complete even if its descriptor does not block. Call before anything is
 * printed. */
void cli_open_stdout(void);

/* Flushes stdout. Returns 0, or the errno of the first write that failed; the caller reports it,
 * and cli_close_stdout prints nothing more. */
int cli_stdout_error(void);

/* Flushes and closes stdout. Returns `status`; or, if some output could not be written (a full
 * disk), prints one line and returns EXIT_JOB_FAILED. Call last. */
int cli_close_stdout(int status);
