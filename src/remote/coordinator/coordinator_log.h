/* coordinator_log.h - the log of a run's agents, and the notes to the user from it. */
#pragma once

struct coordinator;

/* Writes a line to the log. */
__attribute__((format(printf, 2, 3))) void coordinator_log(struct coordinator *a,
                                                           const char *format, ...);

/* Writes a line to the log, and prints it for the user as well. */
__attribute__((format(printf, 2, 3))) void coordinator_log_note(struct coordinator *a,
                                                                const char *format, ...);

/* Records, in one line, why an agent could not be started, was refused, or has ended. */
void coordinator_log_trouble(struct coordinator *a, const char *why);
