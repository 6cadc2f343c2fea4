/* on_fields.h - options of commands about agents, for tables of fields (base/field.h). */
#ifndef REMOTE_COORDINATOR_ON_FIELDS_H
#define REMOTE_COORDINATOR_ON_FIELDS_H

#include "base/field.h"
#include "remote/coordinator/on.h"

/* Of a struct that has a struct on_options as `member`. --pull is not among them: not everybody can
 * do without a folder that all nodes see. */
#define ON_FIELDS(type, member)                                                                    \
    {FIELD_OPTION(                                                                                 \
        "on", "WAY:SPEC", FIELD_TEXT, type, member.on,                                             \
        "run on nodes with agents instead of this machine: slurm:N, ssh:FILE, local:N")},          \
        {FIELD_OPTION("scratch", "DIR", FIELD_TEXT, type, member.scratch,                          \
                      "with --on: folder on nodes for private files")},                            \
        {FIELD_OPTION("linger", "TIME", FIELD_TEXT, type, member.linger,                           \
                      "with --on: agents look so long for a coordinator; default 60s")},           \
        {FIELD_OPTION("lease", "TIME", FIELD_TEXT, type, member.lease,                             \
                      "with --on: a node that is not heard is lost after so long; default 10s")},  \
        {FIELD_OPTION("listen", "WHERE", FIELD_TEXT, type, member.listen,                          \
                      "with --on: where agents connect to, [ADDRESS][:PORTS]; default any port "   \
                      "of this host")},                                                            \
        {FIELD_OPTION("slurm", "OPTIONS", FIELD_TEXT, type, member.slurm,                          \
                      "with --on slurm: options of sbatch; default '--exclusive --mem=0'")},       \
        {FIELD_OPTION("grow", "TIME", FIELD_TIME, type, member.grow_us,                            \
                      "with --on slurm: more nodes are asked for when tasks have waited for so "   \
                      "long; default 30s")},                                                       \
        {FIELD_OPTION("idle", "TIME", FIELD_TIME, type, member.idle_us,                            \
                      "with --on slurm: nodes idle for so long are given back; default 2m")},      \
        {FIELD_OPTION("drain", "TIME", FIELD_TIME, type, member.drain_us,                          \
                      "with --on slurm: nodes get nothing new so long before their time limit; "   \
                      "default 1m")},                                                              \
    {                                                                                              \
        FIELD_OPTION("munge", "must", FIELD_TEXT, type, member.munge,                              \
                     "with --on slurm: `must` refuses to run without MUNGE")                       \
    }

#endif
