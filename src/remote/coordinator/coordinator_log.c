#include "remote/coordinator/coordinator_log.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "remote/coordinator/coordinator_state.h"

static void log_line(struct coordinator *a, const char *format, va_list args)
{
    struct timespec now;
    struct tm day;
    char when[32];

    if (!a->log)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &day);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &day);
    fprintf(a->log, "%s.%03ldZ ", when, now.tv_nsec / 1000000);
    vfprintf(a->log, format, args);
    putc('\n', a->log);
    fflush(a->log);
}

void coordinator_log(struct coordinator *a, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_line(a, format, args);
    va_end(args);
}

void coordinator_log_note(struct coordinator *a, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    coordinator_log(a, "%s", text);
    if (a->options.on_note)
        a->options.on_note(a->options.ctx, text);
}

/* The user hears of it when there are agents that go on; else it is why there are none. */
void coordinator_log_trouble(struct coordinator *a, const char *why)
{
    a->untold = a->untold || strcmp(a->why, why) != 0;
    snprintf(a->why, sizeof a->why, "%s", why);
}
