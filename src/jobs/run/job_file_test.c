/* What a job's file must not say. run.sh has the rest. */
#include "jobs/run/job_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "jobs/run/native_bind.h"
#include "tests/unit/command.h"

static bool refuses(const char *phases, const char *why)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct err err = {0};
    char text[500];

    snprintf(text, sizeof text, "{input: in, output: out, phases: [%s]}\n", phases);
    command_file("job.yaml", text);
    int result = job_file_read(&job, &lines, "job.yaml", &err);
    bool found = result < 0 && strstr(err.text, why);
    if (!found)
        printf("%s: %d, %s\n", phases, result, err.text);
    datajob_fini(&job);
    job_lines_fini(&lines);
    return found;
}

TEST(job_file_refuses_phases_that_do_not_fit)
{
    struct command_folder f;
    command_begin(&f);
    expect(refuses("{name: a, run: cat, order: -k1n}, {name: b, after: a, native: x.so}",
                   "functions read keys in the order of their bytes, and phase 'a' has another"));
    expect(refuses("{name: a, run: cat}, {name: b, run: cat}", "only the first phase reads"));
    expect(refuses("{name: a, run: cat}, {name: b, after: c, run: cat}", "'c'"));
    expect(
        refuses("{name: a, run: cat}, {name: b, after: a, pattern: one-to-one, tasks: 3, run: "
                "cat}",
                "tasks: expected as many as in the phase above, because this one is one-to-one"));
    expect(refuses("{name: a, native: x.so, order: -k1n}",
                   "order: expected only where a command prints the keys"));
    expect(refuses("{name: a, run: cat, sim: {time: 1s, output: much}}",
                   "output: 'much' is not a size"));
    expect(refuses("{name: a, run: cat, sim: {tim: 1s}}",
                   "sim: 'tim=1s' is neither time, journal nor output"));
    command_end(&f);
}

TEST(job_file_names_no_objects_with_paths_that_are_too_long)
{
    struct task_plan plan = {0};
    struct err err = {0};
    char path[PATH_MAX + 1];

    memset(path, 'x', PATH_MAX);
    path[PATH_MAX] = 0;
    struct plan_phase *p = plan_add_phase(&plan, "a", "");
    expect(native_bind(&plan, p, path, &err) == -1 && err.kind == ERR_INPUT);
    expect(strcmp(err.text, "expected the path of a shared object, not "
                            "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'") == 0);
    path[PATH_MAX - 1] = 0;
    expect(native_bind(&plan, p, path, &err) == -1 && strncmp(err.text, "xxxxxxxx", 8) == 0);
    expect(!p->native && !p->functions && !p->native_hash);
    plan_fini(&plan);
}

/* Each key of a job and of its phases, where it belongs. */
TEST(job_file_takes_each_key)
{
    struct command_folder f;
    struct job_lines lines = {0};
    struct datajob j = {0};
    struct err err = {0};

    command_begin(&f);
    command_file("one", "");
    command_file("two", "");
    command_file("a.tar", "");
    command_file("b.tar", "");
    command_file("job.yaml",
                 "name: mine\nuser: me\nqueue: q\nweight: 2\nrunning_max: 3\napp: z\n"
                 "input: [in1, in2]\noutput: out\nsplit: 5M\nsplit_lines: 7\n"
                 "files: [one, two#second]\narchives: [a.tar, b.tar#bee]\n"
                 "env: {X: 1, Y: 2}\npolicy: late\nset: {a: 1, b: 2}\nslots: 4\nnodes: 2x3\n"
                 "compress: lz4\n"
                 "phases:\n"
                 "- name: map\n  run: cat\n  combine: uniq\n  separator: ','\n"
                 "  key_separator: ';'\n  order: -k1n\n  partition_by: -k2\n  key_fields: 2\n"
                 "  partition_fields: 1\n  memory_limit: 64M\n  timeout: 5\n"
                 "  sort_memory: 1M\n  compress: zstd\n  cpu: 2\n  mem: 1G\n"
                 "  clone: never\n  expect: 3s\n  expect_dev: 1s\n"
                 "- name: reduce\n  after: map\n  run: wc\n  tasks: 6\n  slowstart: 50%\n"
                 "- name: end\n  after: reduce\n  run: tac\n  pattern: one-to-one\n");
    expect(job_file_read(&j, &lines, "job.yaml", &err) == 0);
    if (err.text[0])
        printf("%s\n", err.text);
    expect(!strcmp(j.plan.job, "mine") && !strcmp(j.output, "out") && j.codec == CODEC_LZ4);
    expect(!strcmp(j.job_keys.text, " user=me queue=q weight=2 running_max=3 app=z"));
    expect(j.inputs.texts.count == 2 && !strcmp(j.inputs.texts.at[1], "in2"));
    expect(j.piece_bytes == 5 << 20 && j.piece_lines == 7 && j.run.slots == 4);
    expect(j.plan.files.count == 2 && !strcmp(j.plan.files.at[0].name, "one") &&
           !strcmp(j.plan.files.at[1].name, "second"));
    expect(j.archives.count == 2 && !strcmp(j.archives.at[0].name, "a.tar") &&
           !strcmp(j.archives.at[1].name, "bee"));
    expect(j.plan.env.count == 2 && !strcmp(j.plan.env.at[0], "X=1") &&
           !strcmp(j.plan.env.at[1], "Y=2"));
    expect(!strcmp(j.run.policy, "late") && !strcmp(j.run.nodes, "2x3"));
    expect(j.run.settings.texts.count == 2 && !strcmp(j.run.settings.texts.at[1], "b=2"));
    expect(j.plan.phases.count == 3 && j.keys.count == 3);
    const struct plan_phase *p = j.plan.phases.at;
    expect(!strcmp(p[0].command, "cat") && !strcmp(p[0].combiner, "uniq") && !p[1].combiner);
    expect(!strcmp(p[0].separator, ",") && !strcmp(p[0].key_separator, ";"));
    expect(!strcmp(p[0].order, "-k1n") && !strcmp(p[0].partition_by, "-k2"));
    expect(p[0].key_fields == 2 && p[0].partition_fields == 1 && p[0].memory_limit == 64 << 20);
    expect(p[0].quiet_us == 5000000 && p[0].memory == 1 << 20 && p[0].codec == CODEC_ZSTD);
    expect(p[0].above == PLAN_INPUTS && p[0].partitions == 6 && p[1].tasks == 6);
    expect(p[1].above == 0 && p[1].partitions == 0 && p[2].above == 1 && p[2].tasks == 0);
    expect(p[1].quiet_us == PLAN_QUIET_US && p[1].codec == CODEC_LZ4 && p[1].key_fields == 1);
    expect(!strcmp(p[1].separator, "\t") && !p[1].key_separator && p[1].memory_limit == 0);
    expect(!strcmp(j.keys.at[0].text, " cpu=2 mem=1G clone=never expect=3s expect_dev=1s"));
    expect(!strcmp(j.keys.at[1].text, " slowstart=50%"));
    expect(!strcmp(j.keys.at[2].text, " pattern=one-to-one"));
    datajob_fini(&j);
    job_lines_fini(&lines);
    command_end(&f);
}

TEST(job_file_refuses_jobs_that_lack_something)
{
    static const char *const rows[][2] = {
        {"output: o\nphases: [{name: a, run: cat}]\n",
         "job.yaml:1: a job without an input; expected `input: PATH`"},
        {"input: i\nphases: [{name: a, run: cat}]\n",
         "job.yaml:1: a job without an output; expected `output: PATH`"},
        {"input: i\noutput: o\n", "job.yaml:1: a job without phases; expected `phases: [...]`, or "
                                  "lines `phase NAME ...`"},
        {"input: i\noutput: o\nenv: [X]\n", "job.yaml:3: env: expected NAME=VALUE, not 'X'"},
        {"input: i\noutput: o\nenv: ['=X']\n", "job.yaml:3: env: expected NAME=VALUE, not '=X'"},
        {"input: i\noutput: o\nphases:\n- run: cat\n",
         "job.yaml:4: a phase without a name; expected `name: NAME`"},
        {"input: i\noutput: o\nphases:\n- name: a\n",
         "job.yaml:4: phase 'a' has nothing to do; expected `run: COMMAND` or `native: FILE`"},
        {"input: i\noutput: o\nphases:\n- {name: a, run: cat, native: x.so}\n",
         "job.yaml:4: phase 'a' has two things to do; expected `run: COMMAND` or `native: FILE`"},
        {"input: i\noutput: o\nphases:\n- {name: a, run: cat}\n- {name: a, after: a, run: cat}\n",
         "job.yaml:5: phase 'a' already exists"},
        {"input: i\noutput: o\nphases:\n- {name: a, run: cat}\n- {name: b, after: 'a,a', run: "
         "cat}\n",
         "job.yaml:5: after: a phase reads one phase; expected a single name"},
        {"input: i\noutput: o\nphases:\n- {name: a, run: cat}\n- {name: b, after: a, run: cat}\n"
         "- {name: c, after: a, run: cat}\n",
         "job.yaml:6: after: phase 'a' is read by 'b' already"},
    };
    struct command_folder f;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job_lines lines = {0};
        struct datajob j = {0};
        struct err err = {0};
        command_file("job.yaml", rows[i][0]);
        expect(job_file_read(&j, &lines, "job.yaml", &err) < 0);
        if (strcmp(err.text, rows[i][1]) != 0)
            printf("%s\n", err.text);
        expect(!strcmp(err.text, rows[i][1]));
        datajob_fini(&j);
        job_lines_fini(&lines);
    }
    command_end(&f);
}

/* Reads a job of two phases with keys of its own and of the second phase. Returns what refused it,
 * without the place, or "". */
static const char *refusal(const char *job_keys, const char *phase_keys)
{
    static char said[ERR_TEXT_MAX];
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct err err = {.text = ""};
    struct str text = {0};

    str_addf(&text, "{input: in, output: out, %s%s", job_keys, *job_keys ? ", " : "");
    str_addf(&text, "phases: [{name: a, run: cat}, {name: b, after: a, run: cat, %s}]}\n",
             *phase_keys ? phase_keys : "cpu: 1");
    command_file("job.yaml", text.text);
    int result = job_file_read(&job, &lines, "job.yaml", &err);
    snprintf(said, sizeof said, "%s", result < 0 ? err.text : "");
    datajob_fini(&job);
    job_lines_fini(&lines);
    str_free(&text);
    const char *why = strstr(said, ": ");
    return why ? why + 2 : said;
}

/* The least and the largest value of each key, and those beside them. */
TEST(job_file_keeps_the_bounds_of_its_keys)
{
    static const struct {
        bool of_phase;
        const char *key, *below, *least, *most, *above, *expected;
    } rows[] = {
        {false, "split", "0", "1", "1024T", "1025T", "a size from 1 to 1024T, such as 64M or 1G"},
        {false, "split_lines", "0", "1", "4294967295", "4294967296",
         "a whole number from 1 to 4294967295"},
        {false, "slots", "0", "1", "100000", "100001", "a whole number from 1 to 100000"},
        {true, "tasks", "0", "1", "1048576", "1048577", "a whole number from 1 to 1048576"},
        {true, "key_fields", "0", "1", "1000000", "1000001", "a whole number from 1 to 1000000"},
        {true, "partition_fields", "0", "1", "1000000", "1000001",
         "a whole number from 1 to 1000000"},
        {true, "memory_limit", "1048575", "1M", "1024T", "1025T",
         "a size from 1M to 1024T, such as 64M or 1G"},
        {true, "timeout", "-1", "0", "1000000", "1000001",
         "a time from 0s to 1000000s, such as 250ms, 5s or 2h"},
        {true, "sort_memory", "65535", "64K", "4294967295", "4G",
         "a size from 64K to 4294967295, such as 64M or 1G"},
        {true, "separator", NULL, "a", "b", "ab", "at most 1 byte"},
        {true, "key_separator", NULL, "a", "b", "ab", "at most 1 byte"},
        {true, "compress", "0", "plain", "zstd", "zip", "plain, lz4 or zstd"},
        {false, "compress", "0", "plain", "lz4", "zip", "plain, lz4 or zstd"},
    };
    struct command_folder f;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *values[] = {rows[i].below, rows[i].least, rows[i].most, rows[i].above};
        for (int k = 0; k < 4; k++) {
            char pair[64], want[200] = "";
            if (!values[k])
                continue; /* a key without a value is refused as such */
            snprintf(pair, sizeof pair, "%s: %s", rows[i].key, values[k]);
            if (k == 0 || k == 3)
                snprintf(want, sizeof want, "%s=%s of %s is wrong; expected %s", rows[i].key,
                         values[k], rows[i].of_phase ? "phase" : "job", rows[i].expected);
            const char *said = refusal(rows[i].of_phase ? "" : pair, rows[i].of_phase ? pair : "");
            if (strcmp(said, want) != 0)
                printf("%s: \"%s\", not \"%s\"\n", pair, said, want);
            expect(strcmp(said, want) == 0);
        }
    }
    command_end(&f);
}

/* All that is refused about what phases are to each other, to the letter. */
TEST(job_file_says_which_phases_do_not_fit)
{
    static const char *const rows[][2] = {
        {"", "a job without phases; expected `phases: [...]`, or lines `phase NAME ...`"},
        {"{run: cat}", "a phase without a name; expected `name: NAME`"},
        {"{name: a}",
         "phase 'a' has nothing to do; expected `run: COMMAND` or `native: FILE`"},
        {"{name: a, run: cat, native: x.so}",
         "phase 'a' has two things to do; expected `run: COMMAND` or `native: FILE`"},
        {"{name: a, run: cat}, {name: a, after: a, run: cat}", "phase 'a' already exists"},
        {"{name: a, run: cat}, {name: b, run: cat}",
         "only the first phase reads the input; expected `after: PHASE`"},
        {"{name: a, run: cat}, {name: b, after: c, run: cat}",
         "after: no phase above is called 'c'"},
        {"{name: a, after: a, run: cat}", "after: no phase above is called 'a'"},
        {"{name: a, run: cat}, {name: b, after: b, run: cat}",
         "after: no phase above is called 'b'"},
        {"{name: a, run: cat}, {name: b, after: 'a,c', run: cat}",
         "after: a phase reads one phase; expected a single name"},
        {"{name: a, run: cat}, {name: b, after: a, run: cat}, {name: c, after: a, run: cat}",
         "after: phase 'a' is read by 'b' already"},
        {"{name: a, run: cat, order: -k1n}, {name: b, after: a, native: x.so}",
         "native: functions read keys in the order of their bytes, and phase 'a' has another "
         "order"},
        {"{name: a, native: x.so, order: -k1n}",
         "order: expected only where a command prints the keys"},
        {"{name: a, native: nosuch.so}", "native: nosuch.so: No such file or directory"},
    };
    struct command_folder f;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job_lines lines = {0};
        struct datajob job = {0};
        struct err err = {.text = ""};
        char text[300];
        snprintf(text, sizeof text, "{input: in, output: out%s%s%s}\n",
                 *rows[i][0] ? ", phases: [" : "", rows[i][0], *rows[i][0] ? "]" : "");
        command_file("job.yaml", text);
        expect(job_file_read(&job, &lines, "job.yaml", &err) == -1 && err.kind == ERR_INPUT);
        const char *why = strstr(err.text, ": ");
        bool same = why && strcmp(why + 2, rows[i][1]) == 0;
        if (!same)
            printf("%s: \"%s\", not \"%s\"\n", rows[i][0], err.text, rows[i][1]);
        expect(same);
        datajob_fini(&job);
        job_lines_fini(&lines);
    }
    command_end(&f);
}

/* One character is enough for each text that may be so short. */
TEST(job_file_takes_texts_of_one_character)
{
    static const struct {
        const char *job, *phase;
    } rows[] = {
        {"user: u", ""},
        {"queue: q", ""},
        {"weight: 2", ""},
        {"running_max: 3", ""},
        {"app: z", ""},
        {"policy: p", ""},
        {"nodes: n", ""},
        {"", "cpu: 2"},
        {"", "mem: 0"},
        {"", "x: 2"},
        {"", "y: 2"},
        {"", "expect: 3"},
        {"", "expect: 3, expect_dev: 1"},
        {"", "slowstart: 5"},
        {"", "combine: c"},
    };
    struct command_folder f;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *why = refusal(rows[i].job, rows[i].phase);
        if (*why)
            printf("%s%s: %s\n", rows[i].job, rows[i].phase, why);
        expect(!*why);
    }
    command_end(&f);
}

/* A path has room for its end. */
TEST(job_file_bounds_the_path_of_its_output)
{
    struct command_folder f;
    char *text = mem_zalloc(PATH_MAX + 100, 1);

    command_begin(&f);
    for (size_t length = PATH_MAX - 2; length <= PATH_MAX; length++) {
        struct job_lines lines = {0};
        struct datajob job = {0};
        struct err err = {.text = ""};
        strcpy(text, "{input: in, phases: [{name: a, run: cat}], output: ");
        size_t from = strlen(text);
        memset(text + from, 'o', length);
        strcpy(text + from + length, "}\n");
        command_file("job.yaml", text);
        bool fits = length < PATH_MAX;
        expect((job_file_read(&job, &lines, "job.yaml", &err) == 0) == fits);
        expect(fits ? strlen(job.output) == length
                    : strstr(err.text, "is wrong; expected at most 4095 bytes") != NULL);
        datajob_fini(&job);
        job_lines_fini(&lines);
    }
    mem_free(text);
    command_end(&f);
}
