/* request.h - the options of a trace, in every command: its files and how to read them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/field.h"
#include "inputs/trace/import.h"

struct trace_request {
    struct field_list files, assumes; /* assumes: "key=value" */
    const char *format;               /* NULL: detected */
    int64_t memory;                   /* bytes */
    bool is_strict, is_sorted;
};

#define REQUEST_DEFAULT ((struct trace_request){.memory = INT64_C(256) << 20})

void request_fini(struct trace_request *q);

/* The options of a command whose struct has a `struct trace_request` as this member. */
#define REQUEST_OPTIONS(owner, member)                                                             \
    {FIELD_OPTION("format", "NAME", FIELD_TEXT, owner, member.format,                              \
                  "the format of the trace (`dolly trace formats`); default: detected")},          \
        {FIELD_OPTION("assume", "KEY=VALUE", FIELD_LIST, owner, member.assumes,                    \
                      "a value that the trace does not record; may be repeated")},                 \
        {FIELD_OPTION("memory", "SIZE", FIELD_BYTES, owner, member.memory,                         \
                      "memory to sort the trace in, the rest goes to $TMPDIR; default 256M"),      \
         .min = IMPORT_MEMORY_MIN, .max = 1e15},                                                   \
        {FIELD_OPTION("strict", NULL, FIELD_FLAG, owner, member.is_strict,                         \
                      "the first bad line is an error; default: only more than half of them")},    \
    {                                                                                              \
        FIELD_OPTION("sort", NULL, FIELD_FLAG, owner, member.is_sorted,                            \
                     "sort jobs by arrival even where the format has them in order")               \
    }

/* Reads the trace: files, or folders of them (trace_files.h). Returns NULL with *err. */
struct import *request_open(const struct trace_request *q, struct err *err);
