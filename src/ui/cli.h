/* cli.h - what all commands share: exit statuses, error lines, the standard files. */
#ifndef UI_CLI_H
#define UI_CLI_H

#include "base/err.h"

#define DOLLY_VERSION "0.1.0"

enum { EXIT_DONE = 0, EXIT_JOB_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* Prints "dolly: text" on stderr and returns the exit status that fits the kind of error. */
int cli_fail(const struct err *err);

/* Prints a usage error (printf style) with a pointer to `dolly COMMAND --help`; returns EXIT_USAGE.
 * `command` may be NULL: the pointer is then to `dolly --help`. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Opens what the caller has closed of stdin, stdout and stderr, so that no file of ours gets their
 * numbers and our output. Reading or writing them fails all the same. The first thing main does. */
void cli_hold_standard_files(void);

/* Makes stdout one that loses nothing where the descriptor does not block. Before anything is
 * printed. */
void cli_open_stdout(void);

/* Writes what stdout holds back; 0, or the errno of the first write to it that failed, which the
 * caller tells the user about: cli_close_stdout says no more. */
int cli_stdout_error(void);

/* Everything printed on stdout has arrived: returns `status`, or prints one line and returns
 * EXIT_JOB_FAILED when something was lost (a full disk). The last thing to do with stdout. */
int cli_close_stdout(int status);

#endif
