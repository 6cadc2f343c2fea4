/* Lines that become records and records that become lines: keys, pairs, results. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/sorted_file.h"
#include "jobs/task/task_state.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

/* ---- an input that gives these pieces ---- */

struct given {
    struct task_input input;
    const char *const *pieces; /* up to NULL */
    bool fails, closed;
};

static int64_t give(void *ctx, const char **at, struct err *err)
{
    struct given *g = ctx;

    if (!*g->pieces)
        return g->fails ? err_set(err, "no more") : 0;
    *at = *g->pieces++;
    g->input.read++;
    return (int64_t)strlen(*at);
}

static int given_check(struct task_input *in, struct err *err)
{
    (void)in;
    return err_set(err, "it has changed");
}

static void given_close(struct task_input *in)
{
    ((struct given *)in)->closed = true;
}

static struct given given(const char *const *pieces)
{
    return (struct given){
        {.feed = give, .check = given_check, .close = given_close}, pieces, false, false};
}

/* All of it. */
static int64_t read_all(struct task_input *in, struct str *to, struct err *err)
{
    const char *at;
    int64_t n;

    while ((n = in->feed(in, &at, err)) > 0)
        str_add_bytes(to, at, (size_t)n);
    return n;
}

TEST(task_pairs_count_bytes_and_add_tabs)
{
    static const struct {
        uint8_t kind;
        bool drops_cr;
        const char *pieces[6], *want;
    } rows[] = {
        {PLAN_OFFSETS, false, {"ab\nc\n\n", "d\n"}, "7\tab\n10\tc\n12\t\n13\td\n"},
        {PLAN_OFFSETS, false, {"a", "b\nc", "\n"}, "7\tab\n10\tc\n"},
        {PLAN_OFFSETS, false, {"a\r\nb\n"}, "7\ta\r\n10\tb\n"},
        {PLAN_OFFSETS, true, {"a\r", "\nb\n"}, "7\ta\n10\tb\n"},
        {PLAN_TABS, false, {"ab\nc\td\n", "\n"}, "ab\t\nc\td\n\t\n"},
        {PLAN_TABS, false, {"a\t", "b\nc", "d\n"}, "a\tb\ncd\t\n"},
        {PLAN_TABS, false, {NULL}, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct given g = given(rows[i].pieces);
        struct str text = {0};
        struct err err;
        struct task_input *in = task_pairs_add(&g.input, rows[i].kind, 7, rows[i].drops_cr);
        str_add(&text, "");
        expect(read_all(in, &text, &err) == 0 && in->read == g.input.read);
        expect(text_was(&text, rows[i].want));
        expect(in->check(in, &err) == -1 && strcmp(err.text, "it has changed") == 0);
        expect(!g.closed);
        in->close(in);
        expect(g.closed);
        str_free(&text);
    }
}

TEST(task_pairs_fail_with_their_input)
{
    static const char *const pieces[] = {"a\n", NULL};
    struct given g = given(pieces);
    struct str text = {0};
    struct err err;

    g.fails = true;
    struct task_input *in = task_pairs_add(&g.input, PLAN_TABS, 0, false);
    expect(read_all(in, &text, &err) == -1 && strcmp(err.text, "no more") == 0);
    expect(text_was(&text, "a\t\n"));
    in->close(in);
    str_free(&text);
}

/* ---- cat, without a process ---- */

TEST(task_same_is_cat_that_is_what_it_seems)
{
    struct task_plan p = {0};
    struct task_attempt t = {.plan = &p};

    plan_add_phase(&p, "a", "cat");
    plan_add_phase(&p, "b", "cat -n");
    t.phase = &p.phases.at[1];
    expect(!task_same_is(&t));
    t.phase = &p.phases.at[0];
    expect(task_same_is(&t));
    vec_push(&p.env, mem_strdup("PATHS=x"));
    vec_push(&p.files, ((struct plan_file){mem_strdup("/x/dog"), mem_strdup("dog"), NULL}));
    expect(task_same_is(&t));
    vec_push(&p.files, ((struct plan_file){mem_strdup("/x/dog"), mem_strdup("cat"), NULL}));
    expect(!task_same_is(&t));
    memcpy(p.files.at[1].name, "rat", 3);
    expect(task_same_is(&t));
    vec_push(&p.env, mem_strdup("PATH=/x"));
    expect(!task_same_is(&t));
    plan_fini(&p);
}

struct taken {
    struct str text;
    int most;
};

static int take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct taken *t = ctx;

    if (t->most-- == 0)
        return err_set(err, "enough");
    str_add_bytes(&t->text, at, count);
    return 0;
}

TEST(task_same_hands_on_and_stops_at_the_first_error)
{
    static const char *const pieces[] = {"one\n", "two\n", NULL};
    struct task_sum sum = {0};
    struct given g = given(pieces);
    struct taken t = {.most = 9};
    struct err err;

    expect(task_same_run(&g.input, take, &t, &sum, &err) == 0 && !sum.is_known);
    expect(text_was(&t.text, "one\ntwo\n"));
    g = given(pieces);
    t.most = 1;
    expect(task_same_run(&g.input, take, &t, &sum, &err) == -1 && !strcmp(err.text, "enough"));
    expect(text_was(&t.text, "one\n"));
    g = given(pieces);
    g.fails = true;
    t.most = 9;
    expect(task_same_run(&g.input, take, &t, &sum, &err) == -1 && !strcmp(err.text, "no more"));
    str_free(&t.text);
}

TEST(task_same_prints_and_knows_the_sum)
{
    static const char *const pieces[] = {"one\n", "two\n", NULL};
    struct task_sum sum = {0};
    struct given g = given(pieces);
    struct capture c;
    struct err err;

    capture_begin(&c, STDOUT_FILENO);
    int result = task_same_run(&g.input, NULL, NULL, &sum, &err);
    char *text = capture_end(&c);
    expect(result == 0 && strcmp(text, "one\ntwo\n") == 0 && sum.is_known);
    expect(sum.of.bytes == 8 && sum.of.checksum == XXH3_64bits("one\ntwo\n", 8));
    mem_free(text);
    g = given(pieces);
    g.fails = true;
    sum.is_known = false;
    capture_begin(&c, STDOUT_FILENO);
    result = task_same_run(&g.input, NULL, NULL, &sum, &err);
    text = capture_end(&c);
    expect(result == -1 && !sum.is_known && strcmp(err.text, "no more") == 0);
    mem_free(text);
}

/* ---- results as Hadoop writes them ---- */

TEST(task_print_ends_lines_and_replaces_the_separator)
{
    static const struct {
        char *separator, *to;
        uint32_t fields;
        const char *pieces[4], *want;
    } rows[] = {
        {"\t", NULL, 1, {"a\tb\r\nc"}, "a\tb\nc\n"},
        {"\t", "\t", 1, {"a\tb\n"}, "a\tb\n"},
        {"\t", NULL, 1, {NULL}, ""},
        {"\t", ";", 1, {"a\tb\tc\nno", "ne\n\tx\n"}, "a;b\tc\nnone\n;x\n"},
        {"\t", ";", 2, {"a\tb\tc\na\tb\n", "d"}, "a\tb;c\na\tb\nd\n"},
        {"--", "", 1, {"a--b\r\nc--"}, "ab\nc\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan_phase p = {.separator = rows[i].separator,
                               .to_separator = rows[i].to,
                               .key_fields = rows[i].fields};
        struct task_sum sum = {0};
        struct str text = {0};
        struct capture c;
        struct err err;
        capture_begin(&c, STDOUT_FILENO);
        struct task_print *o = task_print_create(&p);
        for (const char *const *at = rows[i].pieces; *at; at++)
            expect(task_print_take(o, *at, strlen(*at), &err) == 0);
        int result = task_print_finish(o, &sum, &err);
        char *printed = capture_end(&c);
        expect(result == 0 && sum.is_known && sum.of.bytes == strlen(rows[i].want));
        expect(sum.of.checksum == XXH3_64bits(rows[i].want, strlen(rows[i].want)));
        str_add(&text, printed);
        expect(text_was(&text, rows[i].want));
        mem_free(printed);
        str_free(&text);
    }
}

/* ---- keys ---- */

static bool is(const struct data_record *r, const char *key, const char *value)
{
    return r->key_length == strlen(key) && memcmp(r->key, key, r->key_length) == 0 &&
           r->value_length == strlen(value) && memcmp(r->value, value, r->value_length) == 0;
}

static struct data_record record_of(struct task_keys *k, const char *line)
{
    return task_keys_record(k, line, (uint32_t)strlen(line));
}

static uint32_t partition_of(struct task_keys *k, const char *line)
{
    struct data_record r = record_of(k, line);

    return task_keys_partition(k, &r);
}

TEST(task_keys_cut_lines_as_the_phase_says)
{
    struct plan_phase p = {.separator = ",", .key_fields = 2, .partitions = 1};
    struct task_keys k;
    struct data_record r;

    task_keys_init(&k, &p);
    r = record_of(&k, "a,b,c\r");
    expect(is(&r, "a,b", "c\r") && task_keys_partition(&k, &r) == 0);
    p.as_hadoop = 1;
    r = record_of(&k, "a,b,c\r");
    expect(is(&r, "a,b", "c"));
    r = record_of(&k, "\r");
    expect(is(&r, "", ""));
    r = record_of(&k, "");
    expect(is(&r, "", ""));
    task_keys_fini(&k);
    task_keys_init_combined(&k, &p); /* as the phase, where the combiner sets nothing */
    r = record_of(&k, "a,b,c");
    expect(is(&r, "a,b", "c"));
    task_keys_fini(&k);
    p.combined_separator = ";";
    p.combined_fields = 1;
    task_keys_init_combined(&k, &p);
    r = record_of(&k, "a,b;c;d");
    expect(is(&r, "a,b", "c;d"));
    task_keys_fini(&k);
}

/* Of many keys some go elsewhere if the whole key counts, and none if only the same part does. */
static uint32_t spread(struct plan_phase *p, const char *form)
{
    struct task_keys k;
    uint32_t seen = 0;
    char line[32];

    task_keys_init(&k, p);
    for (int i = 0; i < 40; i++) {
        snprintf(line, sizeof line, form, i);
        uint32_t to = partition_of(&k, line);
        expect(to < p->partitions);
        seen |= 1U << to;
    }
    task_keys_fini(&k);
    return seen;
}

static bool is_one(uint32_t bits)
{
    return bits && !(bits & (bits - 1));
}

TEST(task_keys_choose_the_partition_by_a_part_of_the_key)
{
    struct plan_phase p = {.separator = ",", .key_fields = 2, .partitions = 4};

    expect(spread(&p, "%d,x,v") == 15 && spread(&p, "x,%d,v") == 15);
    expect(is_one(spread(&p, "x,y,%d")));
    p.partition_fields = 1;
    expect(spread(&p, "%d,x,v") == 15 && is_one(spread(&p, "x,%d,v")));
    p.key_separator = "-"; /* of which the key has none */
    expect(spread(&p, "x,%d,v") == 15 && is_one(spread(&p, "x-%d,y,v")));
    p.key_separator = NULL;
    p.partition_by = "-k2,2";
    expect(is_one(spread(&p, "%d,x,v")) && spread(&p, "x,%d,v") == 15);
    p.order = "-k1,1n";
    expect(is_one(spread(&p, "%d,x,v")) && spread(&p, "x,%d,v") == 15);
    p.partition_by = NULL;
    p.partition_fields = 0;
    expect(spread(&p, "%d,x,v") == 15 && spread(&p, "x,%d,v") == 15 &&
           is_one(spread(&p, "x,y,%d")));
    p.partitions = 1;
    expect(spread(&p, "%d,x,v") == 1);
}

/* ---- records as lines ---- */

struct listed {
    const struct data_record *at;
    uint32_t left;
};

static int next_listed(void *ctx, struct data_record *r, struct err *err)
{
    struct listed *l = ctx;

    (void)err;
    if (l->left == 0)
        return 0;
    *r = *l->at++;
    l->left--;
    return 1;
}

TEST(task_lines_put_the_separator_between_key_and_value)
{
    static const struct data_record records[] = {
        {"a", "b", 1, 1}, {"", "b", 0, 1}, {"a", NULL, 1, 0}};
    static const struct data_record ordered[] = {{"zz", "k,v,w", 2, 5}, {"z", "k", 1, 1}};
    struct plan_phase p = {.separator = ",", .key_fields = 1};
    struct listed l = {records, 3};
    struct task_lines lines = {.in = {next_listed, &l}, .of = &p};
    struct err err;
    const char *at;

    expect(task_lines_feed(&lines, &at, &err) == 10 && memcmp(at, "a,b\n,b\na,\n", 10) == 0);
    expect(lines.done == 3 && task_lines_feed(&lines, &at, &err) == 0);
    p.to_separator = "--";
    p.order = "-k1n"; /* then the value is the whole line */
    l = (struct listed){ordered, 2};
    expect(task_lines_feed(&lines, &at, &err) == 11 && memcmp(at, "k--v,w\nk--\n", 11) == 0);
    expect(lines.done == 5);
    vec_free(&lines.piece);
}

/* ---- what a command prints, sorted ---- */

TEST(task_output_deals_lines_out_in_order)
{
    struct task_plan plan = {0};
    struct command_folder f;
    struct sorted_file file;
    struct sorted_file_cursor c;
    struct data_record r;
    struct str text = {0};
    struct err err;
    uint64_t lines = 0;

    command_begin(&f);
    struct plan_phase *p = plan_add_phase(&plan, "a", "cat");
    p->partitions = p->tasks = 1;
    struct task_attempt t = {.plan = &plan, .phase = p, .scratch = "."};
    struct task_output *o = task_output_create(&t, NULL, NULL, NULL);
    expect(task_output_take(o, "b\t2\na", 6, &err) == 0 &&
           task_output_take(o, "\t1\nb", 4, &err) == 0);
    int fd = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    expect(task_output_finish(o, fd, &lines, &err) == 0 && lines == 3);
    task_output_destroy(o);
    task_output_destroy(NULL);
    close(fd);
    expect(sorted_file_open(&file, "out", &err) == 0 && file.partitions == 1);
    expect(sorted_file_begin(&file, 0, &c, &err) == 0);
    while (sorted_file_next(&c, &r, &err) > 0)
        str_addf(&text, "%.*s=%.*s ", (int)r.key_length, r.key, (int)r.value_length, r.value);
    expect(text_was(&text, "a=1 b=2 b= "));
    str_free(&text);
    sorted_file_end(&c);
    sorted_file_close(&file);
    plan_fini(&plan);
    command_end(&f);
}
