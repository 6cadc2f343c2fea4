/* where_fields.h - the options of commands about agents, for tables of fields (base/field.h). */
#pragma once

#include "base/field.h"
#include "remote/coordinator/where.h"

#define WHERE_TEXT(row_name, label, owner, member, text)                                           \
    {                                                                                              \
        FIELD_OPTION(row_name, label, FIELD_TEXT, owner, member, text), .min = 1                   \
    }
#define WHERE_TIME(row_name, owner, member, text)                                                  \
    {                                                                                              \
        FIELD_OPTION(row_name, "TIME", FIELD_TIME, owner, member, text)                            \
    }

/* Fields of a struct that has a struct where_options as `member`. --pull is not among them: some
 * commands need a folder that all nodes see. */
#define WHERE_FIELDS(type, member)                                                                 \
    WHERE_TEXT("on", "WAY:SPEC", type, member.spec,                                                \
               "run on nodes with agents instead of this machine: slurm:N, ssh:FILE, local:N"),    \
        WHERE_TEXT("scratch", "DIR", type, member.scratch,                                         \
                   "with --on: folder on nodes for private files"),                                \
        WHERE_TEXT("linger", "TIME", type, member.linger,                                          \
                   "with --on: how long agents look for a coordinator; default 60s"),              \
        WHERE_TEXT("lease", "TIME", type, member.lease,                                            \
                   "with --on: how long a node may be silent before it is lost; default 10s"),     \
        WHERE_TEXT(                                                                                \
            "listen", "WHERE", type, member.listen,                                                \
            "with --on: where agents connect to, [ADDRESS][:PORTS]; default any port of this "     \
            "host"),                                                                               \
        WHERE_TEXT("slurm", "OPTIONS", type, member.slurm,                                         \
                   "with --on slurm: options of sbatch; default '--exclusive --mem=0'"),           \
        WHERE_TIME("grow", type, member.grow_us,                                                   \
                   "with --on slurm: ask for more nodes when tasks have waited this long; "        \
                   "default 30s"),                                                                 \
        WHERE_TIME("idle", type, member.idle_us,                                                   \
                   "with --on slurm: give nodes back after they were idle this long; default 2m"), \
        WHERE_TIME("drain", type, member.drain_us,                                                 \
                   "with --on slurm: send nothing to a node this long before its time limit; "     \
                   "default 1m"),                                                                  \
        WHERE_TEXT("munge", "must", type, member.munge,                                            \
                   "with --on slurm: `must` refuses to run without MUNGE")
