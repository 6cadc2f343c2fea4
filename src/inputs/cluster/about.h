/* about.h - what a run was made of: who ran which jobs on which machines. Its journal keeps this as
 * text, so that the run can be simulated again with another policy.
 *
 *     about program="dolly 0.1.0" workload="facebook" cluster="small.cluster" ...
 *     rack r0
 *     nodes n[0-149] cpu=12
 *
 * The first line has what is said of the run, and the others are the cluster
 * (docs/reference/cluster-file.md). */
#ifndef INPUTS_CLUSTER_ABOUT_H
#define INPUTS_CLUSTER_ABOUT_H

#include "base/err.h"
#include "base/text.h"
#include "inputs/cluster/cluster.h"

/* Texts are NULL where nothing is known; so are the numbers where they are 0. */
struct about {
    const char *program;       /* name and version */
    const char *began;         /* in UTC, such as 2026-11-16T09:00:00Z; not of a simulation */
    const char *workload;      /* as its user named it ... */
    const char *workload_hash; /* ... and, of a file, the XXH3-64 of its bytes */
    const char *cluster_name, *cluster_hash;
    const char *options; /* of the body: limits and the like */
    const char *chaos;
    const char *host,
        *typed; /* the machine and the command line of who ran it; not of a simulation */
};

/* Appends the text. */
void about_write(const struct about *about, const struct cluster *cluster, struct str *to);

/* An about that was read. Free with about_free. */
struct about_text {
    struct about about;
    struct cluster *cluster;
    struct line_file *line; /* behind the strings of `about` */
};

/* Reads it back; `shown` is what messages call it. -1 with *err, and nothing to free. */
int about_read(const char *text, const char *shown, struct about_text *a, struct err *err);
void about_free(struct about_text *a);

/* The number of an option of the run, "jobs=300 warmup=1800000000us": false where it has none. */
bool about_option(const char *options, const char *key, int64_t *value);

/* The XXH3-64 of the bytes of a plain file; "" of anything else. */
struct about_hash {
    char text[20];
};
struct about_hash about_hash(const char *path);

/* The machine that we are on, and what was typed to run us, no more than fits. */
struct about_here {
    char host[66], typed[400];
};
struct about_here about_here(void);

/* The UTC time now as `began` has it. */
struct about_time {
    char text[24];
};
struct about_time about_now(void);

#endif
