/* http_request.c - see http_request.h. Nothing here allocates, and no text is longer than the
 * server lets a header be. Paths are matched to the letter: what is not in the table does not
 * exist, and no path ever becomes the name of a file. */
#include "commands/watch/http_request.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/text.h"

/* ---- paths ---- */

/* Reads a number up to the next slash or the end. */
static bool take_number(const char **at, uint64_t max, uint64_t *number)
{
    const char *c = *at;

    *number = 0;
    for (; *c >= '0' && *c <= '9'; c++) {
        *number = *number * 10 + (uint64_t)(*c - '0');
        if (*number > max)
            return false;
    }
    bool whole = c > *at && (*c == '/' || *c == '\0');
    *at = c;
    return whole;
}

/* Compares a path with a pattern, in which # stands for a number: of a job, a phase, a task. */
static bool is_path(const char *path, const char *pattern, uint64_t numbers[3])
{
    static const uint64_t most[3] = {UINT32_MAX, UINT16_MAX, INT64_MAX};
    int n = 0;

    for (; *pattern; pattern++)
        if (*pattern != '#') {
            if (*path++ != *pattern)
                return false;
        } else {
            if (!take_number(&path, most[n], &numbers[n]))
                return false;
            n++;
        }
    return *path == '\0';
}

struct http_target http_request_target(const char *path)
{
    static const struct {
        const char *path;
        enum http_route route;
    } routes[] = {
        {"/", ROUTE_PAGE},
        {"/page.js", ROUTE_SCRIPT},
        {"/login.js", ROUTE_LOGIN_SCRIPT},
        {"/page.css", ROUTE_STYLE},
        {"/login", ROUTE_LOGIN},
        {"/metrics", ROUTE_METRICS},
        {"/healthz", ROUTE_HEALTH},
        {"/api/v1/run", ROUTE_RUN},
        {"/api/v1/jobs", ROUTE_JOBS},
        {"/api/v1/jobs/#", ROUTE_JOB},
        {"/api/v1/jobs/#/phases/#", ROUTE_PHASE},
        {"/api/v1/jobs/#/phases/#/tasks", ROUTE_TASKS},
        {"/api/v1/jobs/#/phases/#/tasks/#", ROUTE_TASK},
        {"/api/v1/jobs/#/phases/#/tasks/#/stderr", ROUTE_STDERR},
        {"/api/v1/attempts", ROUTE_ATTEMPTS},
        {"/api/v1/failures", ROUTE_FAILURES},
        {"/api/v1/nodes", ROUTE_NODES},
        {"/api/v1/verdicts", ROUTE_VERDICTS},
        {"/api/v1/series", ROUTE_SERIES},
        {"/api/v1/events", ROUTE_EVENTS},
    };

    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        uint64_t numbers[3] = {0};
        if (is_path(path, routes[i].path, numbers))
            return (struct http_target){routes[i].route, (uint32_t)numbers[0], (uint16_t)numbers[1],
                                        numbers[2]};
    }
    return (struct http_target){.route = ROUTE_NONE};
}

/* ---- where it comes from ---- */

/* The length of the name in "name:port" or "[address]:port"; 0: neither. */
static size_t name_length(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    size_t length = end ? (size_t)(end + 1 - host) : strcspn(host, ":");
    const char *port = host + length;

    if (host[0] == '[' && !end)
        return 0;
    if (*port == '\0')
        return length;
    return port[0] == ':' && port[1] && strspn(port + 1, "0123456789") == strlen(port + 1) ? length
                                                                                           : 0;
}

/* An attacker's name may lead here, but no name of a DNS server is an address. */
static bool is_ours(const char *host, const struct http_secrets *s)
{
    unsigned char address[16];
    char name[80];
    size_t length = host ? name_length(host) : 0;

    if (s->local)
        return true;
    if (length == 0 || length >= sizeof name)
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    if (strcmp(name, "localhost") == 0 || (*s->machine && strcmp(name, s->machine) == 0))
        return true;
    if (name[0] != '[')
        return inet_pton(AF_INET, name, address) == 1;
    name[length - 1] = '\0';
    return inet_pton(AF_INET6, name + 1, address) == 1;
}

static bool is_same_origin(const struct http_request *r)
{
    static const char scheme[] = "http://";
    size_t n = sizeof scheme - 1;

    return !r->origin ||
           (r->host && strncmp(r->origin, scheme, n) == 0 && strcmp(r->origin + n, r->host) == 0);
}

/* Another site may send its reader here, but not look at the answer or ask behind his back. */
static bool is_same_site(const struct http_request *r, enum http_route route)
{
    bool visit = route == ROUTE_PAGE && r->fetch_mode && strcmp(r->fetch_mode, "navigate") == 0;

    return !r->fetch_site || strcmp(r->fetch_site, "same-origin") == 0 ||
           strcmp(r->fetch_site, "none") == 0 || visit;
}

/* ---- who it comes from ---- */

/* A cookie header is "name=value; name=value". */
static bool has_cookie(const char *header, const struct http_secrets *s)
{
    size_t n = strlen(s->cookie_name);

    while (header && *header) {
        header += strspn(header, " ;");
        size_t length = strcspn(header, ";");
        if (length > n && strncmp(header, s->cookie_name, n) == 0 && header[n] == '=' &&
            http_token_is(&s->cookie, header + n + 1, length - n - 1))
            return true;
        header += length;
    }
    return false;
}

bool http_request_knows(const struct http_request *r, const struct http_secrets *s)
{
    static const char bearer[] = "Bearer ";
    size_t n = sizeof bearer - 1;

    if (r->authorization && strncmp(r->authorization, bearer, n) == 0 &&
        http_token_is(&s->token, r->authorization + n, strlen(r->authorization + n)))
        return true;
    return has_cookie(r->cookie, s);
}

int http_request_judge(const struct http_request *r, const struct http_secrets *s)
{
    enum http_route route = http_request_target(r->path).route;
    bool reads = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;

    if (r->bytes > HTTP_REQUEST_MAX)
        return 431;
    if (!is_ours(r->host, s) || !is_same_origin(r) || !is_same_site(r, route))
        return 403;
    if (route == ROUTE_LOGIN)
        return strcmp(r->method, "POST") == 0 ? 200 : 405;
    if (!reads)
        return 405;
    if (route == ROUTE_LOGIN_SCRIPT)
        return 200;
    if (!http_request_knows(r, s))
        return 401;
    return route == ROUTE_NONE ? 404 : 200;
}

int64_t http_request_last_turn(const struct http_request *r)
{
    int64_t turn;

    return r->last_event_id && text_int(r->last_event_id, &turn) && turn >= 0 ? turn : -1;
}
