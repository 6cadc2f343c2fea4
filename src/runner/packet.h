/* packet.h - what a coordinator and its runners send each other.
 *
 * One message is one packet; the transport keeps the boundaries (runner/packet_socket.h does so on
 * this machine). Numbers are little-endian and strings carry their length, so that the two ends
 * need not be the same machine. A runner knows attempts by a handle, a number that the coordinator
 * chose and never uses twice.
 *
 *     coordinator -> runner    launch, kill
 *     runner -> coordinator    started | launch_failed, progress*, exited | killed;   cores*; fatal
 *
 * A kill of a handle that is not running any more is not answered: its end is on the way already.
 */
#ifndef RUNNER_PACKET_H
#define RUNNER_PACKET_H

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
    PACKET_TYPE_END,
};

/* The longest packet. Room for the longest command that execve takes as one argument. */
enum { PACKET_BYTES_MAX = 160 * 1024 };

/* How an attempt ended. */
struct packet_end {
    int32_t status; /* as wait() gives it */
    int64_t wall_us, cpu_us, peak_rss_kib;
    int64_t read_bytes; /* taken from its stdin file; 0 without one */
};

struct packet {
    uint8_t type; /* enum packet_type */
    uint32_t handle;
    union {
        struct {
            const char *command;    /* for sh -c */
            const char *stdin_path; /* "": /dev/null */
            const char *dir;        /* private folder, made by the runner: stdout, stderr, tmp/ */
            const char *reuse;      /* a bare private folder to rename for it; "": none */
            const char *env;        /* NAME=VALUE strings, each with its NUL, one after the other */
            uint32_t env_bytes;
            uint8_t extra;       /* a clone: it runs behind others */
            uint32_t slow_milli; /* slowdown in thousandths; 0: none */
        } launch;
        int64_t grace_us; /* kill */
        int32_t error;    /* launch_failed: errno */
        struct {
            int64_t done, total; /* total -1: unknown */
        } progress;
        struct packet_end end; /* exited, killed */
        struct {
            int32_t spare, each; /* as in the event of that name */
        } cores;
        const char *text; /* fatal */
    } u;
};

/* Writes the packet to `out`, which has room for PACKET_BYTES_MAX. Returns its length, or 0 when it
 * would be longer. */
size_t packet_encode(const struct packet *m, unsigned char *out);

/* Reads a packet; strings point into `at`. 0, or -1 if the packet is malformed or of an unknown
 * type. */
int packet_decode(const unsigned char *at, size_t length, struct packet *m);

#endif
