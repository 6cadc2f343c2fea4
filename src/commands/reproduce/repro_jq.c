/* repro_jq.c - one jq process: its program, input, output and messages are unnamed files. */
#include "commands/reproduce/repro_jq.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "commands/reproduce/repro_work.h"

enum { EXIT_COMPILING = 3 }; /* jq does not understand the program */

enum { PROGRAM, INPUT, OUTPUT, MESSAGES, FILES };

/* The first message, without what only helps on a command line. */
static void first_message(FILE *messages, char *text, size_t size)
{
    const char *prefix = "jq: error: ";

    rewind(messages);
    if (!fgets(text, (int)size, messages))
        snprintf(text, size, "jq failed without a message");
    text[strcspn(text, "\n")] = '\0';
    char *where = strstr(text, " at <top-level>");
    if (where)
        *where = '\0';
    if (strncmp(text, prefix, strlen(prefix)) == 0)
        memmove(text, text + strlen(prefix), strlen(text + strlen(prefix)) + 1);
}

static json_t *run(const char *library, FILE *const files[FILES], char *const *args, uint32_t count,
                   struct err *err)
{
    char path[FILES][32], message[300];
    json_error_t where;
    int pid, status;

    for (int i = 0; i < FILES; i++)
        snprintf(path[i], sizeof path[i], "/dev/fd/%d", fileno(files[i]));
    const char *fixed[] = {"jq",          "-n",          "-L",    library,    "-f",
                           path[PROGRAM], "--slurpfile", "input", path[INPUT]};
    const size_t head = sizeof fixed / sizeof fixed[0];
    char **argv = mem_zalloc(head + count + 1, sizeof *argv);
    memcpy(argv, fixed, sizeof fixed);
    for (uint32_t i = 0; i < count; i++)
        argv[head + i] = args[i];
    int error = repro_work_spawn(argv, ".", path[OUTPUT], path[MESSAGES], &pid);
    mem_free(argv);
    if (error) {
        err_system(err, "cannot start jq, which formulas need (Debian: jq): %s", strerror(error));
        return NULL;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    rewind(files[OUTPUT]);
    json_t *value = status == 0 ? json_loadf(files[OUTPUT], JSON_DECODE_ANY, &where) : NULL;
    if (!value) {
        first_message(files[MESSAGES], message, sizeof message);
        (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_COMPILING ? err_set : err_system)(
            err, "%s", message);
    }
    return value;
}

json_t *repro_jq_run(const char *library, const char *program, char *const *args, uint32_t count,
                     const json_t *input, struct err *err)
{
    FILE *files[FILES] = {tmpfile(), tmpfile(), tmpfile(), tmpfile()};
    json_t *value = NULL;

    if (!files[PROGRAM] || !files[INPUT] || !files[OUTPUT] || !files[MESSAGES] ||
        fputs(program, files[PROGRAM]) == EOF || fflush(files[PROGRAM]) == EOF ||
        (input && json_dumpf(input, files[INPUT], JSON_REAL_PRECISION(15)) < 0) ||
        fflush(files[INPUT]) == EOF)
        err_system(err, "cannot make a temporary file: %s", strerror(errno));
    else
        value = run(library, files, args, count, err);
    for (int i = 0; i < FILES; i++)
        if (files[i])
            fclose(files[i]);
    return value;
}
