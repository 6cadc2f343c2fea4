/* http_server.h - serves HTTP by libmicrohttpd, in the thread that calls it.
 *
 * Connections are bounded: 256 at once, 200 of them streams, 8 KiB of headers, and one that neither
 * sends nor reads for ten seconds is closed. Those that have not shown the token give way to newer
 * ones, so that nothing but readers of the run can keep others out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "commands/watch/event_stream.h"
#include "commands/watch/http_query.h"
#include "commands/watch/http_request.h"
#include "commands/watch/listen_socket.h"

enum {
    HTTP_SERVER_CONNECTIONS = 256,
    HTTP_SERVER_STRANGERS = 40, /* silent connections without the token */
    HTTP_SERVER_STREAMS = 200,
    HTTP_SERVER_SILENCE_S = 10,
    HTTP_SERVER_MEMORY = 65536,
};

struct http_answer {
    unsigned status;
    const char *type; /* of the body */
    struct str body;
    bool cookie;  /* hands out the cookie */
    bool stream;  /* events follow instead of the body */
    bool later;   /* nothing can be said yet: the request is put again after the next wake */
    int64_t turn; /* of which the body is, as the header Dolly-Turn; 0: not known */
};

/* The contents of a request. */
struct http_asked {
    struct http_target target;
    struct http_query query;
    const char *body;
};

/* Answers requests that were judged and may be answered, and the refusal 401 of the page. */
struct http_handler {
    void *ctx;
    void (*answer)(void *ctx, const struct http_asked *asked, struct http_answer *a);
    struct event_state (*state)(void *ctx); /* for streams */
};

struct http_server;

/* Serves at the socket, which it closes at its end. Borrows secrets and handler. Returns NULL with
 * *err if libmicrohttpd is not installed or fails. Stop with http_server_stop. */
struct http_server *http_server_start(struct listen_socket *socket,
                                      const struct http_secrets *secrets,
                                      const struct http_handler *handler, struct err *err);
void http_server_stop(struct http_server *s); /* NULL is fine */

/* Waits up to `wait_ms` for requests, and answers them. */
void http_server_run(struct http_server *s, int wait_ms);

/* Lets streams send their news, and puts the requests again whose answer was to come later. */
void http_server_wake(struct http_server *s);
