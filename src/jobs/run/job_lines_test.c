#include "jobs/run/job_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/unit/command.h"

/* Reads the text as a file. Returns true if its lines are these, each pair with its number; else
 * prints both. */
static bool reads(const char *text, const char *expected)
{
    struct job_lines l = {0};
    struct str got = {0};
    struct err err = {0};
    command_file("job.yaml", text);
    if (job_lines_read(&l, "job.yaml", &err) < 0)
        str_add(&got, err.text);
    else
        for (uint32_t i = 0; i < l.lines.count; i++) {
            const struct line *line = &l.lines.at[i];
            str_addf(&got, "%" PRIu64 " %s %s", line->number, line->word,
                     line->name ? line->name : "-");
            for (uint32_t k = 0; k < line->pairs.count; k++)
                str_addf(&got, " %" PRIu64 ":%s=%s", line->pairs.at[k].number,
                         line->pairs.at[k].key, line->pairs.at[k].value);
            str_add(&got, "\n");
        }
    bool same = strcmp(got.text ? got.text : "", expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", got.text ? got.text : "", expected);
    str_free(&got);
    job_lines_fini(&l);
    return same;
}

TEST(job_lines_are_the_same_in_yaml_and_in_lines)
{
    struct command_folder f;
    command_begin(&f);
    expect(reads("name: sort\ninput: [a, b]\nenv: {X: 1, Y: two}\nphases:\n"
                 "- name: map\n  run: cat\n- name: reduce\n  run: uniq -c\n",
                 "1 job sort 2:input=a 2:input=b 3:env=X=1 3:env=Y=two\n"
                 "5 phase map 6:run=cat\n"
                 "7 phase reduce 8:run=uniq -c\n"));
    expect(reads("# a comment\njob sort input=a\n  phase map run=cat\n",
                 "2 job sort 2:input=a\n3 phase map 3:run=cat\n"));
    expect(reads("name: one\nname: two\nphases: []\n", "1 job one 2:name=two\n"));
    command_end(&f);
}

TEST(job_lines_say_where_yaml_is_wrong)
{
    static const char *const rows[][2] = {
        {"", "job.yaml:1: the file is empty"},
        {"- a\n", "job.yaml:1: expected a mapping: `name: ...`, `input: ...`, `phases: ...`"},
        {"name: x\nphases: y\n", "job.yaml:2: phases: expected a list"},
        {"phases:\n- y\n", "job.yaml:2: expected a mapping: `name: ...`, `run: ...`"},
        {"name: &a x\n", "job.yaml:1: anchors and tags are not supported"},
        {"name: !t x\n", "job.yaml:1: anchors and tags are not supported"},
        {"input: &a [x]\n", "job.yaml:1: anchors and tags are not supported"},
        {"env: !t {x: y}\n", "job.yaml:1: anchors and tags are not supported"},
        {"name: \"a\\0b\"\n", "job.yaml:1: a value has a zero byte"},
        {"input: [[x]]\n", "job.yaml:1: an item of the list is missing; expected a word"},
        {"env: {x: [y]}\n", "job.yaml:1: a value is missing; expected a word"},
        {"[a]: b\n", "job.yaml:1: a key is missing; expected a word"},
        {"name: x\n---\nname: y\n", "job.yaml:2: expected one job, and nothing after it"},
        {"name: x\nb: *a\n", "job.yaml:2: aliases are not supported; write the value again"},
    };
    struct command_folder f;
    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(reads(rows[i][0], rows[i][1]));
    command_end(&f);
}
