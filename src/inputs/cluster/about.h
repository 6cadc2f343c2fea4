/* about.h - the description of a run: which program ran which jobs on which machines. Its journal
 * keeps this as text, so that the run can be simulated again with another policy.
 *
 *     about program="dolly 0.1.0" workload="facebook" cluster="small.cluster" ...
 *     rack r0
 *     nodes n[0-149] cpu=12
 *
 * The first line describes the run, and the others are the cluster
 * (docs/reference/cluster-file.md). */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "inputs/cluster/cluster.h"

/* Texts are NULL, and numbers 0, if unknown. */
struct about {
    const char *program;       /* name and version */
    const char *began;         /* in UTC, such as 2026-11-16T09:00:00Z; NULL for a simulation */
    const char *workload;      /* as its user named it ... */
    const char *workload_hash; /* ... and, of a file, the XXH3-64 of its bytes */
    const char *cluster_name, *cluster_hash;
    const char *options; /* of the body: limits and the like */
    const char *chaos;
    const char *host, *typed; /* the machine and the command line; NULL for a simulation */
};

/* Appends the description. */
void about_write(const struct about *about, const struct cluster *cluster, struct str *to);

/* A description that was read. Free with about_free. */
struct about_text {
    struct about about;
    struct cluster *cluster;
    struct line_file *line; /* holds the strings of `about` */
};

/* Reads a description; `shown` is its name in messages. Returns -1 with *err, and nothing to
 * free. */
int about_read(const char *text, const char *shown, struct about_text *a, struct err *err);
void about_free(struct about_text *a);

/* Reads the number of an option of the run, "jobs=300 warmup=1800000000us"; returns false if it is
 * not given. */
bool about_option(const char *options, const char *key, int64_t *value);

/* The XXH3-64 of the bytes of a plain file, as text; "" for anything else. */
struct about_hash {
    char text[20];
};
struct about_hash about_hash(const char *path);

/* The name of this machine and the command line of this process, as far as they fit. */
struct about_here {
    char host[66], typed[400];
};
struct about_here about_here(void);

/* The UTC time now in the form of `began`. */
struct about_time {
    char text[24];
};
struct about_time about_now(void);
