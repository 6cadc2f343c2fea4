/* packet.h - what a coordinator and its runners send each other.
 *
 * One message is one packet; the transport keeps the boundaries (exec/process/packet_socket.h does
 * so on this machine, remote/wire/frames.h between machines). Numbers are little-endian and strings
 * carry their length, so that the two ends need not be the same machine. A runner knows attempts by
 * a handle, a number that the coordinator chose and never uses twice.
 *
 *     coordinator -> runner    launch, kill, hold
 *     runner -> coordinator    started | launch_failed, progress*, exited | killed;   cores*; fatal
 *
 * An attempt that was launched with a control socket takes part, and its runner only passes on:
 *
 *     coordinator -> attempt   read*; where outputs stay with agents: place* before read
 *     attempt -> coordinator   fetch_started, source_lost*, fetch_done | fetch_failed for each
 *                              read; status*; result
 *
 * A kill of a handle that is not running any more is not answered: its end is on the way already.
 *
 * A runner on another machine is part of an agent, with which there is more to talk about
 * (src/remote/agent, docs/inside/protocol.md):
 *
 *     agent -> coordinator     hello; ready; beat*; settled*; output*, output_end before an
 *                              attempt's end
 *     coordinator -> agent     welcome | refused; beat*; lease*; file*; forget*; leave
 *
 * An attempt gets outputs that stay with another agent from there (src/remote/fetch):
 *
 *     attempt -> agent         want
 *     agent -> attempt         partition, output*
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Append only. */
enum packet_type {
    PACKET_LAUNCH = 1,
    PACKET_KILL,
    PACKET_STARTED,
    PACKET_LAUNCH_FAILED,
    PACKET_PROGRESS,
    PACKET_EXITED, /* it ended by itself, and nothing of it is left */
    PACKET_KILLED, /* it was killed as ordered, and nothing of it is left */
    PACKET_FATAL,  /* the runner cannot go on: it ends everything and leaves */
    PACKET_CORES,  /* what clones may take; handle 0 */
    /* Between a coordinator and an agent only; handle 0 but for outputs. */
    PACKET_HELLO,      /* the identity of the agent */
    PACKET_WELCOME,    /* it may join, and what the run is like */
    PACKET_READY,      /* it has joined */
    PACKET_REFUSED,    /* it may not, and why */
    PACKET_BEAT,       /* it is there; answered with the same time (lease.h) */
    PACKET_LEAVE,      /* it is not wanted any more */
    PACKET_OUTPUT,     /* a piece of what an attempt wrote */
    PACKET_OUTPUT_END, /* ... and how much that was in all */
    /* Between a coordinator and an attempt with a control socket. */
    PACKET_READ,               /* get this output of a task above */
    PACKET_FETCH_STARTED = 20, /* it begins to (19 is reserved), ... */
    PACKET_FETCH_DONE,         /* ... has it, ... */
    PACKET_FETCH_FAILED,       /* ... or cannot have it */
    PACKET_RESULT,             /* all that it will leave is on its stdout */
    PACKET_SOURCE_LOST,        /* of a read of many that will fail: this one is lost, too */
    PACKET_STATUS,             /* its own words about its work */
    /* Where outputs stay with the agents whose attempts have left them. */
    PACKET_PLACE,  /* with which agent an output is, for an attempt that will read it */
    PACKET_KEY,    /* from its agent to an attempt: what opens the doors of other agents */
    PACKET_FORGET, /* to an agent: the output of this attempt is needed no more */
    PACKET_FILE,   /* to an agent: a piece of the file that all attempts read (the plan) */
    PACKET_WANT,   /* an attempt asks another agent for a partition; the handle is the output's */
    PACKET_PARTITION, /* the answer, before the bytes */
    PACKET_HOLD,      /* to a runner: attempts stand still from now on, or go on; handle 0 */
    /* From an agent: it has lived on after this many ends that it has reported
     * (exec/process/doubt.h). */
    PACKET_SETTLED,
    /* From an attempt with a control socket: it fails because there is no room on a disk. */
    PACKET_NO_SPACE,
    PACKET_LEASE,    /* to an agent: the new length of its last lease (lease.h) */
    PACKET_PRESSURE, /* stall times of the disk and of memory; handle 0 */
    PACKET_TYPE_END,
};

/* The longest packet. Room for the longest command that execve takes as one argument. */
enum { PACKET_BYTES_MAX = 160 * 1024 };

/* The longest piece of an output. */
enum { PACKET_OUTPUT_MAX = 64 * 1024 };

/* The contents of the folder of an attempt that has ended. */
enum packet_left {
    PACKET_LEFT_UNSEEN,    /* not known, or the folder could not be given its name */
    PACKET_LEFT_NOTHING,   /* it ended well, and printed nothing: the folder has the name it had */
    PACKET_LEFT_SOMETHING, /* perhaps: the folder has the name of the launch */
};

/* How an attempt ended. */
struct packet_end {
    int32_t status; /* as wait() gives it */
    int64_t wall_us, cpu_us, peak_rss_kib;
    int64_t read_bytes; /* taken from its stdin file; 0 without one */
    uint8_t left;       /* enum packet_left */
    /* Not sent: it has announced its output (packet RESULT). */
    bool told;
    /* Not sent: from a link through which all of the output has passed, so that it need not be
     * read again. */
    bool seen;
    int32_t unseen; /* errno: why the output cannot be had; 0: it can, or the owner has to look */
    bool faulty;    /* ... where the attempt ran, and not here */
    int64_t seen_bytes;
    uint64_t seen_checksum; /* XXH3 */
};

struct packet_hello {
    uint32_t version;       /* of all that is said here, PACKET_VERSION */
    const char *program;    /* checksum of the program that speaks, in hexadecimal digits */
    const char *name;       /* of the agent */
    const char *host;       /* its machine, */
    const char *rack;       /* the switches above it, "" if not known, */
    const char *boot;       /* and which boot of the machine it is */
    const char *scratch;    /* its folder there */
    int32_t cores_milli;    /* what attempts may use */
    int64_t memory_mib;     /* 0: not known */
    int64_t clock_us;       /* what time it is there, since 1970; 0: not known */
    const char *credential; /* of MUNGE; "": none */
};

struct packet_welcome {
    const char *dir;        /* folder of the run, where the coordinator is */
    const char *probe;      /* a file in it, */
    const char *token;      /* and its contents: an agent that can read it there sees the folder */
    uint8_t pull;           /* outputs are pulled even if the agent sees the folder, ... */
    uint8_t keep;           /* ... and those that others read stay with the agent */
    const char *shell;      /* runs the commands; "": the usual one */
    const char *workdir;    /* where they run */
    int32_t nice;           /* added to the agent's niceness */
    const char *credential; /* the coordinator's, of MUNGE; "": none */
    const char *store;      /* key to the outputs that agents keep, in bytes; none without `keep` */
    uint32_t store_length;
    int64_t lease_us; /* what the coordinator promises (lease.h), counted from the hello */
};

/* An output that an attempt is to read; of all tasks of the phase that it reads: TASK_ALL. */
struct packet_read {
    uint32_t phase, task, attempt;
    const char *path; /* of the output; of all tasks: the folder that has them by number */
    int64_t slow_us;  /* how much longer than usual that is to take */
};

struct packet_fetch {
    uint32_t phase, task, attempt; /* as in the read */
    int64_t bytes, took_us;
    uint32_t culprit; /* failed, lost: the task whose output it is, ... */
    int32_t error;    /* ... and its errno; EBADMSG: the output is damaged */
};

/* An output that an agent keeps. */
struct packet_place {
    uint32_t phase, task, attempt;
    uint32_t output;   /* its handle */
    uint64_t checksum; /* as in the result */
    const char *where; /* ADDRESS:PORT of the agent; "": the reader's own, which makes a path of it
                        */
    uint32_t group;    /* not sent: of the agent, for the link */
};

#define PACKET_WHOLE UINT32_MAX /* as a partition: all of an output that has none */

/* A partition as an agent is about to send it, in pieces from offset 0 on. */
struct packet_partition {
    int32_t error;                     /* errno: it cannot be had, and nothing follows */
    uint32_t partitions, form;         /* of the output: data/sorted_file.h; 0 of a whole one */
    int64_t bytes, records;            /* of the partition */
    uint64_t checksum, index_checksum; /* 0 of a whole one */
};

/* What becomes of the output of an attempt that ran elsewhere: the coordinator gets it, or its
 * agent keeps it: as a whole, or as a sorted file of which the coordinator has the index. */
enum packet_keep { PACKET_KEEP_NOT, PACKET_KEEP_WHOLE, PACKET_KEEP_SORTED, PACKET_KEEP_END };

/* What attempts write; PACKET_STDOUT is the output of a task. */
enum packet_file { PACKET_STDOUT, PACKET_STDERR, PACKET_COUNTERS, PACKET_FILE_END };

struct packet {
    uint8_t type; /* enum packet_type */
    uint32_t handle;
    union {
        struct {
            const char *command;    /* for sh -c */
            const char *stdin_path; /* "": /dev/null */
            const char *dir;        /* private folder, made by the runner: stdout, stderr, tmp/ */
            const char *reuse;      /* a bare private folder to rename for it; "": none */
            uint8_t late;           /* ... once it has ended and left something, not before */
            const char *env;        /* NAME=VALUE strings, each with its NUL, one after the other */
            uint32_t env_bytes;
            uint8_t extra;       /* a clone: it runs behind others */
            uint32_t slow_milli; /* slowdown in thousandths; 0: none */
            uint8_t control;     /* it gets a control socket */
            uint8_t keep;        /* enum packet_keep: its agent keeps its output */
        } launch;
        int64_t grace_us;   /* kill */
        int64_t started_us; /* started: when, by the clock of the runner's machine (clock.h) */
        struct {            /* launch_failed: */
            int32_t error;  /* errno */
            uint8_t ours;   /* the runner could not do its part; else its command or input */
        };
        struct {
            int64_t done, total; /* total -1: unknown */
        } progress;
        struct packet_end end; /* exited, killed */
        struct {
            int32_t spare, each; /* as in the event of that name */
        } cores;
        struct {
            int32_t disk, memory; /* as in the event of that name */
        } pressure;
        const char *text; /* fatal, status */
        struct {
            const char *text;
            uint8_t for_good; /* and would be the next time: there is no use in trying again */
        } refused;
        struct packet_hello hello;
        struct packet_welcome welcome;
        struct {
            uint8_t shared; /* the agent sees the folder of the run, and works there */
            uint32_t port;  /* where it serves the outputs that it keeps; 0: it does not */
        } ready;
        struct {
            int64_t sent_us;    /* by the agent's clock */
            int64_t free_bytes; /* of the agent: bytes left in its scratch; -1: not known */
            uint32_t running;   /* ... and how many attempts it has */
            int64_t told_us;    /* ... and when it sent the last beat whose answer it has */
            int64_t lease_us;   /* of the coordinator: its promise, counted from sent_us */
        } beat;
        struct {
            uint8_t file;   /* enum packet_file */
            int64_t offset; /* of its first byte */
            const char *bytes;
            uint32_t length;
        } output;
        struct {
            uint8_t file;
            int64_t bytes;
            uint64_t checksum; /* XXH3 of all of them; if bytes is -1, errno */
        } output_end;
        struct packet_read read;
        struct packet_fetch fetch; /* fetch_started, fetch_done, fetch_failed, source_lost */
        struct {
            int64_t bytes;
            uint64_t checksum; /* equal where the outputs are */
        } result;
        struct packet_place place;
        struct {
            const char *bytes;
            uint32_t length;
        } key;
        struct {
            int64_t offset;
            const char *bytes;
            uint32_t length;
        } file;
        uint32_t partition; /* want; or PACKET_WHOLE */
        uint8_t still;      /* hold */
        uint32_t settled;   /* how many were reported as exited so far and count by now */
        int64_t lease_us;   /* lease; it counts from the last beat that was answered */
        struct packet_partition found;
    } u;
};

/* Raised whenever anything here changes. */
enum { PACKET_VERSION = 11 };

/* The length of the packet; 0 when it would be longer than PACKET_BYTES_MAX. */
size_t packet_measure(const struct packet *m);

/* Writes the packet to `out`, which has room for it, be it PACKET_BYTES_MAX. Returns its length, or
 * 0 when it would be longer. */
size_t packet_encode(const struct packet *m, unsigned char *out);

/* Reads a packet; strings point into `at`. 0, or -1 if the packet is malformed or of an unknown
 * type. */
int packet_decode(const unsigned char *at, size_t length, struct packet *m);
