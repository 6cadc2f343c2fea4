/* http_server.c - between libmicrohttpd and the rest, which knows nothing of it.
 *
 * The library parses requests and keeps connections; it has no thread of its own, so answers are
 * made between two looks at the journal. A stream sleeps (suspended) until there is something new:
 * then it is asked for its next piece, which is made from the state of that moment. */
#include "commands/watch/http_server.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/lazy.h"
#include "base/vec.h"

enum { BODY_MAX = 64, PIECE = 4096 };

#define FUNCTIONS(F)                                                                               \
    F(MHD_start_daemon)                                                                            \
    F(MHD_stop_daemon)                                                                             \
    F(MHD_run_wait)                                                                                \
    F(MHD_get_connection_values)                                                                   \
    F(MHD_get_connection_info)                                                                     \
    F(MHD_lookup_connection_value)                                                                 \
    F(MHD_create_response_from_buffer)                                                             \
    F(MHD_create_response_from_callback)                                                           \
    F(MHD_add_response_header)                                                                     \
    F(MHD_queue_response)                                                                          \
    F(MHD_destroy_response)                                                                        \
    F(MHD_suspend_connection)                                                                      \
    F(MHD_resume_connection)

static struct {
    FUNCTIONS(LAZY_MEMBER)
} mhd;

static struct lazy_library library = {
    .file = "libmicrohttpd.so.12", .names = LAZY_NAMES(FUNCTIONS), .functions = &mhd};

struct client {
    struct http_server *server;
    struct MHD_Connection *connection;
    struct event_stream stream;
    struct shared_text *piece; /* not sent yet, from `sent` on; NULL: none */
    size_t sent;
    bool suspended;
};

/* A connection that is open. */
struct http_guest {
    int fd;
    bool known;   /* it has shown the token */
    bool leaving; /* it was shut down */
};

struct http_server {
    struct MHD_Daemon *daemon;
    VEC(struct http_guest *) guests; /* the oldest first */
    const struct http_secrets *secrets;
    const struct http_handler *handler;
    VEC(struct client *) clients;
    VEC(struct MHD_Connection *) waiting; /* suspended, for an answer that comes later */
};

/* A request under way: its body, which only the exchange of the token has. */
struct upload {
    char text[BODY_MAX + 1];
    size_t length;
    bool too_long;
};

/* ---- connections ---- */

/* Returns true if nothing of it waits to be read. */
static bool is_silent(const struct http_guest *g)
{
    char byte;

    return recv(g->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/* Shuts down the oldest connections without the token, where there are too many of them. One that
 * has just sent something is about to be answered, and is silent after that. The library closes
 * them when it sees that nothing more comes. */
static void make_room(struct http_server *s)
{
    uint32_t strangers = 0;

    for (uint32_t i = 0; i < s->guests.count; i++)
        strangers += !s->guests.at[i]->known && !s->guests.at[i]->leaving;
    for (uint32_t i = 0; strangers > HTTP_SERVER_STRANGERS && i < s->guests.count; i++) {
        struct http_guest *g = s->guests.at[i];
        if (g->known || g->leaving || !is_silent(g))
            continue;
        shutdown(g->fd, SHUT_RDWR);
        g->leaving = true;
        strangers--;
    }
}

static void forget_guest(struct http_server *s, struct http_guest *g)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < s->guests.count; i++)
        if (s->guests.at[i] != g)
            s->guests.at[kept++] = s->guests.at[i];
    s->guests.count = kept;
    mem_free(g);
}

static void connection_changes(void *ctx, struct MHD_Connection *connection, void **state,
                               enum MHD_ConnectionNotificationCode code)
{
    struct http_server *s = ctx;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        forget_guest(s, *state);
        return;
    }
    struct http_guest *g = mem_zalloc(1, sizeof *g);
    g->fd = mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *state = g;
    vec_push(&s->guests, g);
    make_room(s);
}

static void note_known(struct MHD_Connection *connection)
{
    struct http_guest *g =
        mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    g->known = true;
}

/* ---- streams ---- */

static void drop_piece(struct client *c)
{
    shared_text_drop(c->piece);
    c->piece = NULL;
}

/* The next bytes of a stream. */
static ssize_t read_stream(void *ctx, uint64_t at, char *to, size_t max)
{
    struct client *c = ctx;
    const struct http_handler *h = c->server->handler;

    (void)at;
    if (!c->piece) {
        struct event_state now = h->state(h->ctx);
        c->piece = event_stream_next(&c->stream, &now, clock_now_us());
        c->sent = 0;
    }
    if (!c->piece && c->stream.closed)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (!c->piece) {
        c->suspended = true;
        mhd.MHD_suspend_connection(c->connection);
        return 0;
    }
    size_t left = c->piece->str.length - c->sent, n = left < max ? left : max;
    memcpy(to, c->piece->str.text + c->sent, n);
    c->sent += n;
    if (n == left)
        drop_piece(c);
    return (ssize_t)n;
}

static void free_stream(void *ctx)
{
    struct client *c = ctx;
    struct http_server *s = c->server;

    for (uint32_t i = 0; i < s->clients.count; i++)
        if (s->clients.at[i] == c) {
            s->clients.at[i] = s->clients.at[--s->clients.count];
            break;
        }
    drop_piece(c);
    mem_free(c);
}

static struct MHD_Response *open_stream(struct http_server *s, struct MHD_Connection *connection,
                                        const struct http_request *r, bool only_sums)
{
    struct client *c = mem_zalloc(1, sizeof *c);

    c->server = s;
    c->connection = connection;
    event_stream_init(&c->stream, http_request_last_turn(r), only_sums);
    vec_push(&s->clients, c);
    return mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_stream, c,
                                                 free_stream);
}

void http_server_wake(struct http_server *s)
{
    for (uint32_t i = 0; i < s->clients.count; i++) {
        struct client *c = s->clients.at[i];
        if (!c->suspended)
            continue;
        c->suspended = false;
        mhd.MHD_resume_connection(c->connection);
    }
    for (uint32_t i = 0; i < s->waiting.count; i++)
        mhd.MHD_resume_connection(s->waiting.at[i]);
    s->waiting.count = 0;
}

/* ---- answers ---- */

static void add_headers(const struct http_server *s, struct MHD_Response *response,
                        const struct http_answer *a)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
         "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    char text[160];

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        mhd.MHD_add_response_header(response, headers[i][0], headers[i][1]);
    mhd.MHD_add_response_header(response, "Content-Type", a->type);
    if (a->status == 405)
        mhd.MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (a->status == 401)
        mhd.MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"dolly\"");
    if (a->turn > 0) {
        snprintf(text, sizeof text, "%" PRId64, a->turn);
        mhd.MHD_add_response_header(response, "Dolly-Turn", text);
    }
    if (!a->cookie)
        return;
    snprintf(text, sizeof text, "%s=%s; HttpOnly; SameSite=Strict; Path=/", s->secrets->cookie_name,
             s->secrets->cookie.text);
    mhd.MHD_add_response_header(response, "Set-Cookie", text);
}

static const char *refusal(unsigned status)
{
    return status == 400 ? "the query has a key that this path does not take, or a wrong value\n"
           : status == 401
               ? "the token is missing or wrong; `dolly watch` prints the address with it\n"
           : status == 403 ? "not from here\n"
           : status == 503 ? "200 readers follow this run already\n"
           : status == 405 ? "only GET and HEAD\n"
           : status == 431 ? "more than 8 KiB of headers\n"
                           : "no such page\n";
}

static enum MHD_Result take_query(void *ctx, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    struct http_asked *asked = ctx;

    (void)kind;
    return http_query_take(&asked->query, asked->target.route, key, value) ? MHD_YES : MHD_NO;
}

/* The library counts the values that it has shown, also the last one. */
static bool read_query(struct MHD_Connection *connection, struct http_asked *asked)
{
    http_query_init(&asked->query);
    int all = mhd.MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, NULL, NULL);
    mhd.MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_query, asked);
    return __builtin_popcount(asked->query.given) == all;
}

static enum MHD_Result add_length(void *ctx, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    size_t *bytes = ctx;

    (void)kind;
    *bytes += strlen(key) + (value ? strlen(value) : 0);
    return MHD_YES;
}

/* How long the request is. The library's own limit is its memory for a connection, which is larger
 * because answers are made there as well. */
static size_t length(struct MHD_Connection *connection, const char *path)
{
    size_t bytes = strlen(path);

    mhd.MHD_get_connection_values(connection, MHD_HEADER_KIND, add_length, &bytes);
    mhd.MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_length, &bytes);
    return bytes;
}

static enum MHD_Result respond(struct http_server *s, struct MHD_Connection *connection,
                               const struct http_request *r, const char *body)
{
    struct http_asked asked = {.target = http_request_target(r->path), .body = body};
    struct http_answer a = {.status = (unsigned)http_request_judge(r, s->secrets),
                            .type = "text/plain; charset=utf-8"};

    str_add(&a.body, "");
    if (a.status == 200 && !read_query(connection, &asked))
        a.status = 400;
    if (http_request_knows(r, s->secrets))
        note_known(connection);
    if (a.status == 200 && asked.target.route == ROUTE_EVENTS &&
        s->clients.count >= HTTP_SERVER_STREAMS)
        a.status = 503;
    if (a.status == 200 || (a.status == 401 && asked.target.route == ROUTE_PAGE))
        s->handler->answer(s->handler->ctx, &asked, &a);
    else
        str_add(&a.body, refusal(a.status));
    if (a.later) {
        vec_push(&s->waiting, connection);
        mhd.MHD_suspend_connection(connection);
        str_free(&a.body);
        return MHD_YES;
    }
    struct MHD_Response *response =
        a.stream ? open_stream(s, connection, r, *asked.query.only)
                 : mhd.MHD_create_response_from_buffer(a.body.length, a.body.text,
                                                       MHD_RESPMEM_MUST_COPY);
    add_headers(s, response, &a);
    enum MHD_Result result = mhd.MHD_queue_response(connection, a.status, response);
    mhd.MHD_destroy_response(response);
    str_free(&a.body);
    return result;
}

static void take_body(struct upload *u, const char *data, size_t *size)
{
    if (*size > BODY_MAX - u->length) {
        u->too_long = true;
    } else {
        memcpy(u->text + u->length, data, *size);
        u->length += *size;
    }
    *size = 0;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    struct http_server *s = ctx;
    struct upload *u = *state;

    (void)version;
    if (!u) {
        *state = mem_zalloc(1, sizeof *u);
        return MHD_YES;
    }
    if (*size > 0) {
        take_body(u, data, size);
        return MHD_YES;
    }
#define HEADER(name) mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name)
    struct http_request r = {
        .method = method,
        .path = url,
        .host = HEADER("Host"),
        .origin = HEADER("Origin"),
        .fetch_site = HEADER("Sec-Fetch-Site"),
        .fetch_mode = HEADER("Sec-Fetch-Mode"),
        .cookie = HEADER("Cookie"),
        .authorization = HEADER("Authorization"),
        .last_event_id = HEADER("Last-Event-ID"),
        .bytes = length(connection, url),
    };
#undef HEADER
    return respond(s, connection, &r, u->too_long ? "" : u->text);
}

static void request_ends(void *ctx, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    (void)ctx, (void)connection, (void)code;
    mem_free(*state);
    *state = NULL;
}

/* ---- the server ---- */

struct http_server *http_server_start(struct listen_socket *socket,
                                      const struct http_secrets *secrets,
                                      const struct http_handler *handler, struct err *err)
{
    struct http_server *s;

    if (lazy_load(&library, err) < 0)
        return NULL;
    s = mem_zalloc(1, sizeof *s);
    s->secrets = secrets;
    s->handler = handler;
    s->daemon = mhd.MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket->fd, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)HTTP_SERVER_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)HTTP_SERVER_SILENCE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HTTP_SERVER_MEMORY, MHD_OPTION_NOTIFY_CONNECTION, connection_changes, s,
        MHD_OPTION_NOTIFY_COMPLETED, request_ends, NULL, MHD_OPTION_END);
    if (!s->daemon) {
        mem_free(s);
        err_system(err, "libmicrohttpd cannot serve at %s", socket->shown);
        return NULL;
    }
    socket->fd = -1; /* the library closes it */
    return s;
}

void http_server_stop(struct http_server *s)
{
    if (!s)
        return;
    http_server_wake(s); /* none may be suspended then */
    mhd.MHD_stop_daemon(s->daemon);
    vec_free(&s->clients);
    vec_free(&s->guests);
    vec_free(&s->waiting);
    mem_free(s);
}

void http_server_run(struct http_server *s, int wait_ms)
{
    mhd.MHD_run_wait(s->daemon, wait_ms);
}
