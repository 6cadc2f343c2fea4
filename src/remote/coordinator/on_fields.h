/* on_fields.h - the options of commands about agents, for tables of fields (base/field.h). */
#ifndef REMOTE_COORDINATOR_ON_FIELDS_H
#define REMOTE_COORDINATOR_ON_FIELDS_H

#include "base/field.h"
#include "remote/coordinator/on.h"

#define ON_TEXT(row_name, label, owner, member, text)                                              \
    {                                                                                              \
        FIELD_OPTION(row_name, label, FIELD_TEXT, owner, member, text), .min = 1                   \
    }
#define ON_TIME(row_name, owner, member, text)                                                     \
    {                                                                                              \
        FIELD_OPTION(row_name, "TIME", FIELD_TIME, owner, member, text)                            \
    }

/* Fields of a struct that has a struct on_options as `member`. --pull is not among them: some
 * commands need a folder that all nodes see. */
#define ON_FIELDS(type, member)                                                                    \
    ON_TEXT("on", "WAY:SPEC", type, member.on,                                                     \
            "run on nodes with agents instead of this machine: slurm:N, ssh:FILE, local:N"),       \
        ON_TEXT("scratch", "DIR", type, member.scratch,                                            \
                "with --on: folder on nodes for private files"),                                   \
        ON_TEXT("linger", "TIME", type, member.linger,                                             \
                "with --on: how long agents look for a coordinator; default 60s"),                 \
        ON_TEXT("lease", "TIME", type, member.lease,                                               \
                "with --on: how long a node may be silent before it is lost; default 10s"),        \
        ON_TEXT("listen", "WHERE", type, member.listen,                                            \
                "with --on: where agents connect to, [ADDRESS][:PORTS]; default any port of this " \
                "host"),                                                                           \
        ON_TEXT("slurm", "OPTIONS", type, member.slurm,                                            \
                "with --on slurm: options of sbatch; default '--exclusive --mem=0'"),              \
        ON_TIME("grow", type, member.grow_us,                                                      \
                "with --on slurm: ask for more nodes when tasks have waited this long; "           \
                "default 30s"),                                                                    \
        ON_TIME("idle", type, member.idle_us,                                                      \
                "with --on slurm: give nodes back after they were idle this long; default 2m"),    \
        ON_TIME("drain", type, member.drain_us,                                                    \
                "with --on slurm: send nothing to a node this long before its time limit; "        \
                "default 1m"),                                                                     \
        ON_TEXT("munge", "must", type, member.munge,                                               \
                "with --on slurm: `must` refuses to run without MUNGE")

#endif
