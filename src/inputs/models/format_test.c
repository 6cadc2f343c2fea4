#include "inputs/models/format.h"

#include <stdio.h>
#include <string.h>

#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

/* The name of the format that takes a file with this text; NULL: it cannot be read. */
static const char *format_of(const char *text, bool opens)
{
    struct scratch file = scratch_write(text, strlen(text));
    struct named_workload s;
    struct err err = {.text = ""};
    const char *name = format_find(&s, file.path, &err) == 0 ? s.format->name : NULL;
    struct workload *w = name && opens ? format_open(&s, NULL, 1, &err) : NULL;
    expect((w != NULL) == opens);
    if (w)
        w->destroy(w);
    format_fini(&s);
    scratch_remove(&file);
    return name;
}

TEST(format_is_found_by_what_it_knows)
{
    struct named_workload s;
    struct err err;
    expect(format_find(&s, "bing", &err) == 0 && !strcmp(s.format->name, "generated"));
    expect(s.model && !strcmp(s.model->name, "bing"));
    double rate = s.model->arrivals_per_s;
    format_scale(&s, 2);
    expect(s.model->arrivals_per_s == 2 * rate);
    format_fini(&s);
    expect(!strcmp(format_of("job a\nphase p\n", true), "file"));
    /* A comment may be longer than what is looked at, and the file may be empty. */
    static const char *const others[] = {"no workload\n", "", "\n        \n# model m\n",
                                         "nodes w[1-2]\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(!strcmp(format_of(others[i], false), "file"));
    char comment[400];
    memset(comment, 'x', sizeof comment);
    memcpy(comment, "# ", 2);
    strcpy(comment + 380, "\nmodel m\n");
    expect(format_of(comment, false) == NULL);
    expect(format_of("# a model\n model m cluster=x jobs=1\n", false) == NULL);
    expect(format_find(&s, "no/such", &err) == 0 && !format_open(&s, NULL, 1, &err));
    expect(!strcmp(err.text, "no/such: no workload file and no generated workload has this name"));
    format_fini(&s);
    expect(format_find(&s, "facebok", &err) == 0 && !format_open(&s, NULL, 1, &err));
    expect(strstr(err.text, "has this name; did you mean 'facebook'?"));
    format_fini(&s);
}

TEST(format_of_a_pipe_is_read_once)
{
    struct scratch file = scratch_write("job a\nphase p\n", 14);
    struct named_workload s;
    struct err err;
    for (int again = 0; again < 2; again++) {
        expect(format_find(&s, file.path, &err) == 0);
        s.reopened = again;
        struct workload *w = format_open(&s, NULL, 1, &err);
        expect(w);
        if (w)
            w->destroy(w);
        format_fini(&s);
        expect(format_find(&s, "/dev/null", &err) == 0);
        s.reopened = again;
        expect(!format_open(&s, NULL, 1, &err) && err.kind == ERR_INPUT);
        bool refused = strcmp(err.text, "/dev/null: several runs read the workload again, so it "
                                        "must be a plain file") == 0;
        expect(refused == again);
        format_fini(&s);
        expect(format_find(&s, "/", &err) == 0);
        s.reopened = again;
        expect(!format_open(&s, NULL, 1, &err));
        expect(!strcmp(err.text, "/: a directory; expected a file"));
        format_fini(&s);
    }
    expect(format_find(&s, "/dev/null/x", &err) == 0 && !format_open(&s, NULL, 1, &err));
    format_fini(&s);
    scratch_remove(&file);
}

TEST(format_scale_is_read_in_its_range)
{
    struct err err;
    double load = 7;
    expect(format_take_scale(&load, "load=0.01", &err) == 0 && load == 0.01);
    expect(format_take_scale(&load, "load=100", &err) == 0 && load == 100);
    expect(format_take_scale(&load, "load=100.1", &err) < 0 && load == 100);
    expect(format_take_scale(&load, "2", &err) < 0 && load == 100);
}

TEST(formats_are_all_documented)
{
    FILE *f = fopen("docs/reference/workload-file.md", "r");
    char text[16384], row[256];
    if (!f) {
        test_skip("no folder docs here");
        return;
    }
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const struct format *t = format_table; t->name; t++) {
        snprintf(row, sizeof row, "\n| %s | %s |", t->name, t->help);
        expect(strstr(text, row) != NULL);
    }
}
