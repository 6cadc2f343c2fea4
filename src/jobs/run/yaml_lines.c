/* yaml_lines.c - a job file in YAML as lines. See yaml_lines.h.
 *
 * libyaml tells one event after the other; what may come next is known from where we are, so the
 * functions below follow the shape of a job file, and nothing can nest deeper than that. */
#include "jobs/run/yaml_lines.h"

#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/text.h"

struct yaml_reader {
    struct job_lines *out;
    yaml_parser_t parser;
    yaml_event_t event; /* the one we are at */
    bool has_event;
    struct err *err;
};

/* The line of the file that we are at. */
static uint64_t here(const struct yaml_reader *r)
{
    return r->event.start_mark.line + 1;
}

static int fail(const struct yaml_reader *r, const char *what)
{
    return line_error(r->out->file, here(r), r->err, "%s", what);
}

/* Goes to the next event. */
static int advance(struct yaml_reader *r)
{
    if (r->has_event)
        yaml_event_delete(&r->event);
    r->has_event = yaml_parser_parse(&r->parser, &r->event);
    if (!r->has_event)
        return line_error(r->out->file, r->parser.problem_mark.line + 1, r->err, "not YAML: %s",
                          r->parser.problem ? r->parser.problem : "it cannot be read");
    if (r->event.type == YAML_ALIAS_EVENT)
        return fail(r, "aliases are not supported; write the value again");
    return 0;
}

/* The text of the scalar we are at, which is the lines' to keep; NULL with *err. */
static char *scalar(struct yaml_reader *r, const char *what)
{
    if (r->event.type != YAML_SCALAR_EVENT) {
        line_error(r->out->file, here(r), r->err, "%s is missing; expected a word", what);
        return NULL;
    }
    if (r->event.data.scalar.anchor || r->event.data.scalar.tag) {
        fail(r, "anchors and tags are not supported");
        return NULL;
    }
    const char *text = (const char *)r->event.data.scalar.value;
    if (strlen(text) != r->event.data.scalar.length) {
        fail(r, "a value has a zero byte");
        return NULL;
    }
    char *kept = mem_strdup(text);
    vec_push(&r->out->texts, kept);
    return kept;
}

static int plain_collection(const struct yaml_reader *r)
{
    bool marked = r->event.type == YAML_MAPPING_START_EVENT
                      ? r->event.data.mapping_start.anchor || r->event.data.mapping_start.tag
                      : r->event.data.sequence_start.anchor || r->event.data.sequence_start.tag;

    return marked ? fail(r, "anchors and tags are not supported") : 0;
}

static void add_pair(struct line *line, char *key, char *value, uint64_t number)
{
    vec_push(&line->pairs, ((struct line_pair){key, value, number}));
}

/* [a, b]: we are behind the bracket. */
static int read_list(struct yaml_reader *r, struct line *line, char *key)
{
    for (; r->event.type != YAML_SEQUENCE_END_EVENT;) {
        uint64_t number = here(r);
        char *value = scalar(r, "an item of the list");
        if (!value || advance(r) < 0)
            return -1;
        add_pair(line, key, value, number);
    }
    return 0;
}

/* {a: b}: we are behind the brace. */
static int read_map(struct yaml_reader *r, struct line *line, char *key)
{
    while (r->event.type != YAML_MAPPING_END_EVENT) {
        uint64_t number = here(r);
        struct str pair = {0};
        char *name = scalar(r, "a name");
        char *value = name && advance(r) == 0 ? scalar(r, "a value") : NULL;
        if (!value || advance(r) < 0)
            return -1;
        str_addf(&pair, "%s=%s", name, value);
        vec_push(&r->out->texts, pair.text);
        add_pair(line, key, pair.text, number);
    }
    return 0;
}

/* The value of a key: a word, a list of words or a mapping of words. */
static int read_value(struct yaml_reader *r, struct line *line, char *key)
{
    bool list = r->event.type == YAML_SEQUENCE_START_EVENT;

    if (r->event.type == YAML_SCALAR_EVENT) {
        char *value = scalar(r, "a value");
        if (!value)
            return -1;
        if (strcmp(key, "name") == 0 && !line->name)
            line->name = value;
        else
            add_pair(line, key, value, here(r));
        return 0;
    }
    if (plain_collection(r) < 0 || advance(r) < 0)
        return -1;
    return list ? read_list(r, line, key) : read_map(r, line, key);
}

static int read_phases(struct yaml_reader *r);

/* The keys of the job or of a phase: we are at the beginning of the mapping, and leave at its end.
 * A line is found by its index, because lines move. */
static int read_mapping(struct yaml_reader *r, char *word)
{
    uint32_t index = r->out->lines.count;

    if (r->event.type != YAML_MAPPING_START_EVENT)
        return fail(r, index == 0 ? "expected a mapping: `name: ...`, `input: ...`, `phases: ...`"
                                  : "expected a mapping: `name: ...`, `run: ...`");
    if (plain_collection(r) < 0)
        return -1;
    vec_push(&r->out->lines,
             ((struct line){.file = r->out->file, .number = here(r), .word = word}));
    if (advance(r) < 0)
        return -1;
    while (r->event.type != YAML_MAPPING_END_EVENT) {
        char *key = scalar(r, "a key");
        if (!key || advance(r) < 0)
            return -1;
        if ((index == 0 && strcmp(key, "phases") == 0
                 ? read_phases(r)
                 : read_value(r, &r->out->lines.at[index], key)) < 0 ||
            advance(r) < 0)
            return -1;
    }
    return 0;
}

static int read_phases(struct yaml_reader *r)
{
    static char phase[] = "phase";

    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return fail(r, "phases: expected a list");
    if (plain_collection(r) < 0 || advance(r) < 0)
        return -1;
    while (r->event.type != YAML_SEQUENCE_END_EVENT)
        if (read_mapping(r, phase) < 0 || advance(r) < 0)
            return -1;
    return 0;
}

static int read_document(struct yaml_reader *r)
{
    static char job[] = "job";

    if (advance(r) < 0 || advance(r) < 0) /* the stream and the document begin */
        return -1;
    if (r->event.type != YAML_DOCUMENT_START_EVENT)
        return fail(r, "the file is empty");
    if (advance(r) < 0 || read_mapping(r, job) < 0 || advance(r) < 0 || advance(r) < 0)
        return -1;
    return r->event.type == YAML_STREAM_END_EVENT ? 0
                                                  : fail(r, "expected one job, and nothing after "
                                                            "it");
}

int yaml_lines_read(struct job_lines *l, FILE *f, const char *path, struct err *err)
{
    struct yaml_reader r = {.out = l, .err = err};

    l->file = line_open_text(path, "", 0);
    if (!yaml_parser_initialize(&r.parser))
        mem_out(1, sizeof r.parser);
    yaml_parser_set_input_file(&r.parser, f);
    int result = read_document(&r);
    if (r.has_event)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return result;
}
