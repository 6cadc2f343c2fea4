/* journal_fields.h - the fields of its own that each type of event and decision carries, once for
 * the writer, the reader, the printer of JSON and the test that holds docs/reference/journal.md to
 * them.
 *
 *     CASE(type) ... FIELD(wire, json, member, key) ... LAST(wire, json, member, key)
 *
 * `wire` is how the field is written and read: wire_X of wire.h, or of the file that expands the
 * table. `json` is how it is printed, under `key`. The order is that of the bytes. A switch that
 * expands the table is straight-line code. Jobs and outputs, which are lists, are not in it. */
#pragma once

#define JOURNAL_EVENT_FIELDS(CASE, FIELD, LAST)                                                    \
    CASE(EV_NODE_UP)                                                                               \
    FIELD(capacity, capacity, u.node.capacity, "capacity")                                         \
    FIELD(u32, int, u.node.rack, "rack")                                                           \
    LAST(string, text, u.node.name, "name")                                                        \
    CASE(EV_NODE_CAPACITY)                                                                         \
    LAST(capacity, capacity, u.node.capacity, "capacity")                                          \
    CASE(EV_JOB_CHANGED)                                                                           \
    FIELD(u32, int, u.change.weight, "weight")                                                     \
    LAST(u32, int, u.change.running_max, "running_max")                                            \
    CASE(EV_ATTEMPT_STARTED)                                                                       \
    LAST(late, int, u.late_us, "late_us")                                                          \
    CASE(EV_ATTEMPT_PROGRESS)                                                                      \
    FIELD(int, int, u.progress.done, "done")                                                       \
    FIELD(int, int, u.progress.total, "total")                                                     \
    FIELD(int, int, u.progress.cpu_us, "cpu_us")                                                   \
    LAST(u8, int, u.progress.stage, "stage")                                                       \
    CASE(EV_ATTEMPT_FINISHED)                                                                      \
    CASE(EV_ATTEMPT_FAILED)                                                                        \
    CASE(EV_ATTEMPT_KILLED)                                                                        \
    CASE(EV_ATTEMPT_LOST)                                                                          \
    FIELD(int, int, u.use.wall_us, "wall_us")                                                      \
    FIELD(int, int, u.use.cpu_us, "cpu_us")                                                        \
    FIELD(int, int, u.use.read_bytes, "read_bytes")                                                \
    FIELD(int, int, u.use.written_bytes, "written_bytes")                                          \
    LAST(int, int, u.use.peak_rss_kib, "peak_rss_kib")                                             \
    CASE(EV_FETCH_STARTED)                                                                         \
    CASE(EV_FETCH_DONE)                                                                            \
    CASE(EV_FETCH_FAILED)                                                                          \
    FIELD(at, at, u.fetch.source, "source")                                                        \
    FIELD(int, int, u.fetch.bytes, "bytes")                                                        \
    LAST(int, int, u.fetch.took_us, "took_us")                                                     \
    CASE(EV_LINK_SAMPLE)                                                                           \
    FIELD(node, node, u.link.to, "to")                                                             \
    FIELD(int, int, u.link.bytes, "bytes")                                                         \
    LAST(int, int, u.link.took_us, "took_us")                                                      \
    CASE(EV_REFUSED)                                                                               \
    FIELD(uint, u64, u.refused.decision, "decision")                                               \
    LAST(decision_type, decision_type, u.refused.decision_type, "decision_type")                   \
    CASE(EV_TIMER)                                                                                 \
    LAST(u32, int, u.timer, "timer")                                                               \
    CASE(EV_CORES)                                                                                 \
    FIELD(i32, int, u.cores.spare, "spare")                                                        \
    LAST(i32, int, u.cores.each, "each")                                                           \
    CASE(EV_PRESSURE)                                                                              \
    FIELD(i32, int, u.pressure.disk, "disk")                                                       \
    LAST(i32, int, u.pressure.memory, "memory")                                                    \
    CASE(EV_RESOURCE)                                                                              \
    FIELD(resource, resource, u.resource.which, "resource")                                        \
    FIELD(res_kind, res_kind, u.resource.kind, "kind")                                             \
    LAST(string, text, u.resource.name, "name")

#define JOURNAL_DECISION_FIELDS(CASE, FIELD, LAST)                                                 \
    CASE(DO_LAUNCH)                                                                                \
    FIELD(launch_kind, launch_kind, kind, "kind")                                                  \
    LAST(u16, int, job_copy, "replica")                                                            \
    CASE(DO_KILL)                                                                                  \
    LAST(int, int, u.grace_us, "grace_us")                                                         \
    CASE(DO_ASSIGN_READ)                                                                           \
    FIELD(at, at, u.read.source, "source")                                                         \
    LAST(flag, flag, u.read.exclusive, "exclusive")                                                \
    CASE(DO_AVOID_NODE)                                                                            \
    LAST(int, int, u.until_us, "until_us")                                                         \
    CASE(DO_SET_TIMER)                                                                             \
    FIELD(u32, int, u.timer.id, "timer")                                                           \
    LAST(int, int, u.timer.at_us, "at_us")
