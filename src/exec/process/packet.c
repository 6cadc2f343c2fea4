/* The packets of packet.h, byte by byte.
 *
 * A packet is the type (1 byte), the handle (4 bytes) and the fields of the type in the order of
 * struct packet. A string is its length (4 bytes), its bytes and a NUL, which lets the reader
 * use it in place. Writing and reading walk the same list of fields (packet_fields), so the two
 * cannot disagree; that is why there is no pair of functions per type. */
#include "exec/process/packet.h"

#include <stdbool.h>
#include <string.h>

/* A position in a packet being written (out), read (in), or only measured (neither). `bad` once
 * anything did not fit. */
struct packet_cursor {
    unsigned char *out;
    const unsigned char *in;
    size_t at, end;
    bool bad;
};

static void packet_number(struct packet_cursor *c, uint64_t *value, size_t bytes)
{
    if (c->bad || c->end - c->at < bytes) {
        c->bad = true;
        return;
    }
    if (c->in)
        *value = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (c->out)
            c->out[c->at + i] = (unsigned char)(*value >> (8 * i));
        else if (c->in)
            *value |= (uint64_t)c->in[c->at + i] << (8 * i);
    }
    c->at += bytes;
}

/* packet_u8(c, &value) and so on, for each type of number. */
#define PACKET_NUMBER(name, type, bits)                                                            \
    static void packet_##name(struct packet_cursor *c, type *value)                                \
    {                                                                                              \
        uint64_t v = (bits)*value;                                                                 \
        packet_number(c, &v, sizeof(type));                                                        \
        *value = (type)(bits)v;                                                                    \
    }
PACKET_NUMBER(u8, uint8_t, uint8_t)
PACKET_NUMBER(u32, uint32_t, uint32_t)
PACKET_NUMBER(i32, int32_t, uint32_t)
PACKET_NUMBER(i64, int64_t, uint64_t)
PACKET_NUMBER(u64, uint64_t, uint64_t)

static void packet_block(struct packet_cursor *c, const char **bytes, uint32_t *length)
{
    packet_u32(c, length);
    if (c->bad || c->end - c->at <= *length) { /* the NUL as well */
        c->bad = true;
        return;
    }
    if (c->out) {
        if (*length && (const char *)c->out + c->at != *bytes) /* they may be there already */
            memcpy(c->out + c->at, *bytes, *length);
        c->out[c->at + *length] = 0;
    } else if (c->in) {
        *bytes = (const char *)c->in + c->at;
        c->bad = c->in[c->at + *length] != 0;
    }
    c->at += *length + 1u;
}

static void packet_string(struct packet_cursor *c, const char **text)
{
    size_t have = c->in ? 0 : strlen(*text);
    uint32_t length = have < PACKET_BYTES_MAX ? (uint32_t)have : PACKET_BYTES_MAX;

    packet_block(c, text, &length);
    if (c->in && !c->bad)
        c->bad = strlen(*text) != length;
}

/* NAME=VALUE strings, each with its NUL. */
static void packet_environment(struct packet_cursor *c, const char **env, uint32_t *bytes)
{
    packet_block(c, env, bytes);
    if (c->in && !c->bad)
        c->bad = *bytes && (*env)[*bytes - 1] != 0;
}

static void packet_hello_fields(struct packet_cursor *c, struct packet_hello *h)
{
    packet_u32(c, &h->version);
    packet_string(c, &h->program);
    packet_string(c, &h->name);
    packet_string(c, &h->host);
    packet_string(c, &h->rack);
    packet_string(c, &h->boot);
    packet_string(c, &h->scratch);
    packet_i32(c, &h->cores_milli);
    packet_i64(c, &h->memory_mib);
    packet_i64(c, &h->clock_us);
    packet_string(c, &h->credential);
}

static void packet_welcome_fields(struct packet_cursor *c, struct packet_welcome *w)
{
    packet_string(c, &w->dir);
    packet_string(c, &w->probe);
    packet_string(c, &w->token);
    packet_u8(c, &w->pull);
    packet_u8(c, &w->keep);
    packet_string(c, &w->shell);
    packet_string(c, &w->workdir);
    packet_i32(c, &w->nice);
    packet_string(c, &w->credential);
    packet_block(c, &w->store, &w->store_length);
    packet_i64(c, &w->lease_us);
}

/* What is said about outputs that stay with agents. */
static void packet_kept_fields(struct packet_cursor *c, struct packet *m)
{
    switch (m->type) {
    case PACKET_PLACE:
        packet_u32(c, &m->u.place.phase);
        packet_u32(c, &m->u.place.task);
        packet_u32(c, &m->u.place.attempt);
        packet_u32(c, &m->u.place.output);
        packet_u64(c, &m->u.place.checksum);
        packet_string(c, &m->u.place.where);
        break;
    case PACKET_KEY:
        packet_block(c, &m->u.key.bytes, &m->u.key.length);
        break;
    case PACKET_FORGET:
        break;
    case PACKET_FILE:
        packet_i64(c, &m->u.file.offset);
        packet_block(c, &m->u.file.bytes, &m->u.file.length);
        break;
    case PACKET_WANT:
        packet_u32(c, &m->u.partition);
        break;
    case PACKET_LEASE:
        packet_i64(c, &m->u.lease_us);
        break;
    case PACKET_HOLD:
        packet_u8(c, &m->u.still);
        break;
    case PACKET_SETTLED:
        packet_u32(c, &m->u.settled);
        break;
    case PACKET_PARTITION:
        packet_i32(c, &m->u.found.error);
        packet_u32(c, &m->u.found.partitions);
        packet_u32(c, &m->u.found.form);
        packet_i64(c, &m->u.found.bytes);
        packet_i64(c, &m->u.found.records);
        packet_u64(c, &m->u.found.checksum);
        packet_u64(c, &m->u.found.index_checksum);
        break;
    default:
        c->bad = true;
    }
}

/* What only an attempt with a control socket and its coordinator say. */
static void packet_control_fields(struct packet_cursor *c, struct packet *m)
{
    switch (m->type) {
    case PACKET_READ:
        packet_u32(c, &m->u.read.phase);
        packet_u32(c, &m->u.read.task);
        packet_u32(c, &m->u.read.attempt);
        packet_string(c, &m->u.read.path);
        packet_i64(c, &m->u.read.slow_us);
        break;
    case PACKET_FETCH_STARTED:
    case PACKET_FETCH_DONE:
    case PACKET_FETCH_FAILED:
    case PACKET_SOURCE_LOST:
        packet_u32(c, &m->u.fetch.phase);
        packet_u32(c, &m->u.fetch.task);
        packet_u32(c, &m->u.fetch.attempt);
        packet_i64(c, &m->u.fetch.bytes);
        packet_i64(c, &m->u.fetch.took_us);
        packet_u32(c, &m->u.fetch.culprit);
        packet_i32(c, &m->u.fetch.error);
        break;
    case PACKET_RESULT:
        packet_i64(c, &m->u.result.bytes);
        packet_u64(c, &m->u.result.checksum);
        break;
    case PACKET_STATUS:
        packet_string(c, &m->u.text);
        break;
    case PACKET_NO_SPACE:
        break;
    default:
        packet_kept_fields(c, m);
    }
}

/* What only an agent and its coordinator say. */
static void packet_agent_fields(struct packet_cursor *c, struct packet *m)
{
    switch (m->type) {
    case PACKET_HELLO:
        packet_hello_fields(c, &m->u.hello);
        break;
    case PACKET_WELCOME:
        packet_welcome_fields(c, &m->u.welcome);
        break;
    case PACKET_READY:
        packet_u8(c, &m->u.ready.shared);
        packet_u32(c, &m->u.ready.port);
        break;
    case PACKET_REFUSED:
        packet_string(c, &m->u.refused.text);
        packet_u8(c, &m->u.refused.for_good);
        break;
    case PACKET_BEAT:
        packet_i64(c, &m->u.beat.sent_us);
        packet_i64(c, &m->u.beat.free_bytes);
        packet_u32(c, &m->u.beat.running);
        packet_i64(c, &m->u.beat.told_us);
        packet_i64(c, &m->u.beat.lease_us);
        break;
    case PACKET_LEAVE:
        break;
    case PACKET_OUTPUT:
        packet_u8(c, &m->u.output.file);
        packet_i64(c, &m->u.output.offset);
        packet_block(c, &m->u.output.bytes, &m->u.output.length);
        break;
    case PACKET_OUTPUT_END:
        packet_u8(c, &m->u.output_end.file);
        packet_i64(c, &m->u.output_end.bytes);
        packet_u64(c, &m->u.output_end.checksum);
        break;
    default:
        packet_control_fields(c, m);
    }
}

static void packet_fields(struct packet_cursor *c, struct packet *m)
{
    packet_u8(c, &m->type);
    packet_u32(c, &m->handle);
    switch (m->type) {
    case PACKET_LAUNCH:
        packet_string(c, &m->u.launch.command);
        packet_string(c, &m->u.launch.stdin_path);
        packet_string(c, &m->u.launch.dir);
        packet_string(c, &m->u.launch.reuse);
        packet_environment(c, &m->u.launch.env, &m->u.launch.env_bytes);
        packet_u8(c, &m->u.launch.extra);
        packet_u32(c, &m->u.launch.slow_milli);
        packet_u8(c, &m->u.launch.control);
        packet_u8(c, &m->u.launch.keep);
        break;
    case PACKET_KILL:
        packet_i64(c, &m->u.grace_us);
        break;
    case PACKET_STARTED:
        packet_i64(c, &m->u.started_us);
        break;
    case PACKET_LAUNCH_FAILED:
        packet_i32(c, &m->u.error);
        packet_u8(c, &m->u.ours);
        break;
    case PACKET_PROGRESS:
        packet_i64(c, &m->u.progress.done);
        packet_i64(c, &m->u.progress.total);
        break;
    case PACKET_EXITED:
    case PACKET_KILLED:
        packet_i32(c, &m->u.end.status);
        packet_i64(c, &m->u.end.wall_us);
        packet_i64(c, &m->u.end.cpu_us);
        packet_i64(c, &m->u.end.peak_rss_kib);
        packet_i64(c, &m->u.end.read_bytes);
        break;
    case PACKET_CORES:
        packet_i32(c, &m->u.cores.spare);
        packet_i32(c, &m->u.cores.each);
        break;
    case PACKET_PRESSURE:
        packet_i32(c, &m->u.pressure.disk);
        packet_i32(c, &m->u.pressure.memory);
        break;
    case PACKET_FATAL:
        packet_string(c, &m->u.text);
        break;
    default:
        packet_agent_fields(c, m);
    }
}

size_t packet_measure(const struct packet *m)
{
    struct packet copy = *m;
    struct packet_cursor c = {.end = PACKET_BYTES_MAX};

    packet_fields(&c, &copy);
    return c.bad ? 0 : c.at;
}

size_t packet_encode(const struct packet *m, unsigned char *out)
{
    struct packet copy = *m;
    struct packet_cursor c = {.out = out, .end = PACKET_BYTES_MAX};

    packet_fields(&c, &copy);
    return c.bad ? 0 : c.at;
}

int packet_decode(const unsigned char *at, size_t length, struct packet *m)
{
    struct packet_cursor c = {.in = at, .end = length};

    *m = (struct packet){0};
    packet_fields(&c, m);
    return c.bad || c.at != length ? -1 : 0;
}
