/* Jobs from rows, whatever the format: what becomes of each fact, and what is counted.
 *
 * Rows are written as lines "KIND PHASE TASK KEY=VALUE ...", with - for no name; times in us. */
#include "inputs/trace/assemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/text.h"
#include "inputs/trace/job_pack.h"
#include "tests/unit/test.h"

/* ---- rows ---- */

static const char *const kinds[] = {"job", "phase", "task", "end", "submit", "start", "attempt"};
static const char *const ends[] = {"done", "failed", "killed", "evicted", "lost", "running",
                                   "waiting"};

static uint32_t index_of(const char *const *words, uint32_t count, struct row_text word)
{
    uint32_t i = 0;
    while (i < count && !row_text_is(word, words[i]))
        i++;
    check(i < count);
    return i;
}

/* The text up to one of the characters, which is skipped. */
static struct row_text cut(const char **at, const char *ends_with)
{
    struct row_text t = {*at, strcspn(*at, ends_with)};
    *at += t.length;
    *at += **at && strchr(ends_with, **at) ? 1 : 0;
    return t;
}

static void take_key(struct row *r, struct row_text key, struct row_text value)
{
    const struct {
        const char *name;
        int64_t *whole;
        double *real;
        bool *flag;
        struct row_text *text;
    } keys[] = {
        {"submit", &r->submit_us, NULL, NULL, NULL},
        {"from", &r->start_us, NULL, NULL, NULL},
        {"to", &r->end_us, NULL, NULL, NULL},
        {"number", &r->attempt, NULL, NULL, NULL},
        {"mean", &r->mean_us, NULL, NULL, NULL},
        {"span", &r->span_us, NULL, NULL, NULL},
        {"limit", &r->limit_us, NULL, NULL, NULL},
        {"tasks", &r->tasks, NULL, NULL, NULL},
        {"in", &r->input_bytes, NULL, NULL, NULL},
        {"out", &r->output_bytes, NULL, NULL, NULL},
        {"cpu", NULL, &r->cpu, NULL, NULL},
        {"mem", NULL, &r->mem, NULL, NULL},
        {"share", NULL, NULL, &r->is_share, NULL},
        {"mem_share", NULL, NULL, &r->is_mem_share, NULL},
        {"gang", NULL, NULL, &r->is_gang, NULL},
        {"by_task", NULL, NULL, &r->tasks_are_parents, NULL},
        {"after", NULL, NULL, NULL, &r->parents}, /* names that each end with a comma */
        {"hosts", NULL, NULL, NULL, &r->hosts},
        {"user", NULL, NULL, NULL, &r->user},
        {"queue", NULL, NULL, NULL, &r->queue},
        {"app", NULL, NULL, NULL, &r->app},
        {"node", NULL, NULL, NULL, &r->node},
        {"name", NULL, NULL, NULL, &r->name},
    };
    uint32_t i = 0;
    while (i < sizeof keys / sizeof *keys && !row_text_is(key, keys[i].name))
        i++;
    check(i < sizeof keys / sizeof *keys);
    if (keys[i].whole)
        *keys[i].whole = strtoll(value.at, NULL, 10);
    else if (keys[i].real)
        *keys[i].real = strtod(value.at, NULL);
    else if (keys[i].flag)
        *keys[i].flag = true;
    else
        *keys[i].text = value;
}

static struct row row_of(const char *line, uint64_t where)
{
    struct row_text word = cut(&line, " ");
    enum row_kind kind = index_of(kinds, sizeof kinds / sizeof *kinds, word);
    struct row r = row_blank(kind, ROW_TEXT("j"));
    struct row_text phase = cut(&line, " "), task = cut(&line, " ");
    r.where = where;
    if (!row_text_is(phase, "-"))
        r.phase = phase;
    if (!row_text_is(task, "-"))
        r.task = task;
    while (*line) {
        struct row_text key = cut(&line, " =");
        bool has_value = line[-1] == '=';
        if (key.length > 0 && !has_value && !row_text_is(key, "share") &&
            !row_text_is(key, "mem_share") && !row_text_is(key, "gang") &&
            !row_text_is(key, "by_task"))
            r.end = index_of(ends, sizeof ends / sizeof *ends, key);
        else if (key.length > 0)
            take_key(&r, key, has_value ? cut(&line, " ") : (struct row_text){0});
    }
    return r;
}

/* ---- a job and what was counted ---- */

struct rows_bench {
    struct assume assume;
    struct trouble trouble;
    struct survey *survey;
    struct assemble *assemble;
    struct workload_job *job; /* the last one, or NULL */
    struct str text;          /* of it, and of what was counted */
    int64_t arrived_us;
};

static void bench_open(struct rows_bench *b, const char *assume)
{
    struct err err;
    *b = (struct rows_bench){.assume = assume_defaults(), .survey = survey_create()};
    check(!assume || assume_set(&b->assume, assume, &err) == 0);
    b->survey->trace_end_us = 1000000000;
    b->assemble =
        assemble_create((struct draft_context){&b->assume, &b->trouble, b->survey});
}

static void bench_close(struct rows_bench *b)
{
    assemble_destroy(b->assemble);
    survey_destroy(b->survey);
    trouble_fini(&b->trouble);
    workload_job_free(b->job);
    str_free(&b->text);
}

static void add_count(struct str *out, const char *name, double value)
{
    if (value != 0)
        str_addf(out, "%s %.15g; ", name, value);
}

static void add_sample(struct str *out, const char *name, const struct survey_sample *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->count; i++)
        sum += s->at[i].value;
    if (s->count > 0)
        str_addf(out, "%s %" PRIu32 " of %.10g; ", name, s->count, sum);
}

/* All that is not 0. */
static void add_counts(struct rows_bench *b)
{
    const struct survey *s = b->survey;
    struct str *out = &b->text;
#define COUNT(member) add_count(out, #member, (double)s->member)
#define SAMPLE(member) add_sample(out, #member, &s->member)
    COUNT(jobs), COUNT(phases), COUNT(edges), COUNT(tasks), COUNT(attempts);
    for (int i = 0; i < ROW_END_COUNT; i++)
        add_count(out, ends[i], (double)s->ends[i]);
    COUNT(censored), COUNT(tasks_unseen), COUNT(failed_dropped), COUNT(not_started);
    COUNT(phases_timed), COUNT(phases_cut), COUNT(phases_drawn), COUNT(phases_waiting);
    COUNT(tasks_failed), COUNT(cpu_us), COUNT(mem_mib_us);
    add_count(out, "seen_us", s->work_us - s->censored_us);
    COUNT(cpu_max), COUNT(mem_mib_max), COUNT(input_bytes);
    for (int i = 0; i < SURVEY_BINS; i++) {
        add_count(out, "bin", (double)s->bins[i] * (i + 1));
        add_count(out, "bin_us", s->bin_work_us[i]);
    }
    COUNT(groups), COUNT(groups_slow), COUNT(group_tasks), COUNT(group_tasks_slow);
    COUNT(byte_groups), COUNT(byte_groups_slow), COUNT(hosts.count), COUNT(nodes.count);
    SAMPLE(ratios), SAMPLE(spread), SAMPLE(span_ratios), SAMPLE(job_tasks), SAMPLE(job_phases);
    SAMPLE(phase_tasks), SAMPLE(first_tasks), SAMPLE(times), SAMPLE(job_input);
    SAMPLE(job_shuffle);
    str_add(out, "\n");
    for (int i = 0; i < ASSUME_KEYS; i++)
        add_count(out, assume_table[i].name, (double)b->assume.touched[i]);
    for (int i = 0; i < TROUBLE_KINDS; i++)
        if (b->trouble.kinds[i].count > 0)
            str_addf(out, "%s %" PRIu64 " from %" PRIu64 "; ", trouble_texts[i].name,
                     b->trouble.kinds[i].count, b->trouble.kinds[i].first);
    add_count(out, "bad", (double)b->trouble.bad);
}

/* Lists of rows have commas, and texts newlines. */
static char *with_newlines(const char *list)
{
    char *copy = mem_strdup(list);
    bool in_list = false;
    for (char *at = copy; *at; at++) {
        in_list = *at == ' ' ? false : in_list || *at == '=';
        *at = *at == ',' && in_list ? '\n' : *at;
    }
    return copy;
}

/* The job of the rows, one a line. */
static void bench_job(struct rows_bench *b, const char *lines)
{
    char *copy = with_newlines(lines);
    struct row_bytes bytes = {0};
    uint64_t where = 0;
    workload_job_free(b->job);
    for (char *line = strtok(copy, ";"); line; line = strtok(NULL, ";")) {
        struct row r = row_of(line + strspn(line, " "), ++where);
        assemble_row(b->assemble, &r);
    }
    bool made = assemble_job(b->assemble, &bytes, &b->arrived_us);
    b->job = made ? job_pack_read(bytes.at.at, bytes.at.count, &(struct job_fill){0}) : NULL;
    vec_free(&bytes.at);
    mem_free(copy);
    str_free(&b->text);
    if (made)
        workload_write(b->job, NULL, &b->text);
}

static bool makes(const char *assume, const char *rows, const char *job, const char *counts)
{
    struct rows_bench b;
    bench_open(&b, assume);
    bench_job(&b, rows);
    str_add(&b.text, "|");
    add_counts(&b);
    const char *second = strchr(b.text.text, '|') + 1;
    bool good = strncmp(b.text.text, job, strlen(job)) == 0 && b.text.text[strlen(job)] == '|' &&
                strncmp(second, counts, strlen(second)) == 0 && strlen(second) == strlen(counts);
    if (!good)
        printf("%s\n%s\n", rows, b.text.text);
    bench_close(&b);
    return good;
}

TEST(assemble_jobs_and_counts)
{
    static const struct {
        const char *assume, *rows, *job, *counts;
    } cases[] = {
        /* Two tasks at once. */
        {NULL,
         "attempt a 0 from=100 to=300 done; attempt a 1 from=150 to=200 done",
         "job j at=0.0001s\n"
         "  phase a tasks=2 size=0.00005s\n"
         "    task 0 attempts=0.0002s\n"
         "    task 1 attempts=0.00005s\n",
         "jobs 1; phases 1; tasks 2; attempts 2; done 2; phases_timed 1; cpu_us 250000; "
         "seen_us 250; cpu_max 1000; bin 1; bin_us 250; job_tasks 1 of 2; job_phases 1 of 1; "
         "phase_tasks 1 of 2; first_tasks 1 of 2; times 2 of 250; job_input 1 of 0; "
         "job_shuffle 1 of 0; \n"
         "cpu 1; "},
        /* An attempt that made room for others was cut short; so the task has two. */
        {"tail_max=1",
         "submit a 0 submit=50; start a 0 from=100; end a 0 to=300 evicted; "
         "submit a 0 submit=300; start a 0 from=400; end a 0 to=900 done",
         "job j at=0.00005s\n"
         "  phase a tasks=1 size=0.0005s\n"
         "    task 0 attempts=0.0005s,0.0005s\n",
         "jobs 1; phases 1; tasks 1; attempts 2; done 1; evicted 1; censored 1; phases_timed 1; "
         "cpu_us 500000; seen_us 500; cpu_max 1000; bin 1; bin_us 500; job_tasks 1 of 1; "
         "job_phases 1 of 1; phase_tasks 1 of 1; first_tasks 1 of 1; times 1 of 500; "
         "job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; single 1; "},
        /* A start without an end before it, ends without a start, and one that runs when the
         * trace ends. */
        {"tail_max=1",
         "start a 0 from=100; start a 0 from=250; end a 0 to=300 killed; end a 1 to=50 done; "
         "end a 1 to=60 failed; start a 2 from=999999000; end a 3 done",
         "job j at=0.0001s\n"
         "  phase a tasks=2 size=0.00015s\n"
         "    task 0 attempts=0.00015s,0.00005s\n"
         "    task 1 attempts=0.001s\n",
         "jobs 1; phases 1; tasks 2; attempts 3; killed 1; lost 1; running 1; censored 3; "
         "not_started 3; phases_timed 1; cpu_us 1150000; cpu_max 1000; bin 1; bin_us 1150; "
         "job_tasks 1 of 2; job_phases 1 of 1; phase_tasks 1 of 2; first_tasks 1 of 2; "
         "times 2 of 1150; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; tail 3; tail_max 3; "},
        /* An end that comes before the start of the same instant is that of this start. */
        {NULL,
         "end a 0 to=100 failed; start a 0 from=100; start a 0 from=120; end a 0 to=125 done",
         "job j at=0.0001s\n"
         "  phase a tasks=1 size=0.000005s\n"
         "    task 0 attempts=0.000005s\n",
         "jobs 1; phases 1; tasks 1; attempts 2; done 1; failed 1; failed_dropped 1; "
         "phases_timed 1; cpu_us 5000; seen_us 5; cpu_max 1000; bin 1; bin_us 5; "
         "job_tasks 1 of 1; job_phases 1 of 1; phase_tasks 1 of 1; first_tasks 1 of 1; "
         "times 1 of 5; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; failed 1; single 1; "},
        /* Attempts without times, that end before they begin, or are there twice. */
        {NULL,
         "attempt a 0 from=300 to=100; attempt a 0 from=5; attempt a 0 from=5 mean=70; "
         "attempt a 0 mean=80; attempt a 0 from=5 to=6; attempt a 0 number=1 from=7 to=9; "
         "attempt a 0 number=1 from=8 to=9; attempt a 0 number=2 from=8 to=9",
         "job j at=0.000005s\n"
         "  phase a tasks=1 size=0.00007s\n"
         "    task 0 attempts=0.00007s,0.00008s,0.000001s,0.000002s,0.000001s\n",
         "jobs 1; phases 1; tasks 1; attempts 5; done 5; not_started 1; phases_timed 1; "
         "cpu_us 70000; seen_us 154; cpu_max 1000; bin 1; bin_us 70; groups 1; groups_slow 1; "
         "group_tasks 5; group_tasks_slow 2; ratios 1 of 40; spread 5 of 77; job_tasks 1 of 1; "
         "job_phases 1 of 1; phase_tasks 1 of 1; first_tasks 1 of 1; times 1 of 70; "
         "job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; single 1; backwards 1 from 1; duplicate 1 from 7; bad 2; "},
        /* Phases without tasks of their own, by their mean, their span, their bytes; and one
         * that never began. */
        {NULL,
         "phase a - tasks=3 mean=5000000 cpu=2 mem=3000000; "
         "phase b - tasks=2 span=7000000 after=a,;phase c - in=200000000 after=a,b,; "
         "phase d - waiting tasks=4; phase e - tasks=1 in=30000000 after=nope,",
         "job j at=0s\n"
         "  phase a tasks=3 cpu=2.000 mem=3M size=5s\n"
         "  phase e tasks=1 size=3.861022s input=30000000\n"
         "  phase b tasks=2 after=a size=7s\n"
         "  phase c tasks=1 after=a,b size=20.073486s input=200000000\n",
         "jobs 1; phases 4; edges 3; tasks 7; phases_waiting 1; cpu_us 67934508000; "
         "mem_mib_us 45000000; seen_us 52934508; cpu_max 2000; mem_mib_max 3; "
         "input_bytes 30000000; bin 1; bin_us 52934508; job_tasks 1 of 7; job_phases 1 of 4; "
         "phase_tasks 4 of 7; first_tasks 1 of 3; job_input 1 of 30000000; "
         "job_shuffle 1 of 200000000; \n"
         "shuffle_block 1; rate 2; base 2; span 1; cpu 3; stragglers 4; replicas 1; "
         "parent 1 from 5; "},
        /* A circle loses its edges, and so does what is behind it. */
        {NULL,
         "phase a - tasks=3 mean=5 after=b,; phase b - tasks=2 mean=6 after=a,; "
         "phase c - tasks=1 mean=7 after=b,",
         "job j at=0s\n"
         "  phase a tasks=3 size=0.000005s\n"
         "  phase b tasks=2 size=0.000006s\n"
         "  phase c tasks=1 size=0.000007s\n",
         "jobs 1; phases 3; tasks 6; cpu_us 34000; seen_us 34; cpu_max 1000; bin 1; bin_us 34; "
         "job_tasks 1 of 6; job_phases 1 of 3; phase_tasks 3 of 6; first_tasks 1 of 3; "
         "job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 3; stragglers 3; cycle 1 from 1; "},
        /* Tasks that know their parents: those of one phase on two levels are two phases. */
        {NULL,
         "task a x by_task in=10 out=20; attempt a x from=0 to=10; "
         "task a y by_task after=x, in=30; attempt a y from=10 to=30; "
         "task b z by_task after=x,y,nope, cpu=0.5; attempt b z from=30 to=70",
         "job j at=0s\n"
         "  phase a tasks=1 size=0.00001s inputs=10 output=20\n"
         "    task 0 attempts=0.00001s\n"
         "  phase a.2 tasks=1 after=a size=0.00002s inputs=30\n"
         "    task 0 attempts=0.00002s\n"
         "  phase b tasks=1 cpu=0.500 after=a,a.2 size=0.00004s\n"
         "    task 0 attempts=0.00004s\n",
         "jobs 1; phases 3; edges 3; tasks 3; attempts 3; done 3; phases_timed 3; cpu_us 50000; "
         "seen_us 70; cpu_max 1000; input_bytes 10; bin 1; bin_us 70; job_tasks 1 of 3; "
         "job_phases 1 of 3; phase_tasks 3 of 3; first_tasks 1 of 1; times 3 of 70; "
         "job_input 1 of 10; job_shuffle 1 of 30; \n"
         "cpu 2; single 3; replicas 1; parent 1 from 5; "},
        /* Names are cleaned, demands are shares of a machine, and a phase is declared once. */
        {NULL,
         "job - - name=n.a.m.e user=u+ queue=q! app=-x; "
         "phase a - tasks=4 mean=10 span=30 cpu=0.5 mem=0.25 share done; phase a - tasks=9",
         "job n.a.m.e at=0s app=_x user=u+ queue=q_\n"
         "  phase a tasks=4 cpu=16.000 mem=32768M size=0.00001s\n",
         "jobs 1; phases 1; tasks 4; cpu_us 640000; mem_mib_us 1310720; seen_us 40; "
         "cpu_max 16000; mem_mib_max 32768; bin 1; bin_us 40; span_ratios 1 of 3; "
         "job_tasks 1 of 4; job_phases 1 of 1; phase_tasks 1 of 4; first_tasks 1 of 4; "
         "job_input 1 of 0; job_shuffle 1 of 0; \n"
         "machine_cpu 1; machine_mem 1; stragglers 1; duplicate 1 from 3; bad 1; "},
        /* Nothing but memory; processes that could run at the same time. */
        {NULL,
         "phase a - tasks=4 cpu=0 mem=0.5 mem_share gang in=100 out=50",
         "job j at=0s\n"
         "  phase a tasks=4 cpu=0.000 mem=65536M size=1.000002s input=25 output=12\n",
         "jobs 1; phases 1; tasks 4; mem_mib_us 262144524288; seen_us 4000008; "
         "mem_mib_max 65536; input_bytes 100; bin 1; bin_us 4000008; job_tasks 1 of 4; "
         "job_phases 1 of 1; phase_tasks 1 of 4; first_tasks 1 of 4; job_input 1 of 100; "
         "job_shuffle 1 of 0; \n"
         "rate 1; base 1; machine_mem 1; stragglers 1; replicas 1; gang 1; "},
        /* Hosts of inputs, each counted once. */
        {NULL,
         "task a 0 in=10 hosts=h1,h2,; attempt a 0 from=0 to=9; task a 1 in=20 hosts=h2,,h3,; "
         "attempt a 1 from=0 to=1",
         "job j at=0s\n"
         "  phase a tasks=2 size=0.000001s inputs=10,20\n"
         "    task 0 attempts=0.000009s\n"
         "    task 1 attempts=0.000001s\n",
         "jobs 1; phases 1; tasks 2; attempts 2; done 2; phases_timed 1; cpu_us 10000; "
         "seen_us 10; cpu_max 1000; input_bytes 30; bin 1; bin_us 10; hosts.count 3; "
         "job_tasks 1 of 2; job_phases 1 of 1; phase_tasks 1 of 2; first_tasks 1 of 2; "
         "times 2 of 10; job_input 1 of 30; job_shuffle 1 of 0; \n"
         "cpu 1; "},
        /* Tasks that are known by their bytes alone. */
        {NULL,
         "task a 0 in=1000; task a 1 in=2000; task a 2; task a 3 in=100000000",
         "job j at=0s\n"
         "  phase a tasks=4 sizes=1.000095s,1.00019s,1s,10.536743s inputs=1000,2000,0,100000000\n",
         "jobs 1; phases 1; tasks 4; cpu_us 13537028000; seen_us 13537028; cpu_max 1000; "
         "input_bytes 100003000; bin 1; bin_us 13537028; byte_groups 1; byte_groups_slow 1; "
         "job_tasks 1 of 4; job_phases 1 of 1; phase_tasks 1 of 4; first_tasks 1 of 4; "
         "job_input 1 of 100003000; job_shuffle 1 of 0; \n"
         "rate 1; base 1; cpu 1; stragglers 1; replicas 1; "},
        /* Phases that had not ended take no longer than their limit. */
        {"tail_max=1",
         "phase a - tasks=2 mean=50 failed limit=60; "
         "phase b - tasks=2 mean=70 running limit=60; phase c - tasks=1 lost limit=10",
         "job j at=0s\n"
         "  phase a tasks=2 size=0.00005s\n"
         "  phase b tasks=2 size=0.00007s\n"
         "  phase c tasks=1 size=0.00001s\n",
         "jobs 1; phases 3; tasks 5; phases_cut 3; phases_drawn 2; cpu_us 250000; seen_us 140; "
         "cpu_max 1000; bin 1; bin_us 250; job_tasks 1 of 5; job_phases 1 of 3; "
         "phase_tasks 3 of 5; first_tasks 1 of 2; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "base 1; cpu 3; failed 1; tail 1; tail_max 1; stragglers 3; "},
        /* Failed attempts are left out where the task has others. One was only submitted. */
        {"tail_max=1",
         "attempt a 0 from=0 to=10 failed; attempt a 0 from=20 to=30 done; "
         "attempt a 1 from=0 to=7 failed; attempt a 2 from=0 to=5; attempt a 3 from=0 to=4; "
         "attempt a 4 from=0 to=50; submit a 5 submit=3",
         "job j at=0s\n"
         "  phase a tasks=5 size=0.00001s\n"
         "    task 0 attempts=0.00001s\n"
         "    task 1 attempts=0.00005s\n"
         "    task 2 attempts=0.000005s\n"
         "    task 3 attempts=0.000004s\n"
         "    task 4 attempts=0.00005s\n",
         "jobs 1; phases 1; tasks 5; attempts 6; done 4; failed 2; censored 1; "
         "failed_dropped 1; phases_timed 1; tasks_failed 1; cpu_us 119000; seen_us 69; "
         "cpu_max 1000; bin 1; bin_us 119; groups 1; groups_slow 1; group_tasks 4; "
         "group_tasks_slow 1; ratios 1 of 6.666666667; spread 4 of 9.2; job_tasks 1 of 5; "
         "job_phases 1 of 1; phase_tasks 1 of 5; first_tasks 1 of 5; times 5 of 119; "
         "job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; failed 2; "},
        /* The same processes as before as one task. */
        {"gang=whole",
         "phase a - tasks=4 cpu=0 mem=0.5 mem_share gang in=100 out=50",
         "job j at=0s\n"
         "  phase a tasks=1 cpu=0.000 mem=262144M size=1.000009s input=100 output=50\n",
         "jobs 1; phases 1; tasks 1; mem_mib_us 262146359296; seen_us 1000009; "
         "mem_mib_max 262144; input_bytes 100; bin 1; bin_us 1000009; job_tasks 1 of 1; "
         "job_phases 1 of 1; phase_tasks 1 of 1; first_tasks 1 of 1; job_input 1 of 100; "
         "job_shuffle 1 of 0; \n"
         "rate 1; base 1; machine_mem 1; stragglers 1; replicas 1; gang 1; "},
        /* The same failed attempts, as long as they took. */
        {"failed=time",
         "attempt a 0 from=0 to=10 failed; attempt a 0 from=20 to=30 done; "
         "attempt a 1 from=0 to=7 failed; attempt a 2 from=0 to=5; attempt a 3 from=0 to=4; "
         "attempt a 4 from=0 to=50; submit a 5 submit=3",
         "job j at=0s\n"
         "  phase a tasks=5 size=0.000007s\n"
         "    task 0 attempts=0.00001s,0.00001s\n"
         "    task 1 attempts=0.000007s\n"
         "    task 2 attempts=0.000005s\n"
         "    task 3 attempts=0.000004s\n"
         "    task 4 attempts=0.00005s\n",
         "jobs 1; phases 1; tasks 5; attempts 6; done 4; failed 2; phases_timed 1; "
         "tasks_failed 1; cpu_us 76000; seen_us 86; cpu_max 1000; bin 1; bin_us 76; groups 1; "
         "groups_slow 1; group_tasks 4; group_tasks_slow 1; ratios 1 of 6.666666667; "
         "spread 4 of 9.2; job_tasks 1 of 5; job_phases 1 of 1; phase_tasks 1 of 5; "
         "first_tasks 1 of 5; times 5 of 76; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 1; failed 2; "},
        /* Hosts are left out where replicas are drawn. */
        {"hosts=drawn",
         "task a 0 in=10 hosts=h1,h2,; attempt a 0 from=0 to=9",
         "job j at=0s\n"
         "  phase a tasks=1 size=0.000009s inputs=10\n"
         "    task 0 attempts=0.000009s\n",
         "jobs 1; phases 1; tasks 1; attempts 1; done 1; phases_timed 1; cpu_us 9000; "
         "seen_us 9; cpu_max 1000; input_bytes 10; bin 1; bin_us 9; hosts.count 2; "
         "job_tasks 1 of 1; job_phases 1 of 1; phase_tasks 1 of 1; first_tasks 1 of 1; "
         "times 1 of 9; job_input 1 of 10; job_shuffle 1 of 0; \n"
         "cpu 1; single 1; replicas 1; "},
        /* Inputs of two phases, of which one is on no host for one of its tasks. */
        {NULL,
         "task a 0 in=10 hosts=h1,; attempt a 0 from=0 to=9; task b 0 in=5 hosts=h2,h1,; "
         "attempt b 0 from=1 to=3; task b 1 in=5; attempt b 1 from=1 to=4",
         "job j at=0s\n"
         "  phase a tasks=1 size=0.000009s inputs=10\n"
         "    task 0 attempts=0.000009s\n"
         "  phase b tasks=2 size=0.000002s inputs=5,5\n"
         "    task 0 attempts=0.000002s\n"
         "    task 1 attempts=0.000003s\n",
         "jobs 1; phases 2; tasks 3; attempts 3; done 3; phases_timed 2; cpu_us 14000; "
         "seen_us 14; cpu_max 1000; input_bytes 20; bin 1; bin_us 14; hosts.count 2; "
         "job_tasks 1 of 3; job_phases 1 of 2; phase_tasks 2 of 3; first_tasks 1 of 1; "
         "times 3 of 14; job_input 1 of 20; job_shuffle 1 of 0; \n"
         "cpu 2; single 1; replicas 1; "},
        /* A phase reads others in their order, each once, however they are named. */
        {NULL,
         "phase a - tasks=1 mean=1; phase b - tasks=1 mean=2; "
         "phase c - tasks=1 mean=3 after=b,a,b,a,; phase d - tasks=1 mean=4 after=c,a,; "
         "phase e - tasks=1 mean=5",
         "job j at=0s\n"
         "  phase a tasks=1 size=0.000001s\n"
         "  phase b tasks=1 size=0.000002s\n"
         "  phase e tasks=1 size=0.000005s\n"
         "  phase c tasks=1 after=a,b size=0.000003s\n"
         "  phase d tasks=1 after=a,c size=0.000004s\n",
         "jobs 1; phases 5; edges 4; tasks 5; cpu_us 15000; seen_us 15; cpu_max 1000; bin 1; "
         "bin_us 15; job_tasks 1 of 5; job_phases 1 of 5; phase_tasks 5 of 5; "
         "first_tasks 1 of 1; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 5; stragglers 5; "},
        /* A phase that never ran goes, and those behind it move up. */
        {NULL,
         "submit a 0 submit=1; task b x by_task; attempt b x from=5 to=9; "
         "phase c - waiting tasks=3; task d y by_task after=x,; attempt d y from=9 to=12; "
         "task d z; attempt d z from=9 to=13",
         "job j at=0.000001s\n"
         "  phase b tasks=1 size=0.000004s\n"
         "    task 0 attempts=0.000004s\n"
         "  phase d tasks=1 size=0.000004s\n"
         "    task 0 attempts=0.000004s\n"
         "  phase d.2 tasks=1 after=b size=0.000003s\n"
         "    task 0 attempts=0.000003s\n",
         "jobs 1; phases 3; edges 1; tasks 3; attempts 3; done 3; phases_timed 3; "
         "phases_waiting 1; cpu_us 11000; seen_us 11; cpu_max 1000; bin 1; bin_us 11; "
         "job_tasks 1 of 3; job_phases 1 of 3; phase_tasks 3 of 3; first_tasks 1 of 1; "
         "times 3 of 11; job_input 1 of 0; job_shuffle 1 of 0; \n"
         "cpu 3; single 3; "},
        /* Demands are the largest of any row, and are rounded up; numbers are the first that
         * is known. */
        {NULL,
         "phase a - tasks=2 mean=5 span=7 cpu=0.0011 mem=1048577 out=11; "
         "phase a - mean=6 span=8 cpu=0.0012 mem=5 in=9 out=12 failed; "
         "task a 0 cpu=0.001 mem=1 in=4 out=3; attempt a 0 from=1 to=4; task a 0 in=5 out=2",
         "job j at=0.000001s\n"
         "  phase a tasks=2 cpu=0.002 mem=2M size=0.000003s inputs=4,0 output=5\n"
         "    task 0 attempts=0.000003s\n"
         "    task 1 attempts=0.000003s\n",
         "jobs 1; phases 1; tasks 2; attempts 1; done 1; censored 1; tasks_unseen 1; "
         "phases_timed 1; phases_cut 1; cpu_us 12; mem_mib_us 12; seen_us 3; cpu_max 2; "
         "mem_mib_max 2; input_bytes 4; bin 1; bin_us 6; job_tasks 1 of 2; job_phases 1 of 1; "
         "phase_tasks 1 of 2; first_tasks 1 of 2; times 2 of 6; job_input 1 of 4; "
         "job_shuffle 1 of 0; \n"
         "replicas 1; "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(makes(cases[i].assume, cases[i].rows, cases[i].job, cases[i].counts));
}
