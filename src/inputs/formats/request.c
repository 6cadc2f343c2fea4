/* request.c - makes a trace from the user's words. */
#include "inputs/formats/request.h"

#include "inputs/formats/formats.h"
#include "inputs/formats/trace_files.h"

void request_fini(struct trace_request *q)
{
    vec_free(&q->files.texts);
    vec_free(&q->assumes.texts);
}

struct import *request_open(const struct trace_request *q, struct err *err)
{
    struct import_options o = {
        .formats = formats_table,
        .assume = assume_defaults(),
        .memory = (size_t)q->memory,
        .is_strict = q->is_strict,
        .is_sorted = q->is_sorted,
    };
    if (q->format && !(o.format = formats_find(q->format, err)))
        return NULL;
    for (uint32_t i = 0; i < q->assumes.texts.count; i++)
        if (assume_set(&o.assume, q->assumes.texts.at[i], err) < 0)
            return NULL;
    struct trace_files files = {0};
    struct import *m = NULL;
    if (trace_files_list(q->files.texts.at, q->files.texts.count, &files, err) == 0) {
        o.paths = (const char *const *)files.at.at;
        o.path_count = files.at.count;
        m = import_open(&o, err);
    }
    vec_free_each(&files.at);
    return m;
}
