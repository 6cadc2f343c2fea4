/* http_request.h - what a request asks for, and whether it may be answered. Without a connection:
 * texts in, an answer out.
 *
 * A request may come from a page of another site, from another user of the machine, or from a name
 * that an attacker's DNS server has pointed at us. So its Host must be an address, "localhost" or
 * this machine; its Origin, if it has one, must be the page that is served; and it must carry the
 * token, or the cookie that was exchanged for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "commands/watch/http_token.h"

enum http_route {
    ROUTE_NONE,
    ROUTE_PAGE,
    ROUTE_SCRIPT,
    ROUTE_LOGIN_SCRIPT,
    ROUTE_STYLE,
    ROUTE_LOGIN,
    ROUTE_RUN,
    ROUTE_JOBS,
    ROUTE_JOB,
    ROUTE_PHASE,
    ROUTE_TASKS,
    ROUTE_TASK,
    ROUTE_STDERR,
    ROUTE_ATTEMPTS,
    ROUTE_FAILURES,
    ROUTE_NODES,
    ROUTE_VERDICTS,
    ROUTE_SERIES,
    ROUTE_EVENTS,
    ROUTE_METRICS,
    ROUTE_HEALTH,
};

enum { HTTP_REQUEST_MAX = 8192 }; /* bytes of a path with its query and of headers */

/* What a path names. */
struct http_target {
    enum http_route route;
    uint32_t job;
    uint16_t phase;
    uint64_t task; /* the user's number */
};

/* The parts of a request that are judged; a text that is missing is NULL. */
struct http_request {
    const char *method, *path;
    const char *host, *origin, *fetch_site, *fetch_mode, *cookie, *authorization;
    const char *last_event_id;
    size_t bytes; /* of all that is limited to HTTP_REQUEST_MAX */
};

/* The secrets of a server. */
struct http_secrets {
    struct http_token token;  /* in the address, and for `Authorization: Bearer` */
    struct http_token cookie; /* that a browser gets for it */
    char cookie_name[24];
    char machine[65]; /* the name of this machine; "": none */
    bool local;       /* a socket of the file system, whose mode keeps others out: any host */
};

/* Returns the target of a path. */
struct http_target http_request_target(const char *path);

/* Returns the status of a refusal: 431 for more bytes than allowed, 403 for a wrong Host or Origin,
 * 404, 405, 401 without a valid token or cookie; 200 if the request may be answered. The page that
 * asks for the token, its script and the exchange itself need none. */
int http_request_judge(const struct http_request *r, const struct http_secrets *s);

/* Returns true if it carries the token or the cookie. */
bool http_request_knows(const struct http_request *r, const struct http_secrets *s);

/* Returns the turn of Last-Event-ID; -1: none, or not a number. */
int64_t http_request_last_turn(const struct http_request *r);
