#include "commands/watch/http_request.h"

#include <string.h>

#include "tests/unit/test.h"

static const struct http_secrets secrets = {
    .token = {"00112233445566778899aabbccddeeff"},
    .cookie = {"ffeeddccbbaa99887766554433221100"},
    .cookie_name = "dolly_8765",
    .machine = "login1",
};
#define BEARER "Bearer 00112233445566778899aabbccddeeff"
#define COOKIE "dolly_8765=ffeeddccbbaa99887766554433221100"

/* A request that is answered. */
static const struct http_request good = {
    .method = "GET", .path = "/api/v1/run", .host = "127.0.0.1:8765", .authorization = BEARER};

static int judged(struct http_request r)
{
    return http_request_judge(&r, &secrets);
}

TEST(http_request_finds_targets_to_the_letter)
{
    struct http_target t = http_request_target("/api/v1/jobs/12/phases/3/tasks/456");

    expect(t.route == ROUTE_TASK && t.job == 12 && t.phase == 3 && t.task == 456);
    expect(http_request_target("/api/v1/jobs/12/phases/3/tasks/4/stderr").route == ROUTE_STDERR);
    expect(http_request_target("/api/v1/jobs/12/phases/3").route == ROUTE_PHASE);
    expect(http_request_target("/api/v1/jobs/4294967295").route == ROUTE_JOB);
    expect(http_request_target("/api/v1/jobs").route == ROUTE_JOBS);
    expect(http_request_target("/").route == ROUTE_PAGE);
    expect(http_request_target("/metrics").route == ROUTE_METRICS);
    static const char *const wrong[] = {
        "",
        "/api/v1",
        "/api/v1/run/",
        "/metrics/",
        "//",
        "/api/v1/jobs/",
        "/api/v1/jobs/-1",
        "/api/v1/jobs/1x",
        "/api/v1/jobs/4294967296",
        "/api/v1/jobs/1/",
        "/api/v1/jobs/1/phases",
        "/api/v1/jobs/1/phases/65536",
        "/api/v1/jobs/1/phases/0/tasks/",
        "/api/v1/jobs/1/phases/0/tasks/99999999999999999999",
        "/api/v1/jobs/1/phases/0/tasks/1/../../../etc/passwd",
        "/api/v1/jobs/1/phases/0/tasks/1/stderr/x",
        "/../journal",
        "/page.js.map",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect(http_request_target(wrong[i]).route == ROUTE_NONE);
}

TEST(http_request_wants_the_token_or_the_cookie)
{
    struct http_request r = good;

    expect(judged(r) == 200);
    static const char *const wrong[] = {
        "Bearer 00112233445566778899aabbccddeefe",
        "Bearer 00112233445566778899aabbccddeef",
        "Bearer 00112233445566778899aabbccddeefff",
        "bearer 00112233445566778899aabbccddeeff",
        "Basic 00112233445566778899aabbccddeeff",
        "Bearer ",
        "",
        "Bearer ffeeddccbbaa99887766554433221100", /* of the cookie */
        "Bearer  00112233445566778899aabbccddeeff"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        r.authorization = wrong[i];
        expect(judged(r) == 401);
    }
    r.authorization = NULL;
    expect(judged(r) == 401);
    static const char *const cookies[] = {COOKIE, "a=b; " COOKIE, COOKIE "; c=d",
                                          "dolly_8765=00; " COOKIE};
    for (size_t i = 0; i < sizeof cookies / sizeof cookies[0]; i++) {
        r.cookie = cookies[i];
        expect(judged(r) == 200);
    }
    static const char *const stale[] = {
        "dolly_8765=ffeeddccbbaa99887766554433221101", /* of yesterday */
        "dolly_876=ffeeddccbbaa99887766554433221100",
        "dolly_87650=ffeeddccbbaa99887766554433221100",
        ("x" COOKIE),
        "dolly_8765",
        "dolly_8765=",
        ";;;",
        "",
        "dolly_8765=00112233445566778899aabbccddeeff" /* the token */};
    for (size_t i = 0; i < sizeof stale / sizeof stale[0]; i++) {
        r.cookie = stale[i];
        expect(judged(r) == 401);
    }
}

TEST(http_request_hides_what_exists_from_strangers)
{
    struct http_request r = good;

    r.authorization = NULL;
    r.path = "/nosuch";
    expect(judged(r) == 401);
    r.path = "/page.js";
    expect(judged(r) == 401);
    r.path = "/login.js";
    expect(judged(r) == 200);
    r.authorization = BEARER;
    r.path = "/nosuch";
    expect(judged(r) == 404);
}

TEST(http_request_refuses_other_hosts)
{
    struct http_request r = good;
    struct http_secrets local = secrets;
    static const char *const fine[] = {"localhost:1", "localhost",      "127.0.0.1:80",
                                       "[::1]:8765",  "192.168.1.2:99", "login1:8765"};
    static const char *const wrong[] = {"evil.example:8765",
                                        "127.0.0.1.evil.example:8765",
                                        "localhost.evil.example",
                                        "",
                                        "localhost:",
                                        "localhost:80x",
                                        "[::1",
                                        "[evil]:1",
                                        "127.0.0.1:8765:1",
                                        "login1.evil.example:8765",
                                        ":8765",
                                        "2130706433"};

    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        r.host = fine[i];
        expect(judged(r) == 200);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        r.host = wrong[i];
        expect(judged(r) == 403);
    }
    r.host = NULL;
    expect(judged(r) == 403);
    local.local = true; /* the mode of the socket keeps others out */
    expect(http_request_judge(&r, &local) == 200);
}

TEST(http_request_refuses_pages_of_others)
{
    struct http_request r = good;

    r.origin = "http://127.0.0.1:8765";
    expect(judged(r) == 200);
    static const char *const wrong[] = {
        "http://evil.example",   "https://127.0.0.1:8765", "null", "",
        "http://127.0.0.1:8766", "http://127.0.0.1:87650"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        r.origin = wrong[i];
        expect(judged(r) == 403);
    }
    r = good;
    r.fetch_site = "same-origin";
    expect(judged(r) == 200);
    r.fetch_site = "none";
    expect(judged(r) == 200);
    r.fetch_site = "cross-site";
    expect(judged(r) == 403);
    r.fetch_mode = "navigate"; /* a link leads to the page, and to nothing else */
    expect(judged(r) == 403);
    r.path = "/";
    expect(judged(r) == 200);
    r.fetch_mode = "no-cors";
    expect(judged(r) == 403);
}

TEST(http_request_has_a_length)
{
    struct http_request r = good;

    r.bytes = HTTP_REQUEST_MAX;
    expect(judged(r) == 200);
    r.bytes++;
    expect(judged(r) == 431);
    r.host = "evil.example";
    expect(judged(r) == 431); /* nothing else of it is read */
}

TEST(http_request_only_reads)
{
    struct http_request r = good;
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", "TRACE", ""};

    r.method = "HEAD";
    expect(judged(r) == 200);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        r.method = methods[i];
        expect(judged(r) == 405);
    }
    r.path = "/login";
    r.authorization = NULL;
    r.method = "POST";
    expect(judged(r) == 200);
    r.method = "GET";
    expect(judged(r) == 405);
    r.method = "POST";
    r.origin = "http://evil.example";
    expect(judged(r) == 403);
}

TEST(http_request_reads_the_last_turn)
{
    struct http_request r = good;

    expect(http_request_last_turn(&r) == -1);
    r.last_event_id = "17";
    expect(http_request_last_turn(&r) == 17);
    r.last_event_id = "-17";
    expect(http_request_last_turn(&r) == -1);
    r.last_event_id = "17x";
    expect(http_request_last_turn(&r) == -1);
}

TEST(http_token_is_new_each_time_and_compared_whole)
{
    struct http_token a, b;
    struct err err;

    expect(http_token_init(&a, &err) == 0 && http_token_init(&b, &err) == 0);
    expect(strlen(a.text) == HTTP_TOKEN_DIGITS && strcmp(a.text, b.text) != 0);
    expect(http_token_is(&a, a.text, HTTP_TOKEN_DIGITS) && !http_token_is(&a, b.text, 32));
    expect(!http_token_is(&a, a.text, 31) && !http_token_is(&a, "", 0));
    b = a;
    b.text[31] ^= 1;
    expect(!http_token_is(&a, b.text, HTTP_TOKEN_DIGITS));
}
