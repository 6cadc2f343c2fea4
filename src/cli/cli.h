/* cli.h - what the commands share. Only files of this folder print; only main exits. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/err.h"

#define DOLLY_VERSION "0.1.0"

enum { EXIT_DONE = 0, EXIT_JOB_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* One line per command; argv[0] is the command's name. Returns an exit status. */
struct command {
    const char *name, *help; /* help: one line; NULL hides it from the list */
    int (*run)(int argc, char **argv);
};

int cmd_sim(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_workload(int argc, char **argv);
int cmd_policies(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_journal(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_leave(int argc, char **argv);
int cmd_resume(int argc, char **argv);

/* Prints "dolly: text" on stderr and returns the exit status that fits the kind of error. */
int cli_fail(const struct err *err);

/* Prints a usage error (printf style) with a pointer to `dolly COMMAND --help`; returns EXIT_USAGE.
 * `command` may be NULL: the pointer is then to `dolly --help`. */
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

/* Opens what the caller has closed of stdin, stdout and stderr, so that no file of ours gets their
 * numbers and our output. Reading or writing them fails all the same. The first thing main does. */
void cli_hold_standard_files(void);

/* Everything printed on stdout has arrived: returns `status`, or prints one line and returns
 * EXIT_JOB_FAILED when something was lost (a full disk). The last thing to do with stdout. */
int cli_close_stdout(int status);

#endif
