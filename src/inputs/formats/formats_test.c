/* Small files of our own in each format, and the jobs that they are, worked out by hand. */
#include "inputs/formats/formats.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs/formats/sample_test.h"
#include "tests/unit/test.h"

/* Two tasks of which one was evicted after 25 s and then took 30 s, the other took 20 s. What the
 * first would have taken is one of the phase's longer times: 30 s. The last one runs on until the
 * last time in the trace. Shares are of 32 cores and 128G. */
TEST(formats_google_attempts)
{
    expect(sample_is(
        "#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_ms\tend\tmachine\tclass\tprio\tcpu\tram\t"
        "disk\n"
        "77\t0\t1\t5000\t6000\t26000\tFINISH\t12\t0\t2\t0.0625\t0.5\t0.1\n"
        "77\t1\t2\t5000\t32000\t62000\tFINISH\t12\t0\t2\t0.0625\t0.5\t0.1\n"
        "77\t1\t1\t5000\t6000\t31000\tEVICT\t13\t0\t2\t0.0625\t0.5\t0.1\n"
        "78\t0\t1\t7000\t8000\t-1\tRUNNING\t13\t0\t2\t-1\t-1\t-1\n",
        "tail_max=1", "google2011-attempts",
        "job 77 at=0s\n"
        "  phase tasks tasks=2 cpu=2.000 mem=65536M size=20s\n"
        "    task 0 attempts=20s\n"
        "    task 1 attempts=30s,30s\n"
        "job 78 at=2s\n"
        "  phase tasks tasks=1 size=54s\n"
        "    task 0 attempts=54s\n"));
}

/* The same kind of life as events, in a wrong order: submitted at 5 s, started at 6, evicted and
 * submitted again at 16, started at 20, finished at 50; and one that was killed before it ran. */
TEST(formats_google_events)
{
    expect(sample_is("50000000,,77,0,13,4,u,0,2,0.0625,,,0\n"
                     "5000000,,77,0,,0,u,0,2,0.0625,,,0\n"
                     "6000000,,77,0,12,1,u,0,2,0.0625,,,0\n"
                     "16000000,,77,0,,0,u,0,2,0.0625,,,0\n"
                     "16000000,,77,0,12,2,u,0,2,0.0625,,,0\n"
                     "20000000,,77,0,13,1,u,0,2,0.0625,,,0\n"
                     "21000000,,77,0,13,8,u,0,2,0.0625,,,0\n"
                     "5000000,,77,1,,0,u,0,2,0.0625,,,0\n"
                     "9000000,,77,1,,5,u,0,2,0.0625,,,0\n",
                     NULL, "google2011",
                     "job 77 at=0s user=u\n"
                     "  phase tasks tasks=1 cpu=2.000 size=30s\n"
                     "    task 0 attempts=30s,30s\n"));
}

/* Started and finished in the same microsecond; one that ran before the trace; one that runs on
 * until its last event, 9 s later. */
TEST(formats_google_events_at_the_edges)
{
    struct sample_trace s;
    sample_begin(&s,
                 "1000000,,1,0,,0,u,0,2,,,,0\n"
                 "1000000,,1,0,5,1,u,0,2,,,,0\n"
                 "1000000,,1,0,5,4,u,0,2,,,,0\n"
                 "1000000,,2,0,5,4,u,0,2,,,,0\n"
                 "1000000,,3,0,5,1,u,0,2,,,,0\n"
                 "10000000,,1,0,,7,u,0,2,,,,0\n"
                 "10000000,,2,0,,0,u,0,2,,,,0\n",
                 "tail_max=1");
    const struct survey *v = s.import->survey;
    expect(s.count == 2 && v->not_started == 1 && v->ends[ROW_DONE] == 1);
    expect(v->ends[ROW_RUNNING] == 1 && s.jobs[1]->truth[0].attempts[0] == 9000000);
    expect(s.jobs[0]->truth[0].attempts[0] == 1);
    sample_end(&s);
}

/* A task of which each attempt failed was not done: it takes one of the phase's longer times. */
TEST(formats_tasks_that_only_failed_are_cut_short)
{
    static const char trace[] =
        "#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_ms\tend\tmachine\t"
        "class\tprio\tcpu\tram\tdisk\n"
        "77\t0\t1\t0\t0\t20000\tFINISH\t1\t0\t2\t-1\t-1\t-1\n"
        "77\t1\t1\t0\t0\t1000\tFAIL\t1\t0\t2\t-1\t-1\t-1\n"
        "77\t2\t1\t0\t0\t2000\tFAIL\t1\t0\t2\t-1\t-1\t-1\n"
        "77\t2\t2\t0\t3000\t23000\tFINISH\t1\t0\t2\t-1\t-1\t-1\n";
    static const char *const second[] = {"failed=drop", "20s",         "failed=censored",
                                         "20s",         "failed=time", "1s"};
    for (int i = 0; i < 6; i += 2) {
        struct sample_trace s;
        char want[32];
        sample_begin(&s, trace, second[i]);
        struct str text = sample_text(&s);
        snprintf(want, sizeof want, "    task 1 attempts=%s\n", second[i + 1]);
        expect(strstr(text.text, want) && s.import->survey->tasks_failed == 1);
        expect(s.import->survey->failed_dropped == (i == 0));
        expect(s.import->survey->censored == (i == 0 ? 1 : i == 2 ? 2 : 0));
        str_free(&text);
        sample_end(&s);
    }
}

/* The graph is in the names. Without instances a task takes the span of its phase, with a factor.
 */
TEST(formats_alibaba2018_task)
{
    expect(sample_is("M1,3,j_9,A,Terminated,100,140,50,0.5\n"
                     "R3_1_2,1,j_9,A,Terminated,160,180,100,1\n"
                     "M2_1,2,j_9,A,Terminated,140,160,100,\n"
                     "task_Zx==,1,j_9,A,Terminated,100,110,,\n",
                     "span=0.5", "alibaba2018-task",
                     "job j_9 at=0s\n"
                     "  phase M1 tasks=3 cpu=0.500 mem=656M size=20s\n"
                     "  phase task_Zx__ tasks=1 size=5s\n"
                     "  phase M2_1 tasks=2 after=M1 size=10s\n"
                     "  phase R3_1_2 tasks=1 mem=1311M after=M1,M2_1 size=10s\n"));
}

/* Instances of the same job; the second one of M1 was interrupted after 5 s, and then took 30. */
TEST(formats_alibaba2018_instance)
{
    expect(sample_is("ins_1,M1,j_9,A,Terminated,100,130,m_1,1,1,,,,\n"
                     "ins_2,M1,j_9,A,Interrupted,100,105,m_2,1,2,,,,\n"
                     "ins_2,M1,j_9,A,Terminated,106,136,m_3,2,2,,,,\n"
                     "ins_3,M1,j_9,A,Waiting,0,0,,1,1,,,,\n"
                     "ins_1,R2_1,j_9,A,Terminated,136,146,m_3,1,1,,,,\n",
                     NULL, "alibaba2018-instance",
                     "job j_9 at=0s\n"
                     "  phase M1 tasks=2 size=30s\n"
                     "    task 0 attempts=30s\n"
                     "    task 1 attempts=30s,30s\n"
                     "  phase R2_1 tasks=1 after=M1 size=10s\n"
                     "    task 0 attempts=10s\n"));
}

TEST(formats_alibaba2018_dag)
{
    expect(sample_is("#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_instance_s\t"
                     "plan_cpu\tcpu_usage\tplan_mem\tmem_usage\n"
                     "j_1\tR2_1\t3\tTerminated\t86361\t86420\t59\t56.5\t100\t-1\t-1\t-1\n"
                     "j_1\tM1\t2\tTerminated\t86361\t86398\t37\t33\t200\t-1\t-1\t-1\n",
                     NULL, "alibaba2018-dag",
                     "job j_1 at=0s\n"
                     "  phase M1 tasks=2 cpu=2.000 size=33s\n"
                     "  phase R2_1 tasks=3 after=M1 size=56.5s\n"));
}

#define DAG_HEAD                                                                                   \
    "#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_instance_s\tplan_cpu\t"           \
    "cpu_usage\tplan_mem\tmem_usage\n"
#define DAG_ROW(job, task, status, start, end, span, mean)                                         \
    job "\t" task "\t10\t" status "\t" start "\t" end "\t" span "\t" mean "\t100\t-1\t-1\t-1\n"

/* What had not come to its end takes at least what was seen of it, and what never began is left
 * out, with its job if there is nothing else. Of j5 there is no end, and for its mean its start. */
static const char unfinished[] =
    DAG_HEAD DAG_ROW("j1", "M1", "Terminated", "100", "110", "10", "10")
        DAG_ROW("j1", "R2_1", "Waiting", "0", "0", "0", "1")
            DAG_ROW("j2", "M1", "Failed", "120", "135", "15", "15")
                DAG_ROW("j3", "M1", "Running", "140", "640", "500", "500")
                    DAG_ROW("j4", "M1", "Interrupted", "150", "157", "7", "7")
                        DAG_ROW("j5", "M1", "Running", "160", "0", "-160", "160")
                            DAG_ROW("j6", "M1", "Waiting", "170", "182", "12", "12");

TEST(formats_phases_that_had_not_ended_are_cut_short)
{
    expect(sample_is(unfinished, "tail_max=1", "alibaba2018-dag",
                     "job j1 at=0s\n"
                     "  phase M1 tasks=10 size=10s\n"
                     "job j2 at=20s\n"
                     "  phase M1 tasks=10 size=15s\n"
                     "job j3 at=40s\n"
                     "  phase M1 tasks=10 size=500s\n"
                     "job j4 at=50s\n"
                     "  phase M1 tasks=10 size=7s\n"
                     "job j5 at=60s\n"
                     "  phase M1 tasks=10 size=1s\n"));
    struct sample_trace s;
    sample_begin(&s, unfinished, NULL);
    const struct survey *v = s.import->survey;
    expect(s.count == 5 && s.jobs[0]->truth[0].size_us == 10 * INT64_C(1000000));
    expect(s.jobs[1]->truth[0].size_us > 15000000 && s.jobs[2]->truth[0].size_us > 500000000);
    expect(s.jobs[3]->truth[0].size_us > 7000000 && s.jobs[4]->truth[0].size_us == 1000000);
    expect(v->phases_cut == 4 && v->phases_drawn == 4 && v->phases_waiting == 2);
    expect(v->work_us - v->censored_us == 1e8 && v->censored_us > 0.8 * v->work_us);
    expect(s.import->options.assume.touched[ASSUME_FAILED] == 1);
    sample_end(&s);
    sample_begin(&s, unfinished, "failed=time");
    expect(s.jobs[1]->truth[0].size_us == 15000000 && s.jobs[2]->truth[0].size_us > 500000000);
    expect(s.import->survey->phases_drawn == 3);
    sample_end(&s);
}

/* What attempts of a phase tell is more than what its row does. */
TEST(formats_phases_whose_tasks_ran_are_there)
{
    static const char tasks[] = "M1,1,j_9,A,Waiting,0,0,100,1\nM2,1,j_9,A,Failed,100,105,100,1\n";
    static const char instances[] = "ins_1,M1,j_9,A,Terminated,100,130,m_1,1,1,,,,\n"
                                    "ins_1,M2,j_9,A,Terminated,100,140,m_1,1,1,,,,\n";
    struct scratch other = scratch_write(instances, sizeof instances - 1);
    struct sample_trace s = {.file = scratch_write(tasks, sizeof tasks - 1),
                             .request = REQUEST_DEFAULT};
    vec_push(&s.request.files.texts, s.file.path);
    vec_push(&s.request.files.texts, other.path);
    s.import = request_open(&s.request, &s.err);
    sample_jobs(&s);
    struct str text = sample_text(&s);
    expect(!strcmp(text.text, "job j_9 at=0s\n"
                              "  phase M1 tasks=1 mem=1311M size=30s\n"
                              "    task 0 attempts=30s\n"
                              "  phase M2 tasks=1 mem=1311M size=40s\n"
                              "    task 0 attempts=40s\n"));
    expect(s.import->survey->censored_us == 0 && !s.import->survey->phases_waiting);
    str_free(&text);
    scratch_remove(&other);
    sample_end(&s);
}

TEST(formats_alibaba2017)
{
    expect(sample_is("#create_s,end_s,job,task,instances,status,plan_cpu,plan_mem\n"
                     "100,160,3,4,5,Terminated,50,0.0078125\n"
                     "130,0,3,5,1,Waiting,,\n"
                     "130,141,3,6,2,Waiting,,\n" /* 11 s of waiting, not of work */
                     "130,135,3,7,2,Failed,50,\n",
                     "tail_max=1", "alibaba2017-task",
                     "job 3 at=0s\n"
                     "  phase 4 tasks=5 cpu=0.500 mem=1024M size=60s\n"
                     "  phase 7 tasks=2 cpu=0.500 size=5s\n"));
    /* What began before the trace arrives at its beginning. */
    expect(
        sample_is("-60,110,3,4,1,Terminated,,\n-1,7,3,5,1,Terminated,,\n100,160,2,4,1,Running,,\n",
                  "tail_max=1", "alibaba2017-task",
                  "job 3 at=0s\n"
                  "  phase 4 tasks=1 size=170s\n"
                  "  phase 5 tasks=1 size=1s\n"
                  "job 2 at=100s\n"
                  "  phase 4 tasks=1 size=60s\n"));
    expect(sample_is("100,120,3,4,11,Terminated,1,1,0.1,0.1,0.1,0.1\n"
                     "100,120,3,4,12,Terminated,1,1,0.1,0.1,0.1,0.1\n",
                     NULL, "alibaba2017-instance",
                     "job 3 at=0s\n"
                     "  phase 4 tasks=2 size=20s\n"
                     "    task 0 attempts=20s\n"
                     "    task 1 attempts=20s\n"));
}

/* 100M in blocks of 64M are two maps, of which each takes 1 s and 5 s for its 50M. */
TEST(formats_swim)
{
    expect(sample_is("job0\t49\t49\t104857600\t20971520\t5\n"
                     "job1\t60\t11\t0\t0\t5\n",
                     NULL, "swim",
                     "job job0 at=0s\n"
                     "  phase map tasks=2 size=6s input=50M output=10M\n"
                     "  phase reduce tasks=1 after=map size=3s input=20M output=5\n"
                     "job job1 at=11s\n"
                     "  phase map tasks=1 size=1s output=5\n"));
}

/* Jobs that arrive at one time come by name, the first and later ones. */
TEST(formats_jobs_of_one_time_come_by_name)
{
    struct sample_trace s;

    sample_begin(&s, "b\t1\t1\t9\t9\t9\na\t1\t0\t9\t9\t9\n"
                     "e\t2\t1\t9\t9\t9\nd\t2\t0\t9\t9\t9\nc\t2\t0\t9\t9\t9\n",
                 NULL);
    expect(s.count == 5);
    for (uint32_t i = 0; i < s.count; i++)
        expect(s.jobs[i]->spec.name[0] == (char)('a' + (int)i));
    sample_end(&s);
}

/* MB are millions of bytes. */
TEST(formats_coflow)
{
    expect(sample_is("150 2\n"
                     "1 1000 2 10 11 2 65:1.5 66:20.0\n"
                     "2 4000 1 104 1 140:48.0\n",
                     "rate=1000000", "coflow",
                     "job 1 at=0s\n"
                     "  phase map tasks=2 size=1s output=10750000\n"
                     "  phase reduce tasks=2 after=map sizes=2.5s,21s inputs=1500000,20000000\n"
                     "job 2 at=3s\n"
                     "  phase map tasks=1 size=1s output=46875K\n"
                     "  phase reduce tasks=1 after=map sizes=49s inputs=46875K\n"));
}

TEST(formats_hawk)
{
    struct sample_trace s;
    sample_begin(&s, "1406471.0 2 15.5 11.000001 20\n1406480 1 7 7.25\n", NULL);
    expect(s.count == 2 && s.jobs[1]->submit_us == 9000000);
    expect(s.jobs[0]->spec.phases[0].tasks == 2);
    expect(s.jobs[0]->truth[0].attempts[0] == 11000001);
    expect(s.jobs[0]->truth[0].attempts[1] == 20000000);
    expect(s.jobs[1]->truth[0].attempts[0] == 7250000);
    expect(!s.import->jobs);
    sample_end(&s);
}

/* 2 processors for 100 s, with 512 KiB each; one that never ran; a piece of another; one that
 * failed after 60 s. */
TEST(formats_swf)
{
    expect(sample_is("; Version: 2.2\n"
                     ";\n"
                     "1 10 5 100 2 -1 512 2 200 -1 1 7 1 3 4 -1 -1 -1\n"
                     "2 11 5 0 2 -1 -1 2 200 -1 5 7 1 3 4 -1 -1 -1\n"
                     "3 12 5 50 2 -1 -1 2 200 -1 2 7 1 3 4 -1 -1 -1\n"
                     "4 30 5 60 -1 -1 -1 1 200 -1 0 8 1 -1 -1 -1 -1 -1\n",
                     "tail_max=1", "swf",
                     "job 1 at=0s app=3 user=7 queue=4\n"
                     "  phase run tasks=2 mem=1M size=100s\n"
                     "job 4 at=20s user=8\n"
                     "  phase run tasks=1 size=60s\n"));
}

/* Jobs that failed, were cancelled, failed long before the time that they had asked for, and failed
 * when that was over. */
TEST(formats_swf_jobs_that_were_not_done)
{
    static const char trace[] = "1 10 0 100 1 -1 -1 1 -1 -1 0 1 1 1 1 -1 -1 -1\n"
                                "2 20 0 100 1 -1 -1 1 -1 -1 5 1 1 1 1 -1 -1 -1\n"
                                "3 30 0 100 1 -1 -1 1 101 -1 5 1 1 1 1 -1 -1 -1\n"
                                "4 40 0 100 1 -1 -1 1 100 -1 0 1 1 1 1 -1 -1 -1\n"
                                "5 50 0 100 1 -1 -1 1 100 -1 1 1 1 1 1 -1 -1 -1\n";
    struct sample_trace s;
    const int64_t hundred = 100 * INT64_C(1000000);
    sample_begin(&s, trace, NULL);
    expect(s.count == 5 && s.jobs[0]->truth[0].size_us > hundred);
    expect(s.jobs[1]->truth[0].size_us > hundred && s.jobs[2]->truth[0].size_us > hundred);
    expect(s.jobs[2]->truth[0].size_us <= hundred + 1000000);
    expect(s.jobs[3]->truth[0].size_us == hundred && s.jobs[4]->truth[0].size_us == hundred);
    expect(s.import->survey->phases_cut == 4 && s.import->survey->phases_drawn == 3);
    sample_end(&s);
    sample_begin(&s, trace, "failed=time");
    expect(s.jobs[0]->truth[0].size_us == hundred && s.jobs[1]->truth[0].size_us > hundred);
    sample_end(&s);
}

/* As one task that asks for everything; what is known for each process is known for all. */
TEST(formats_swf_gangs)
{
    expect(sample_is("1 10 5 100 3 -1 1024 2 200 -1 1 7 1 3 4 -1 -1 -1\n"
                     "2 30 5 60 1 -1 -1 1 200 -1 1 8 1 -1 -1 -1 -1 -1\n",
                     "gang=whole", "swf",
                     "job 1 at=0s app=3 user=7 queue=4\n"
                     "  phase run tasks=1 cpu=3.000 mem=3M size=100s\n"
                     "job 2 at=20s user=8\n"
                     "  phase run tasks=1 size=60s\n"));
}

/* One that failed and was tried again; one that was cached; times as people write them. */
TEST(formats_nextflow)
{
    struct sample_trace s;
    sample_begin(&s,
                 "task_id\thash\tnative_id\tname\tstatus\texit\tsubmit\tduration\trealtime\t%cpu\t"
                 "peak_rss\tpeak_vmem\trchar\twchar\n"
                 "1\tab/1\t9\talign (a)\tFAILED\t1\t2021-03-23 06:25:32.000\t10s\t3s\t98%\t1 GB\t"
                 "2 GB\t1 MB\t2 MB\n"
                 "2\tab/2\t9\talign (a)\tCOMPLETED\t0\t2021-03-23 06:25:42.500\t1m 10s\t1m"
                 " 5s\t98%\t"
                 "1.5 GB\t2 GB\t1 MB\t2 MB\n"
                 "3\tab/3\t9\talign (b)\tCOMPLETED\t0\t2021-03-23 06:25:33.000\t10s\t750ms\t98%\t"
                 "1 GB\t2 GB\t3 MB\t-\n"
                 "4\tab/4\t9\tmerge\tCACHED\t0\t2021-03-23 06:25:33.000\t10s\t750ms\t98%"
                 "\t-\t-\t-\t-"
                 "\n",
                 NULL);
    expect(s.count == 1 && s.jobs[0]->spec.phase_count == 1);
    const struct phase_spec *p = &s.jobs[0]->spec.phases[0];
    const struct phase_truth *t = &s.jobs[0]->truth[0];
    expect(!strcmp(p->name, "align") && p->tasks == 2 && p->demand.v[RES_MEM] == 1536);
    expect(t->attempt_from[1] == 1 && t->attempts[0] == 65000000 && t->attempts[1] == 750000);
    expect(p->input_each[0] == 1 << 20 && p->input_each[1] == 3 << 20);
    expect(s.import->survey->failed_dropped == 1);
    sample_end(&s);
}

#define FLOW_HEAD "task_id\tname\tstatus\trealtime\tattempt\n"

/* Tags need not be unique. Of s1 two tasks fail once, one of them twice, a third is done at once,
 * and a fourth fails and is not tried again. The last row is there twice. */
TEST(formats_nextflow_tasks_may_share_a_name)
{
    struct sample_trace s;
    sample_begin(&s,
                 FLOW_HEAD "1\tA:B (s1)\tFAILED\t1s\t1\n"
                           "2\tA:B (s1)\tFAILED\t1s\t1\n"
                           "3\tA:B (s1)\tCOMPLETED\t8s\t1\n"
                           "4\tA:B (s1)\tFAILED\t2s\t1\n"
                           "5\tA:B (s1)\tFAILED\t2s\t2\n"
                           "6\tA:B (s1)\tCOMPLETED\t9s\t2\n"
                           "7\tA:B (s1)\tCOMPLETED\t10s\t3\n"
                           "7\tA:B (s1)\tCOMPLETED\t10s\t3\n",
                 "failed=time");
    const struct phase_truth *t = &s.jobs[0]->truth[0];
    expect(s.count == 1 && s.jobs[0]->spec.phases[0].tasks == 4);
    uint32_t tries[4] = {0};
    for (uint32_t i = 0; i < 4; i++)
        tries[t->attempt_from[i + 1] - t->attempt_from[i]]++;
    expect(tries[1] == 2 && tries[2] == 1 && tries[3] == 1);
    expect(s.import->survey->tasks_failed == 1);
    expect(s.import->trouble.kinds[TROUBLE_DUPLICATE].count == 1);
    sample_end(&s);
}

/* Copies, as `dolly report` writes them: those of `a` and `b` are done before the first attempt is
 * killed, or after it was done; `c` was killed and run again, and `d` has three. */
TEST(formats_nextflow_copies_are_of_one_task)
{
    struct sample_trace s;
    sample_begin(&s,
                 FLOW_HEAD "1\ta\tCOMPLETED\t8s\t2\n2\ta\tABORTED\t9s\t1\n"
                           "3\tb\tCOMPLETED\t8s\t1\n4\tb\tABORTED\t7s\t2\n"
                           "5\tc\tABORTED\t5s\t1\n6\tc\tCOMPLETED\t8s\t2\n"
                           "7\td\tCOMPLETED\t5s\t3\n8\td\tABORTED\t8s\t1\n"
                           "9\td\tABORTED\t8s\t2\n",
                 NULL);
    expect(s.count == 1 && s.jobs[0]->spec.phase_count == 4 && s.import->survey->tasks == 4);
    expect(s.import->survey->attempts == 9);
    sample_end(&s);
}

/* Without the column `attempt` one that failed joins the next of its name; without `realtime` there
 * is `duration`. What was cached is counted. */
TEST(formats_nextflow_of_few_columns)
{
    struct sample_trace s;
    sample_begin(&s,
                 "name\tstatus\tduration\na\tFAILED\t1s\na\tCOMPLETED\t2s\na\tCOMPLETED\t3s\n"
                 "c\tCACHED\t3s\nc\tCACHED\t3s\n",
                 "failed=time");
    struct str text = sample_text(&s);
    expect(strstr(text.text, "  phase a tasks=2 size=2s\n"
                             "    task 0 attempts=2s,1s\n"
                             "    task 1 attempts=3s\n"));
    expect(s.count == 1 && s.import->survey->not_started == 2);
    str_free(&text);
    sample_end(&s);
}

/* Two runs whose files have one name are two jobs. */
TEST(formats_nextflow_runs_are_told_apart_by_their_folders)
{
    static const char flow[] = "name\tstatus\trealtime\na\tCOMPLETED\t5s\n";
    char dir[] = "/tmp/dolly-flow-XXXXXX", folders[2][64], paths[2][80];
    struct trace_request q = REQUEST_DEFAULT;
    struct err err;
    expect(mkdtemp(dir) != NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(folders[i], sizeof folders[i], "%s/%d", dir, i);
        snprintf(paths[i], sizeof paths[i], "%s/trace.txt", folders[i]);
        expect(mkdir(folders[i], 0700) == 0);
        FILE *f = fopen(paths[i], "w");
        expect(f && fputs(flow, f) >= 0 && fclose(f) == 0);
        vec_push(&q.files.texts, paths[i]);
    }
    struct import *m = request_open(&q, &err);
    expect(m && m->survey->jobs == 2 && m->survey->tasks == 2);
    import_close(m);
    request_fini(&q);
    for (int i = 0; i < 2; i++)
        expect(unlink(paths[i]) == 0 && rmdir(folders[i]) == 0);
    expect(rmdir(dir) == 0);
}

#define SPARK_TASK(stage, index, launch, finish, reason)                                           \
    "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":" #stage ",\"Stage Attempt ID\":0,"          \
    "\"Task End Reason\":{\"Reason\":\"" reason "\"},\"Task Info\":{\"Task ID\":" #launch          \
    ",\"Index\":" #index ",\"Launch Time\":" #launch ",\"Host\":\"h1\",\"Finish Time\":" #finish   \
    "},\"Task Metrics\":{\"Input Metrics\":{\"Bytes Read\":10},\"Shuffle Read Metrics\":"          \
    "{\"Remote Bytes Read\":5,\"Local Bytes Read\":6}}}\n"

/* Stage 7 reads stage 6, and stage 5 that was skipped. One attempt is lost with its executor after
 * 1 s; one is told of again when its output is lost; one never ends. */
TEST(formats_spark)
{
    expect(sample_is(
        "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.1.1\"}\n"
        "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"my app\",\"App ID\":\"a-1\","
        "\"Timestamp\":1000,\"User\":\"ann\"}\n"
        "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":3,\"Submission Time\":1000,"
        "\"Stage Infos\":[{\"Stage ID\":6,\"Parent IDs\":[]}],\"Stage IDs\":[5,6,7]}\n"
        "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":{\"Stage ID\":6,"
        "\"Number of Tasks\":2,\"Parent IDs\":[]}}\n"
        "{\"Event\":\"SparkListenerTaskStart\",\"Stage ID\":6,\"Task Info\":{\"Task ID\":2000,"
        "\"Index\":0,\"Launch Time\":2000}}\n" SPARK_TASK(6, 0, 2000, 6000, "Success") SPARK_TASK(
            6, 1, 2000, 3000, "ExecutorLostFailure") SPARK_TASK(6, 1, 3100, 7100, "Success")
            SPARK_TASK(6, 0, 2000, 6000,
                       "Resubmitted") "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage "
                                      "Info\":{\"Stage ID\":7,"
                                      "\"Number of Tasks\":1,\"Parent IDs\":[5,6]}}\n"
                                      "{\"Event\":\"SparkListenerTaskStart\",\"Stage ID\":7,\"Task "
                                      "Info\":{\"Task ID\":9,"
                                      "\"Index\":0,\"Launch Time\":7000}}\n",
        "tail_max=1", "spark",
        "job a-1:3 at=0s app=my_app user=ann\n"
        "  phase stage6 tasks=2 size=4s inputs=21,21\n"
        "    task 0 attempts=4s\n"
        "    task 1 attempts=4s,4s\n"
        "  phase stage7 tasks=1 after=stage6 size=0.1s\n"
        "    task 0 attempts=0.1s\n"));
}

/* Tools that write JSON anew put blanks behind colons. */
TEST(formats_spark_logs_may_have_blanks)
{
    struct sample_trace s;
    sample_begin(
        &s,
        "{\"Event\": \"SparkListenerLogStart\", \"Spark Version\": \"3.1.1\"}\n"
        " { \"Event\" : \"SparkListenerJobStart\", \"Job ID\": 0, \"Stage IDs\": [0]}\n"
        "{\"Event\": \"SparkListenerTaskEnd\", \"Stage ID\": 0, \"Task End Reason\": {\"Reason\": "
        "\"Success\"}, \"Task Info\": {\"Index\": 0, \"Launch Time\": 5, \"Finish Time\": 9}}\n",
        NULL);
    expect(s.import && s.count == 1 && s.jobs[0]->truth[0].attempts[0] == 4000);
    sample_end(&s);
}

/* merge reads both of split, and sort reads merge; split is twice the same program at two levels.
 */
TEST(formats_wfcommons)
{
    struct sample_trace s;
    sample_begin(
        &s,
        "{\"name\": \"flow\", \"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {"
        "\"tasks\": ["
        "{\"name\": \"split_ID01\", \"id\": \"t1\", \"parents\": [], \"inputFiles\": [\"f\", "
        "\"g\"], \"outputFiles\": [\"h\"]},"
        "{\"name\": \"split_ID02\", \"id\": \"t2\", \"parents\": [], \"inputFiles\": [\"f\"]},"
        "{\"name\": \"merge_ID03\", \"id\": \"t3\", \"parents\": [\"t1\", \"t2\"]},"
        "{\"name\": \"split_ID04\", \"id\": \"t4\", \"parents\": [\"t3\"]}],"
        "\"files\": [{\"id\": \"h\", \"sizeInBytes\": 7}, {\"id\": \"f\", \"sizeInBytes\": 100}, "
        "{\"id\": \"g\", \"sizeInBytes\": 20}]},"
        "\"execution\": {\"tasks\": ["
        "{\"id\": \"t4\", \"runtimeInSeconds\": 4, \"coreCount\": 2},"
        "{\"id\": \"t3\", \"runtimeInSeconds\": 3.5, \"machines\": [\"m\"]},"
        "{\"id\": \"t2\", \"runtimeInSeconds\": 2},"
        "{\"id\": \"t1\", \"runtimeInSeconds\": 1}], \"machines\": ["
        "{\"nodeName\": \"m\", \"cpu\": {\"coreCount\": 48}, \"memoryInBytes\": 4096}, "
        "{\"nodeName\": \"m\", \"cpu\": {\"coreCount\": 9}}, {\"nodeName\": \"n\"}]}}}\n",
        NULL);
    struct str text = sample_text(&s);
    expect(text.text &&
           !strcmp(text.text, "job flow at=0s app=flow\n"
                              "  phase split tasks=2 cpu=2.000 size=1s inputs=120,100 output=3\n"
                              "    task 0 attempts=1s\n"
                              "    task 1 attempts=2s\n"
                              "  phase merge tasks=1 after=split size=3.5s inputs=0\n"
                              "    task 0 attempts=3.5s\n"
                              "  phase split.2 tasks=1 cpu=2.000 after=merge size=4s inputs=0\n"
                              "    task 0 attempts=4s\n"));
    str_free(&text);
    const struct machines *m = &s.import->machines; /* once each, if they hold anything */
    expect(m->at.count == 1 && m->at.at[0].cpu == 48 && m->at.at[0].mem == 4096);
    sample_end(&s);
}

/* One map was killed after 1 s, because its copy was done at 3 s; set-up tasks are no tasks. */
TEST(formats_rumen)
{
    expect(sample_is(
        "{\"user\": \"u\", \"submitTime\": 1000, \"queue\": \"q\", \"mapTasks\": [{\"attempts\": ["
        "{\"startTime\": 2000, \"finishTime\": 4000, \"result\": \"KILLED\", \"hostName\":"
        " \"/r/a\"},"
        "{\"startTime\": 2500, \"finishTime\": 5500, \"result\": \"SUCCESS\", \"hdfsBytesR"
        "ead\": 64,"
        " \"mapOutputBytes\": 32}], \"taskID\": \"task_1_m_0\"}],"
        "\"reduceTasks\": [{\"taskID\": \"task_1_r_0\", \"attempts\": [{\"startTime\": 6000, "
        "\"finishTime\": 9000, \"result\": \"SUCCESS\", \"reduceShuffleBytes\": 32, "
        "\"hdfsBytesWritten\": 8}]}],"
        "\"otherTasks\": [{\"taskID\": \"task_1_s_0\", \"attempts\": [{\"startTime\": 1, "
        "\"finishTime\": 2, \"result\": \"SUCCESS\"}]}],"
        "\"jobID\": \"job_1\", \"jobName\": \"sort\"}\n",
        NULL, "rumen",
        "job sort at=0s user=u queue=q\n"
        "  phase map tasks=1 size=3s inputs=64 output=32\n"
        "    task 0 attempts=3s,3s\n"
        "  phase reduce tasks=1 after=map size=3s inputs=32 output=8\n"
        "    task 0 attempts=3s\n"));
}

#define RUMEN_ATTEMPT(id, rack)                                                                    \
    "{\"attemptID\": \"attempt_9_m_1_" id "\", \"startTime\": 2000, \"finishTime\": 5000, "        \
    "\"result\": \"SUCCESS\", \"hostName\": \"/" rack "/a\"}"

/* Two attempts that start together are two if they have other numbers. Racks are known by name. */
TEST(formats_rumen_attempts_have_numbers_and_hosts_racks)
{
    struct sample_trace s;
    sample_begin(
        &s,
        "{\"jobID\": \"j\", \"mapTasks\": [{\"taskID\": \"t\", \"attempts\": [" RUMEN_ATTEMPT(
            "0", "r1") "," RUMEN_ATTEMPT("1", "r2") "," RUMEN_ATTEMPT("1", "r2") "]}]}\n",
        NULL);
    const struct survey *v = s.import->survey;
    expect(v->attempts == 2 && s.import->trouble.kinds[TROUBLE_DUPLICATE].count == 1);
    expect(s.import->machines.racks.count == 2);
    sample_end(&s);
}

/* The inputs of task 0 lie on n2 and on a host that is no node, those of task 1 on n0, and nobody
 * says where those of task 2 lie. The rack that is called n1 is no host. */
TEST(formats_rumen_says_where_inputs_lie)
{
    static const char trace[] =
        "{\"jobID\": \"j\", \"submitTime\": 1000, \"mapTasks\": ["
        "{\"preferredLocations\": [{\"layers\": [\"n1\", \"n2\"]}, {\"layers\": [\"r\", "
        "\"elsewhere\"]}], \"taskID\": \"a\", \"attempts\": [" RUMEN_ATTEMPT(
            "0", "r") "]},"
                      "{\"taskID\": \"b\", \"attempts\": [" RUMEN_ATTEMPT(
                          "0", "r") "],"
                                    "\"preferredLocations\": [{\"layers\": [\"r\", \"n0\"]}]},"
                                    "{\"taskID\": \"c\", \"attempts\": [" RUMEN_ATTEMPT(
                                        "0", "r") "], "
                                                  "\"preferredLocations\": []}]}\n";
    struct sample_trace s;
    struct cluster *c = cluster_plain(3, 1);
    struct import_view view = IMPORT_VIEW_ALL;
    sample_begin(&s, trace, "hosts=drawn");
    const struct assume *assume = &s.import->options.assume;
    expect(s.import->survey->host_hashes.count == 3 && assume->touched[ASSUME_HOSTS] == 3);
    expect(!s.jobs[0]->spec.phases[0].replica_from);
    view.cluster = c;
    struct workload *w = import_jobs(s.import, &view, &s.err);
    struct workload_job *job = w->next(w);
    struct str text = {0};
    workload_write(job, c, &text);
    expect(!strcmp(text.text, "job j at=0s\n"
                              "  phase map tasks=3 size=3s\n"
                              "    task 0 on=n2 attempts=3s\n"
                              "    task 1 on=n0 attempts=3s\n"
                              "    task 2 attempts=3s\n"));
    expect(assume->touched[ASSUME_HOSTS] == 1);
    str_free(&text);
    workload_job_free(job);
    w->destroy(w);
    cluster_destroy(c);
    sample_end(&s);
}

TEST(formats_have_names_of_their_own_and_are_suggested)
{
    struct err err;
    expect(formats_find("swim", &err) == &swim_format);
    expect(formats_find("swimm", &err) == NULL && strstr(err.text, "did you mean 'swim'"));
    for (const struct import_format *const *f = formats_table; *f; f++)
        expect(formats_find((*f)->name, &err) == *f);
}
