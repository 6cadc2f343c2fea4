/* streaming_uri.h - paths of Hadoop: URIs of file systems, of which there is the local one here. */
#ifndef JOBS_STREAMING_STREAMING_URI_H
#define JOBS_STREAMING_STREAMING_URI_H

#include <stdbool.h>

/* The path in a URI of a file system that Hadoop knows (hdfs://HOST/PATH, file:PATH, ...), in
 * `text` itself; or `text`, if it is none. *foreign: it is one of another file system than the
 * local one. */
const char *streaming_uri_path(const char *text, bool *foreign);

#endif
