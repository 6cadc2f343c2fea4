/* streaming_uri.h - parses URIs of Hadoop's file systems, of which only the local one exists here.
 */
#pragma once

#include <stdbool.h>

/* Returns the path within `text` if it is a URI of a file system that Hadoop knows
 * (hdfs://HOST/PATH, file:PATH, ...), else `text`. Sets *foreign if it is not the local file
 * system. */
const char *streaming_uri_path(const char *text, bool *foreign);
