/* What stands on the command line of `dolly map`, and what the processes of a run tell each other.
 */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "commands/watch/http_query.h"
#include "commands/watch/http_request.h"
#include "exec/chaos.h"
#include "exec/process/packet.h"
#include "jobs/args/array_spec.h"
#include "jobs/args/halt.h"
#include "jobs/args/inputs.h"
#include "jobs/args/options.h"
#include "jobs/args/plan.h"
#include "jobs/args/slots.h"
#include "jobs/args/template.h"
#include "tests/fuzz/fuzz.h"

enum { ROWS_MAX = 20, WORDS_MAX = 100 };

void fuzz_packet(const uint8_t *at, size_t length)
{
    static unsigned char out[PACKET_BYTES_MAX];
    struct packet m;

    if (packet_decode(at, length, &m) == 0)
        packet_encode(&m, out);
}

void fuzz_array(const uint8_t *at, size_t length)
{
    struct array_spec a = {0};
    struct err err;
    char *text = fuzz_text(at, length);

    if (array_spec_parse(&a, text, &err) == 0) {
        array_spec_at(&a, 0);
        array_spec_at(&a, a.count - 1);
    }
    vec_free(&a.ranges);
    mem_free(text);
}

void fuzz_chaos(const uint8_t *at, size_t length)
{
    struct chaos c = {0};
    struct err err;
    char *text = fuzz_text(at, length);

    chaos_parse(text, 1, &c, &err);
    mem_free(text);
}

void fuzz_halt(const uint8_t *at, size_t length)
{
    struct halt h = {0};
    struct err err;
    char *text = fuzz_text(at, length);

    if (halt_parse(text, &h, &err) == 0)
        halt_reached(&h, 3, 2, 10);
    mem_free(text);
}

void fuzz_slots(const uint8_t *at, size_t length)
{
    uint32_t slots;
    struct err err;
    char *text = fuzz_text(at, length);

    slots_parse(text, 8, &slots, &err);
    mem_free(text);
}

/* The first line is the template, the others are arguments. */
void fuzz_template(const uint8_t *at, size_t length)
{
    char *text = fuzz_text(at, length), *rest = text, *first = strsep(&rest, "\n");
    const char *words[WORDS_MAX] = {"a.b/c.d"};
    struct fields fields = {words, 1};
    struct template_options options = {.names = {words, 1}};
    struct template_place place = {3, 12, 2, 4};
    struct str out = {0};
    struct err err;

    for (char *line; fields.count < WORDS_MAX && (line = strsep(&rest, "\n"));)
        words[fields.count++] = line;
    struct template *t = template_parse(first, &options, &err);
    for (unsigned flags = 0; t && flags <= (TEMPLATE_QUOTE | TEMPLATE_CONTEXT); flags++)
        template_expand(t, fields, &place, flags, &out);
    template_destroy(t);
    str_free(&out);
    mem_free(text);
}

/* The first byte chooses options, up to the first newline is --colsep, the rest is a file. */
void fuzz_inputs(const uint8_t *at, size_t length)
{
    unsigned bits = length ? at[0] : 0;
    const uint8_t *line = length ? memchr(at + 1, '\n', length - 1) : NULL;
    size_t head = line ? (size_t)(line - at) : length;
    char *colsep = fuzz_text(at + (length > 0), head - (length > 0));
    static const char *const words[] = {"x y", "", "z"};
    struct inputs_options options = {.delimiter = bits & 1 ? 0 : '\n',
                                     .colsep = bits & 2 ? colsep : NULL,
                                     .link = bits & 4,
                                     .header = bits & 8,
                                     .skip_empty = bits & 16};
    if (bits & 128) { /* the rarer ones together */
        options.delimiter_head = "-";
        options.eof = "end";
        options.trim = INPUTS_TRIM_BOTH;
        options.continues = true;
    }
    struct err err;
    struct inputs *in = head < 40 ? inputs_create(&options, &err) : NULL;
    const char *file = fuzz_file(at + head + (line != NULL), length - head - (line != NULL));

    if (in && inputs_add_words(in, words, 3, false, &err) == 0 &&
        (bits & 32 ? inputs_add_saved(in, file, bits & 64, &err)
                   : inputs_add_file(in, file, bits & 64, &err)) == 0 &&
        inputs_close(in, &err) == 0)
        for (uint64_t i = 0; i < inputs_rows(in) && i < ROWS_MAX; i++)
            inputs_row(in, i);
    inputs_destroy(in);
    mem_free(colsep);
}

static void expand_plan(struct plan *p, const struct options *o)
{
    struct str out = {0};

    for (uint32_t i = 0; i < plan_tasks(p) && i < ROWS_MAX; i++) {
        plan_command(p, i, 1, &out);
        if (o->tag || o->tagstring)
            plan_tag(p, i, 1, &out);
        if (o->results)
            plan_results(p, i, 1 + i % 2, &out);
        plan_index(p, i);
    }
    str_free(&out);
}

static void plan_of(const struct options *o)
{
    struct inputs_options with = options_inputs(o);
    struct array_spec array = {0};
    struct plan_sources from = {.blocks = 3};
    struct plan *p = NULL;
    struct err err;
    bool fine = true;

    if (o->array)
        fine = array_spec_parse(&array, o->array, &err) == 0;
    else if (!o->pipe && !o->pipepart)
        fine = (from.inputs = inputs_create(&with, &err)) != NULL;
    from.array = o->array ? &array : NULL;
    for (uint32_t i = 0; fine && from.inputs && i < o->sources.count; i++) {
        const struct options_source *s = &o->sources.at[i];
        fine = !s->file && inputs_add_words(from.inputs, s->words, s->count, s->linked, &err) == 0;
    }
    fine = fine && (!from.inputs || (o->sources.count && inputs_close(from.inputs, &err) == 0));
    if (fine && (p = plan_create(o, &from, 4, &err)))
        expand_plan(p, o);
    plan_destroy(p);
    inputs_destroy(from.inputs);
    vec_free(&array.ranges);
}

/* Each line is a word of the command line. */
void fuzz_options(const uint8_t *at, size_t length)
{
    char *text = fuzz_text(at, length), *rest = text, *words[WORDS_MAX + 1] = {"map"};
    struct options o = {0};
    struct err err;
    int count = 1;

    for (char *line; count < WORDS_MAX && (line = strsep(&rest, "\n"));)
        words[count++] = line;
    if (options_parse(&o, count, words, &err) == 0) {
        options_check_json(&o, &err);
        plan_of(&o);
    }
    options_fini(&o);
    mem_free(text);
}

/* What a query may ask for is bounded. */
static void fuzz_query(enum http_route route, char *rest)
{
    struct http_query q;

    http_query_init(&q);
    for (char *key; rest && (key = strsep(&rest, "&"));) {
        char *value = key;
        strsep(&value, "=");
        http_query_take(&q, route, key, value);
    }
    check(q.limit > 0 && q.limit <= HTTP_QUERY_LIMIT_MAX && q.tail > 0 &&
          q.tail <= HTTP_QUERY_TAIL);
    check(q.from_us >= 0 && q.to_us >= 0 && q.after >= -1);
}

/* Each line is a header, as far as requests of `dolly watch` are judged by them, and what follows
 * is the query. Whatever it is: without the secrets nothing but the exchange and its script is
 * answered. */
void fuzz_request(const uint8_t *at, size_t length)
{
    enum { HEADERS = 9 };
    static const struct http_secrets secrets = {.token = {"00112233445566778899aabbccddeeff"},
                                                .cookie = {"ffeeddccbbaa99887766554433221100"},
                                                .cookie_name = "dolly_1",
                                                .machine = "here"};
    char *text = fuzz_text(at, length), *rest = text, *lines[HEADERS] = {0};

    for (int i = 0; i < HEADERS; i++)
        lines[i] = rest ? strsep(&rest, "\n") : NULL;
    struct http_request r = {.method = lines[0] ? lines[0] : "",
                             .path = lines[1] ? lines[1] : "",
                             .host = lines[2],
                             .origin = lines[3],
                             .fetch_site = lines[4],
                             .fetch_mode = lines[5],
                             .cookie = lines[6],
                             .authorization = lines[7],
                             .last_event_id = lines[8]};
    struct http_target target = http_request_target(r.path);
    int status = http_request_judge(&r, &secrets);
    bool knows = (r.cookie && strstr(r.cookie, secrets.cookie.text)) ||
                 (r.authorization && strstr(r.authorization, secrets.token.text));

    check(status != 200 || knows || target.route == ROUTE_LOGIN ||
          target.route == ROUTE_LOGIN_SCRIPT);
    check(status != 200 || !r.origin || strncmp(r.origin, "http://", 7) == 0);
    check(http_request_last_turn(&r) >= -1);
    fuzz_query(target.route, rest);
    mem_free(text);
}
