/* streaming_uri.c - URIs of file systems. See streaming_uri.h. */
#include "jobs/streaming/streaming_uri.h"

#include <string.h>

const char *streaming_uri_path(const char *text, bool *foreign)
{
    static const char *const schemes[] = {
        "file:", "hdfs:",  "viewfs:", "webhdfs:", "s3:", "s3n:",   "s3a:",
        "wasb:", "wasbs:", "abfs:",   "abfss:",   "gs:", "maprfs:"};

    *foreign = false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (strncmp(text, schemes[i], length) != 0)
            continue;
        const char *path = text + length;
        if (strncmp(path, "//", 2) == 0)
            path = strchr(path + 2, '/');
        *foreign = i > 0;
        return path && *path ? path : "/";
    }
    return text;
}
