/* native_crash.c - one line about a crash or an exit. See native_crash.h.
 *
 * The handler runs where anything may be broken: it uses a stack of its own, in case that of the
 * program is full, and writes texts that were there before. Then the signal has its usual effect,
 * so that whoever waits for the process sees what it died of.
 *
 * Libraries call exit(), some with status 0: parsers of options, STOP of Fortran. The output is not
 * whole then, and must not look as if it were. _exit() is not seen here; the coordinator believes
 * only attempts that have said what they leave. */
#include "jobs/task/native_crash.h"

#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"},
               {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}};
enum { SIGNALS = sizeof signals / sizeof *signals, STACK_BYTES = 1 << 16 };

static char where[512]; /* "dolly: OBJECT: phase 'P': it " */
static volatile bool watched, is_child;
static FILE *output;
static const char *volatile function = "nothing";
static char stack[STACK_BYTES];
static struct sigaction before[SIGNALS];
static stack_t stack_before;

static void put(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

static void tell(int signal)
{
    put(where);
    put("crashed in ");
    put(function);
    put(" (");
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == signal)
            put(signals[i].name);
    put(")\n");
    raise(signal); /* blocked until we return; SA_RESETHAND has taken us away */
}

/* The objects' own handlers have run by now, as they came after ours. */
static void on_end(int status, void *ctx)
{
    char line[sizeof where + 128];

    (void)ctx;
    if (!watched || is_child)
        return;
    bool late = strcmp(function, "end") == 0;
    snprintf(line, sizeof line, "%sended in %s, by exit(%d), before its %s\n", where, function,
             status, late ? "output was written" : "input did");
    put(line);
    _exit(status ? status : EXIT_FAILURE);
}

static void forked(void)
{
    is_child = watched;
    if (is_child && output)
        __fpurge(output);
}

bool native_crash_is_child(void)
{
    return is_child;
}

void native_crash_file(FILE *out)
{
    output = out;
}

void native_crash_watch(const char *object, const char *phase)
{
    static bool known;

    struct sigaction action = {.sa_handler = tell, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};

    snprintf(where, sizeof where, "dolly: %s: phase '%s': it ", object, phase);
    if (!known) {
        on_exit(on_end, NULL);
        pthread_atfork(NULL, NULL, forked);
    }
    known = watched = true;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, &stack_before);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &action, &before[i]);
}

void native_crash_in(const char *name)
{
    function = name;
}

void native_crash_leave(void)
{
    watched = false;
    output = NULL;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &before[i], NULL);
    sigaltstack(&stack_before, NULL);
}
