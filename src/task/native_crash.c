/* native_crash.c - one line about a crash. See native_crash.h.
 *
 * The handler runs where anything may be broken: it uses a stack of its own, in case that of the
 * program is full, and writes texts that were there before. Then the signal has its usual effect,
 * so that whoever waits for the process sees what it died of. */
#include "task/native_crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals, STACK_BYTES = 1 << 16 };

static char where[512]; /* "dolly: OBJECT: phase 'P': it crashed" */
static const char *volatile function = "nothing";
static char stack[STACK_BYTES];
static struct sigaction before[SIGNALS];
static stack_t stack_before;

static const char *name_of(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "SIGABRT";
    }
}

static void put(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

static void tell(int signal)
{
    put(where);
    put(" in ");
    put(function);
    put(" (");
    put(name_of(signal));
    put(")\n");
    raise(signal); /* blocked until we return; SA_RESETHAND has taken us away */
}

void native_crash_watch(const char *object, const char *phase)
{
    struct sigaction action = {.sa_handler = tell, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};

    snprintf(where, sizeof where, "dolly: %s: phase '%s': it crashed", object, phase);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, &stack_before);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void native_crash_in(const char *name)
{
    function = name;
}

void native_crash_leave(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaltstack(&stack_before, NULL);
}
