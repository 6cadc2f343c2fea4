/* What is wrong with traces, and that it is said. */
#include "inputs/trace/trouble.h"

#include "base/mem.h"
#include "inputs/formats/sample_test.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/streaming.h"
#include "tests/unit/test.h"

#define HEAD                                                                                       \
    "#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_ms\tend\tmachine\tclass\tprio\tcpu\tram\t"   \
    "disk\n"
#define ROW(job, task, from, to)                                                                   \
    job "\t" task "\t1\t0\t" from "\t" to "\tFINISH\t1\t0\t2\t0\t0\t0\n"
#define FINE ROW("1", "1", "1", "2") ROW("1", "2", "1", "2") ROW("1", "3", "1", "2")

static uint64_t count_of(const char *trace, enum trouble_kind kind, uint64_t jobs)
{
    struct sample_trace s;
    sample_begin(&s, trace, NULL);
    uint64_t count = s.import ? s.import->trouble.kinds[kind].count : 0;
    if (!s.import || s.count != jobs)
        printf("%s, %u jobs\n", s.import ? "read" : s.err.text, s.count);
    expect(s.import && s.count == jobs);
    sample_end(&s);
    return count;
}

TEST(trouble_of_lines_is_counted_and_the_rest_runs)
{
    expect(count_of(HEAD FINE "1\t2\n", TROUBLE_COLUMNS, 1) == 1);
    expect(count_of(HEAD FINE ROW("1", "4", "x", "2"), TROUBLE_NUMBER, 1) == 1);
    expect(count_of(HEAD FINE "1\t4\t1\t0\t1\t2\tGONE\t1\t0\t2\t0\t0\t0\n", TROUBLE_WORD, 1) == 1);
    expect(count_of(HEAD FINE ROW("1", "4", "-3", "2"), TROUBLE_NEGATIVE, 1) == 1);
    expect(count_of(HEAD FINE ROW("1", "4", "3", "2"), TROUBLE_BACKWARDS, 1) == 1);
    expect(count_of(HEAD FINE ROW("1", "3", "5", "9"), TROUBLE_DUPLICATE, 1) == 1);
    expect(count_of(HEAD FINE ROW("", "3", "5", "9"), TROUBLE_TEXT, 1) == 1);
    expect(count_of(HEAD FINE, TROUBLE_DUPLICATE, 1) == 0);
    expect(count_of("M1,1,j,A,Terminated,1,2,,\nM1,2,j,A,Terminated,1,2,,\n", TROUBLE_DUPLICATE,
                    1) == 1);
    expect(count_of("M1,1,j,A,Terminated,1,2,,\nM2,-2,j,A,Terminated,1,2,,\n", TROUBLE_NEGATIVE,
                    1) == 1);
}

/* Where a line is a job, a bad one leaves no part of it. */
TEST(trouble_of_a_line_that_is_a_job_leaves_out_the_job)
{
    expect(count_of("a\t1\t1\t9\t9\t9\nb\t-2\t1\t9\t9\t9\nc\t3\t1\t9\t0\t9\n", TROUBLE_NEGATIVE,
                    2) == 1);
    expect(count_of("3 2\n1 0 1 5 1 7:3\n2 -5 1 5 2 7:3 8:4\n", TROUBLE_NEGATIVE, 1) == 1);
    expect(count_of("1 2 3 3 3\n2 2 3 3 -3\n3 1 2 2\n", TROUBLE_NEGATIVE, 2) == 1);
    expect(count_of("1 2 3 3 3\n-2 2 3 3 3\n3 1 2 2\n", TROUBLE_NEGATIVE, 2) == 1);
    expect(count_of("1 2 3 3 3\n2 2 3 3 3x\n3 1 2 2\n", TROUBLE_NUMBER, 2) == 1);
    expect(count_of("1 2 3 3 3\n2 3 3 3 3\n3 1 2 2\n", TROUBLE_COLUMNS, 2) == 1);
}

/* Ten phases of ten million tasks are the most that a job may have. */
TEST(trouble_of_limits_leaves_out_the_job)
{
    static const char phase[] = "M%d,%d,j,A,Terminated,1,2,,\n";
    static const char small[] = "M1,1,k,A,Terminated,1,2,,\n";
    struct str text = {0};

    for (int i = 1; i <= 10; i++)
        str_addf(&text, phase, i, JOB_TASKS_MAX);
    str_add(&text, small);
    expect(count_of(text.text, TROUBLE_LIMIT, 2) == 0);
    str_cut(&text, text.length - strlen(small));
    str_addf(&text, phase, 11, 1);
    str_add(&text, small);
    expect(count_of(text.text, TROUBLE_LIMIT, 1) == 1);
    str_free(&text);
}

/* One row is cut off behind its status, and one has no time. */
TEST(trouble_of_nextflow_is_said)
{
    static const char trace[] = "name\tstatus\trealtime\na\tCOMPLETED\t5\nb\tCOMPLETED\n"
                                "c\tFAILED\t-\n";
    struct sample_trace s;
    expect(count_of(trace, TROUBLE_COLUMNS, 1) == 1);
    sample_begin(&s, trace, NULL);
    expect(s.import->survey->not_started == 1 && s.import->survey->tasks == 1);
    sample_end(&s);
}

TEST(trouble_of_graphs_leaves_the_job)
{
    expect(count_of("M1,1,j,A,Terminated,1,2,,\nR2_1_9,1,j,A,Terminated,1,2,,\n", TROUBLE_PARENT,
                    1) == 1);
    expect(count_of("M1_2,1,j,A,Terminated,1,2,,\nR2_1,1,j,A,Terminated,1,2,,\n", TROUBLE_CYCLE,
                    1) == 1);
    expect(count_of("M1_1,1,j,A,Terminated,1,2,,\n", TROUBLE_CYCLE, 1) == 1);
    expect(count_of("M1,1,j,A,Terminated,1,2,,\nM2,99999999,k,A,Terminated,1,2,,\n", TROUBLE_LIMIT,
                    1) == 1);
}

TEST(trouble_names_file_and_line)
{
    struct sample_trace s;
    sample_begin(&s, HEAD FINE "1\t2\n", NULL);
    const struct trouble *t = &s.import->trouble;
    char want[64];
    snprintf(want, sizeof want, "%s:5", s.file.path);
    expect(!strcmp(trouble_place(t, t->kinds[TROUBLE_COLUMNS].first).text, want));
    expect(t->rows == 4 && t->bad == 1);
    sample_end(&s);
}

TEST(trouble_with_more_than_half_is_an_error_and_half_is_not)
{
    struct sample_trace s;
    sample_begin(&s, HEAD ROW("1", "1", "1", "2") "bad\n", NULL);
    expect(s.import && s.count == 1);
    sample_end(&s);
    sample_begin(&s, HEAD ROW("1", "1", "1", "2") "bad\nbad\n", NULL);
    expect(!s.import && scratch_blames(&s.file, s.err.text, 3, "too few columns; 2 of 3 rows"));
    sample_end(&s);
}

TEST(trouble_stops_a_strict_reading_at_once)
{
    struct scratch file = scratch_write(HEAD "bad\nbad\n" FINE, strlen(HEAD "bad\nbad\n" FINE));
    struct trace_request q = REQUEST_DEFAULT;
    struct err err;
    q.is_strict = true;
    vec_push(&q.files.texts, file.path);
    expect(request_open(&q, &err) == NULL && scratch_blames(&file, err.text, 2, "too few columns"));
    request_fini(&q);
    scratch_remove(&file);
}

/* Jobs of a format in order that are not: left out, unless they are sorted. */
TEST(trouble_with_the_order_is_said_and_sorting_mends_it)
{
    static const char late[] = "a\t5\t5\t1\t0\t1\nb\t9\t4\t1\t0\t1\nc\t7\t4\t1\t0\t1\n";
    expect(count_of(late, TROUBLE_ORDER, 2) == 1);
    struct scratch file = scratch_write(late, sizeof late - 1);
    struct trace_request q = REQUEST_DEFAULT;
    struct err err;
    q.is_sorted = true;
    vec_push(&q.files.texts, file.path);
    struct import *m = request_open(&q, &err);
    expect(m && m->survey->jobs == 3 && m->trouble.bad == 0);
    import_close(m);
    request_fini(&q);
    scratch_remove(&file);
}

TEST(trouble_with_assumptions_is_named_with_the_nearest)
{
    struct assume a = assume_defaults();
    struct err err;
    expect(assume_set(&a, "block=128M", &err) == 0 && a.block == 128 << 20);
    expect(assume_set(&a, "blok=1", &err) < 0);
    expect(!strcmp(err.text, "--assume: unknown key 'blok', did you mean 'block'?"));
    expect(assume_set(&a, "xyzzy=1", &err) < 0);
    expect(!strcmp(err.text, "--assume: unknown key 'xyzzy'; `dolly trace formats` lists them"));
    expect(assume_set(&a, "block", &err) < 0);
    expect(!strcmp(err.text, "--assume 'block' has no value; expected KEY=VALUE"));
    expect(assume_set(&a, "load=2", &err) < 0 && assume_set(&a, "block=x", &err) < 0);
    expect(strstr(err.text, "--assume block must be ") && strstr(err.text, ", not 'x'"));
    expect(a.block == 128 << 20);
    expect(assume_set(&a, "failed=time", &err) == 0 && a.failed == ASSUME_FAILED_TIME);
}

TEST(trouble_with_formats_is_named_with_the_nearest)
{
    struct err err;
    expect(formats_find("swim", &err) == &swim_format);
    expect(!formats_find("swin", &err) && err.kind == ERR_INPUT);
    expect(!strcmp(err.text, "--format: unknown format 'swin', did you mean 'swim'?"));
    expect(!formats_find("xyzzy", &err));
    expect(!strcmp(err.text, "--format: unknown format 'xyzzy'; `dolly trace formats` lists them"));
}

/* There is nothing in it; nothing of the format that was chosen; nothing that ran. */
TEST(trouble_with_traces_that_have_no_jobs)
{
    static const struct {
        const char *text, *format, *why;
    } rows[] = {
        {"", NULL, "has no jobs: it is empty"},
        {"\n", "swim", "has no jobs of the format swim; without --format it is detected"},
        {"M1,1,j,A,Waiting,0,0,,\n", "alibaba2018-task",
         "has no jobs of the format alibaba2018-task; without --format it is detected"},
        {"M1,1,j,A,Waiting,0,0,,\n", NULL,
         "has no jobs: it looks like alibaba2018-task, but no task in it ran"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scratch file = scratch_write(rows[i].text, strlen(rows[i].text));
        struct trace_request q = REQUEST_DEFAULT;
        struct err err = {.text = ""};
        q.format = rows[i].format;
        vec_push(&q.files.texts, file.path);
        expect(!request_open(&q, &err) && err.kind == ERR_INPUT);
        expect(scratch_blames(&file, err.text, 0, rows[i].why));
        request_fini(&q);
        scratch_remove(&file);
    }
}

static int take_row(void *ctx, const struct row *row, struct err *err)
{
    (void)row;
    (void)err;
    ++*(int *)ctx;
    return 0;
}

/* Only the count of members says that there are that many. */
TEST(trouble_with_too_many_files_in_a_trace)
{
    struct scratch file = scratch_write(HEAD FINE, sizeof(HEAD FINE) - 1);
    const char *path = file.path;
    struct import_options options = {.formats = formats_table,
                                     .paths = &path,
                                     .path_count = 1,
                                     .assume = assume_defaults(),
                                     .memory = IMPORT_MEMORY_MIN};
    struct trouble t = {0};
    struct err err;
    int rows = 0;
    t.members.count = TROUBLE_MEMBERS_MAX - 1;
    struct feed *f = feed_create(&options, &t, NULL, take_row, &rows);
    expect(feed_step(f, &err) == -1 && err.kind == ERR_INPUT && rows == 0);
    expect(scratch_blames(&file, err.text, 0, "too many files in one trace"));
    feed_destroy(f);
    t.members.count = 0;
    trouble_fini(&t);
    scratch_remove(&file);
}

/* Two jobs arrive at one time. Each fits, or both do. */
TEST(trouble_with_more_jobs_of_one_time_than_fit)
{
    static const char trace[] = "a\t1\t1\t9\t9\t9\nb\t1\t0\t9\t9\t9\nc\t3\t2\t9\t9\t9\n";
    struct scratch file = scratch_write(trace, sizeof trace - 1);
    const char *path = file.path;
    struct import_options options = {.formats = formats_table,
                                     .format = &swim_format,
                                     .paths = &path,
                                     .path_count = 1,
                                     .assume = assume_defaults()};
    struct streaming_job job;
    size_t both = 0;
    for (int pass = 0; pass < 3; pass++) { /* for the bytes; with room for them; for one less */
        struct trouble t = {0};
        struct survey *survey = survey_create();
        struct streaming s;
        struct err err;
        int got, jobs = 0;
        options.memory = pass == 0 ? SIZE_MAX : 4 * (both - (pass == 2));
        streaming_init(&s, &options, &t, (struct draft_context){&options.assume, &t, survey});
        for (; (got = streaming_next(&s, &job, &err)) > 0; jobs++) {
            if (pass == 0 && jobs == 0)
                both = s.held_bytes;
            mem_free(job.packed);
        }
        expect(pass < 2 ? got == 0 && jobs == 3 && !s.is_crowded : got == -1 && s.is_crowded);
        expect(pass < 2 || (jobs == 0 && err.kind == ERR_INPUT));
        expect(pass < 2 ||
               !strcmp(err.text, "more jobs arrive at one time than fit into --memory"));
        streaming_fini(&s);
        survey_destroy(survey);
        trouble_fini(&t);
    }
    scratch_remove(&file);
}
