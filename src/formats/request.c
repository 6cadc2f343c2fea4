/* request.c - from words to a trace. */
#include "formats/request.h"

#include "formats/formats.h"

void request_fini(struct trace_request *q)
{
    vec_free(&q->files.texts);
    vec_free(&q->assumes.texts);
}

struct import *request_open(const struct trace_request *q, struct err *err)
{
    struct import_options o = {
        .formats = formats_table,
        .paths = q->files.texts.at,
        .path_count = q->files.texts.count,
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
    return import_open(&o, err);
}
