/* streaming_notes.h - keeps notes for the user, and texts, as long as the arguments live. */
#pragma once

#include "jobs/streaming/streaming_args.h"

/* Adds a line for the user. */
void streaming_notes_add(struct streaming_args *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes ownership of a text, keeps it as long as the arguments live, and returns it. */
const char *streaming_notes_keep(struct streaming_args *a, char *text);
