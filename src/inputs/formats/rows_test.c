/* Lines of each format that is a table, and the rows that they become, to the letter; lines that
 * are wrong, and how each is counted; and the bytes by which a format is known. */
#include "inputs/formats/rows_test.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

TEST(rows_of_swf)
{
    expect(rows_are("swf",
                    "; a comment\n"
                    "\n"
                    " 1 5 3 60 4 -1 2048 8 120 4096 1 7 -1 9 2 -1 -1 -1\n"
                    "2 6 3 60 0 -1 -1 8 0 4096 0 -1 -1 -1 -1 -1 -1 -1\n"
                    "3 6 3 60 -1 -1 0 8 -1 -1 5 3 -1 4 1 -1 -1 -1\n"
                    "4 6 3 60 1 -1 0 8 -1 -1 2 3 -1 4 1 -1 -1 -1\n"
                    "5 6 3 60 1 -1 0 8 -1 -1 4 3 -1 4 1 -1 -1 -1\n"
                    "6 6 3 0 1 -1 0 8 -1 -1 1 3 -1 4 1 -1 -1 -1\n"
                    "7 6 3 -1 1 -1 0 8 -1 -1 1 3 -1 4 1 -1 -1 -1\n"
                    "8 6 3 9 1 -1 0 8 -1 -1 1 3 -1 4 1 -1 -1\n"
                    "9 6 3 9 1 -1 0 8 -1 -1 1 3 -1 4 1 -1 -1 -1 -1\n"
                    "x 6s 3 9 1 -1 0 8 -1 -1 1 3 -1 4 1 -1 -1 -1\n"
                    "10 6 3 9 1 -1 -1 8 -1 x 1 3 -1 4 1 -1 -1 -1\n"
                    "11 6 3 9 1 -1 -1 8 -1 -1 x 3 -1 4 1 -1 -1 -1\n",
                    "phase job=1 phase=run submit=5000000 mean=60000000 limit=120000000 tasks=4 "
                    "cpu=1 mem=2097152 gang user=7 queue=2 app=9 @3\n"
                    "phase job=2 phase=run failed submit=6000000 mean=60000000 tasks=8 cpu=1 "
                    "mem=4194304 gang @4\n"
                    "phase job=3 phase=run killed submit=6000000 mean=60000000 tasks=8 cpu=1 gang "
                    "user=3 queue=1 app=4 @5\n"
                    "columns 2 @10\n"
                    "number 3 @12\n"
                    "bad 5 of 8\n"));
}

TEST(rows_of_swim_hawk_and_coflow)
{
    expect(rows_are("swim",
                    "j1\t5\t5\t100\t0\t7\n"
                    "j2\t6\t1\t100\t50\t7\n"
                    "j3\t-6\t1\t100\t50\t7\n"
                    "j4\t6\t1\t-100\t50\t7\n"
                    "j5\t6\t1\t100\t-50\t7\n"
                    "j6\t6\t1\t100\t50\t-7\n"
                    "j7\t6\t1\t100\tx\t7\n"
                    "j8\t6\t1\t100\t50\n",
                    "phase job=j1 phase=map submit=5000000 in=100 out=7 @1\n"
                    "phase job=j2 phase=map submit=6000000 in=100 out=50 @2\n"
                    "phase job=j2 phase=reduce in=50 out=7 parents=map; @2\n"
                    "columns 1 @8\n"
                    "number 4 @4\n"
                    "negative 1 @3\n"
                    "bad 6 of 9\n"));
    expect(rows_are("hawk",
                    "1.5 2 3 3 4\n"
                    "\n"
                    "2 1 2 0\n"
                    "2 0 2\n"
                    "x 1 2 2\n"
                    "2 1 x 2\n"
                    "2 1\n"
                    "-1 1 2 2\n"
                    "3 1 2 -2\n"
                    "3 1 2 2 2\n"
                    "3 2 2 2\n"
                    "3 1 2 2s\n",
                    "job job=1-184f8623 submit=1500000 @1\n"
                    "attempt job=1-184f8623 task=0 mean=3000000 @1\n"
                    "attempt job=1-184f8623 task=1 mean=4000000 @1\n"
                    "job job=3-8584ee9e submit=2000000 @3\n"
                    "attempt job=3-8584ee9e task=0 mean=0 @3\n"
                    "columns 2 @10\n"
                    "number 5 @4\n"
                    "negative 2 @8\n"
                    "bad 9 of 14\n"));
    expect(rows_are("coflow",
                    "9 3\n"
                    "1 10 2 4 5 2 7:3 8:0.5\n"
                    "\n"
                    "2 20 0 0\n"
                    "3 x 1 4 1 7:3\n"
                    "4\n"
                    "5 -1 1 4 1 7:3\n"
                    "6 5 -1 1 7:3\n"
                    "7 5 1 4 2 7:3\n"
                    "8 5 1 4 1 7:-3\n"
                    "9 5 1 4 1 :3\n"
                    "10 5 1 4 1 7:3:1\n"
                    "11 5 1 4 x 7:3\n"
                    "12 5 x 4 1 7:3\n"
                    "13 5 10000001 1\n"
                    "14 5 1 4 1 7:1e12\n",
                    "phase job=1 phase=map submit=10000 tasks=2 out=3500000 @2\n"
                    "phase job=1 phase=reduce tasks=2 parents=map; @2\n"
                    "task job=1 phase=reduce task=0 in=3000000 node=7 @2\n"
                    "task job=1 phase=reduce task=1 in=500000 node=8 @2\n"
                    "phase job=2 phase=map submit=20000 tasks=1 out=0 @4\n"
                    "columns 7 @6\n"
                    "number 4 @5\n"
                    "negative 1 @7\n"
                    "bad 12 of 17\n"));
}

TEST(rows_of_google)
{
    expect(rows_are("google2011",
                    "5,,77,0,12,0,u,0,2,0.5,0.25,,0\n"
                    "6,,77,0,12,1\n"
                    "7,,77,0,12,2,u\n"
                    "7,,77,0,12,3,u,0,2,-1,,,0\n"
                    "7,,77,0,12,4,u,0,2,0.5,x,,0\n"
                    "7,,77,0,12,5,u,0,2,x,,,0\n"
                    "7,,77,0,12,6,u,0,2,,,,0\n"
                    "7,,77,0,12,7,u,0,2,,,,0\n"
                    "7,,77,0,12,8,u,0,2,,,,0\n"
                    "7,,77,0,12,9,u,0,2,,,,0\n"
                    "7,,77,0,12,-1,u,0,2,,,,0\n"
                    "x,,77,0,12,1,u,0,2,,,,0\n"
                    "7,,77,0,12,e,u,0,2,,,,0\n"
                    "7,,77,0,12\n",
                    "submit job=77 task=0 submit=5 cpu=0.5 mem=0.25 share user=u node=12 @1\n"
                    "start job=77 task=0 start=6 share node=12 @2\n"
                    "end job=77 task=0 evicted end=7 share user=u node=12 @3\n"
                    "end job=77 task=0 failed end=7 share user=u node=12 @4\n"
                    "end job=77 task=0 lost end=7 share user=u node=12 @7\n"
                    "columns 1 @14\n"
                    "number 4 @5\n"
                    "word 2 @10\n"
                    "bad 7 of 12\n"));
    expect(rows_are(
        "google2011-attempts",
        "#job\ttask\n"
        "1\t2\t3\t4\t5\t6\tFINISH\tm\t0\t2\t0.5\t0.25\n"
        "1\t2\t-1\t-1\t5\t-1\tRUNNING\tm\t0\t2\t-1\t-1\n"
        "1\t2\t3\t4\t5\t6\tKILL\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tFAIL\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tLOST\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tEVICT\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tFINIS\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tFINISH\tm\t0\t2\t\n"
        "1\t2\tx\t4\t5\t6\tFINISH\tm\t0\t2\t\t\n"
        "1\t2\t3\tx\t5\t6\tFINISH\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\tx\t6\tFINISH\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\tx\tFINISH\tm\t0\t2\t\t\n"
        "1\t2\t3\t4\t5\t6\tFINISH\tm\t0\t2\tx\t\n"
        "1\t2\t3\t4\t5\t6\tFINISH\tm\t0\t2\t\tx\n",
        "attempt job=1 task=2 attempt=3 submit=4000 start=5000 end=6000 cpu=0.5 mem=0.25 share "
        "node=m @2\n"
        "attempt job=1 task=2 running start=5000 share node=m @3\n"
        "attempt job=1 task=2 killed attempt=3 submit=4000 start=5000 end=6000 share node=m @4\n"
        "attempt job=1 task=2 failed attempt=3 submit=4000 start=5000 end=6000 share node=m @5\n"
        "attempt job=1 task=2 lost attempt=3 submit=4000 start=5000 end=6000 share node=m @6\n"
        "attempt job=1 task=2 evicted attempt=3 submit=4000 start=5000 end=6000 share node=m @7\n"
        "columns 1 @9\n"
        "number 6 @10\n"
        "word 1 @8\n"
        "bad 8 of 14\n"));
}

TEST(rows_of_alibaba)
{
    expect(rows_are(
        "alibaba2018-task",
        "M1,3,j,A,Terminated,100,140,50,0.5\n"
        "R10_1_2,3,j,A,Failed,100,140\n"
        "R2_1_Stg4,,j,A,Running,100,0,,\n"
        "task_x,1,j,A,Waiting,0,0,,\n"
        "12,1,j,A,Ready,,,,\n"
        "M,1,j,A,Cancelled,-1,-1,,\n"
        "M3_,1,j,A,Interupted,5,5,,\n"
        "M4,1,j,A,Interrupted,5,4,,\n"
        "M5,1,j,A,Gone,5,6,,\n"
        "M6,x,j,A,Terminated,5,6,,\n"
        "M7,1,j,A,Terminated,x,6,,\n"
        "M8,1,j,A,Terminated,5,x,,\n"
        "M9,1,j,A,Terminated,5,6,x,\n"
        "M9,1,j,A,Terminated,5,6,,x\n"
        "M9,1,j,A,Terminated,5\n",
        "phase job=j phase=1 submit=100000000 span=40000000 tasks=3 cpu=0.5 mem=0.005 mem-share "
        "name=M1 @1\n"
        "phase job=j phase=10 failed submit=100000000 span=40000000 tasks=3 parents=1;2; "
        "name=R10_1_2 @2\n"
        "phase job=j phase=2 running submit=100000000 mem-share parents=1; name=R2_1_Stg4 @3\n"
        "phase job=j phase=task_x waiting tasks=1 mem-share name=task_x @4\n"
        "phase job=j phase=12 waiting tasks=1 mem-share name=12 @5\n"
        "phase job=j phase=M killed tasks=1 mem-share name=M @6\n"
        "phase job=j phase=3 killed submit=5000000 span=0 tasks=1 mem-share name=M3_ @7\n"
        "columns 1 @15\n"
        "number 5 @10\n"
        "word 1 @9\n"
        "backwards 1 @8\n"
        "bad 8 of 15\n"));
    expect(rows_are(
        "alibaba2018-instance",
        "i1,M1,j,A,Terminated,100,130,m_1,1,1,,,,\n"
        "i1,R2_1,j,A,Running,100,0,m_1,,1,,,,\n"
        "i1,M1,j,A,Waiting,100,130,m_1,1,1,,,,\n"
        "i1,M1,j,A,Gone,100,130,m_1,1,1,,,,\n"
        "i1,M1,j,A,Terminated,x,130,m_1,1,1,,,,\n"
        "i1,M1,j,A,Terminated,1,x,m_1,1,1,,,,\n"
        "i1,M1,j,A,Terminated,1,2,m_1,x,1,,,,\n"
        "i1,M1,j,A,Terminated,1,2,m_1\n",
        "attempt job=j phase=1 task=i1 attempt=1 start=100000000 end=130000000 node=m_1 name=M1 "
        "@1\n"
        "attempt job=j phase=2 task=i1 running start=100000000 parents=1; node=m_1 name=R2_1 @2\n"
        "columns 1 @8\n"
        "number 3 @5\n"
        "word 1 @4\n"
        "bad 5 of 7\n"));
    expect(rows_are(
        "alibaba2018-dag",
        "#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_inst\n"
        "j\tR2_1\t3\tTerminated\t5\t9\t4\t2.5\t100\t\t10\n"
        "j\tM1\t3\tRunning\t5\t0\t\t5\t\t\t\n"
        "j\tM1\t3\tRunning\t5\t0\t\t6\t\t\t\n"
        "j\tM1\t3\tGone\t5\t0\t\t6\t\t\t\n"
        "j\tM1\tx\tRunning\t5\t0\t\t6\t\t\t\n"
        "j\tM1\t3\tRunning\t5\t4\t\t6\t\t\t\n"
        "j\tM1\t3\tRunning\t5\t6\t\tx\t\t\t\n"
        "j\tM1\t3\tRunning\t5\t6\t\t1\tx\t\t\n"
        "j\tM1\t3\tRunning\t5\t6\t\t1\t\t\n",
        "phase job=j phase=2 submit=5000000 mean=2500000 span=4000000 tasks=3 cpu=1 mem=0.1 "
        "mem-share parents=1; name=R2_1 @2\n"
        "phase job=j phase=1 running submit=5000000 tasks=3 mem-share name=M1 @3\n"
        "phase job=j phase=1 running submit=5000000 mean=6000000 tasks=3 mem-share name=M1 @4\n"
        "columns 1 @10\n"
        "number 3 @6\n"
        "word 1 @5\n"
        "backwards 1 @7\n"
        "bad 6 of 9\n"));
    expect(rows_are(
        "alibaba2017-task",
        "10,20,7,3,5,Terminated,100,0.5\n"
        "10,0,7,4,,Waiting,,\n"
        "10,20,7,5,5,Terminated\n"
        "10,20,7,5,5,Gone,,\n"
        "10,20,7,5,x,Terminated,,\n"
        "10,9,7,5,1,Terminated,,\n"
        "10,20,7,5,1,Terminated,x,\n"
        "10,20,7,5,1\n",
        "phase job=7 phase=3 submit=10000000 span=10000000 tasks=5 cpu=1 mem=0.5 mem-share @1\n"
        "phase job=7 phase=4 waiting submit=10000000 mem-share @2\n"
        "phase job=7 phase=5 submit=10000000 span=10000000 tasks=5 @3\n"
        "columns 1 @8\n"
        "number 2 @5\n"
        "word 1 @4\n"
        "backwards 1 @6\n"
        "bad 5 of 8\n"));
    expect(rows_are("alibaba2017-instance",
                    "10,20,7,3,m,Terminated,1,1,,,,\n"
                    "10,20,7,3,m,Terminated,1,1,,,,\n"
                    "10,0,7,3,m,Running,1,1,,,,\n"
                    "10,20,7,3,m,Ready,1,1,,,,\n"
                    "10,20,7,3,m,Gone,1,1,,,,\n"
                    "x,20,7,3,m,Failed,1,1,,,,\n"
                    "10,x,7,3,m,Failed,1,1,,,,\n"
                    "10,20,7,3,m,Failed,1\n",
                    "attempt job=7 phase=3 task=1-8cfae39f start=10000000 end=20000000 node=m @1\n"
                    "attempt job=7 phase=3 task=2-8cfae39f start=10000000 end=20000000 node=m @2\n"
                    "attempt job=7 phase=3 task=3-567edebc running start=10000000 node=m @3\n"
                    "columns 1 @8\n"
                    "number 2 @6\n"
                    "word 1 @5\n"
                    "bad 4 of 7\n"));
}

/* The formats that think they know these bytes, with how sure they are. */
static bool is_taken_for(const char *text, bool is_all, const char *expected)
{
    struct str names = {0};
    str_add(&names, "");
    for (const struct import_format *const *f = formats_table; *f; f++) {
        int sure = (*f)->detect(text, strlen(text), is_all);
        if (sure)
            str_addf(&names, "%s%s=%d", names.length ? " " : "", (*f)->name, sure);
    }
    bool same = text_was(&names, expected);
    str_free(&names);
    return same;
}

TEST(rows_of_the_first_lines_tell_the_format)
{
    static const struct {
        const char *text, *whole, *cut;
    } t[] = {
        {"", "", ""},
        {"#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_ms\n", "google2011-attempts=100",
         "google2011-attempts=100"},
        {"#job\ttask\tattempt\tsubmit_ms\tschedule_ms\tend_m\n", "", ""},
        {"#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_inst\n",
         "alibaba2018-dag=100", "alibaba2018-dag=100"},
        {"5,,77,0,,0,u,0,2,0.5,,,0\n", "google2011=95", "google2011=95"},
        {"5,,77,0,,8,u,0,2,0.5,,,0\n", "google2011=95", "google2011=95"},
        {"5,,77,0,,9,u,0,2,0.5,,,0\n", "", ""},
        {"5,,77,0,,10,u,0,2,0.5,,,0\n", "", ""},
        {"5,,77,0,,,u,0,2,0.5,,,0\n", "", ""},
        {"x,,77,0,,0,u,0,2,0.5,,,0\n", "", ""},
        {"5,,x,0,,0,u,0,2,0.5,,,0\n", "", ""},
        {"5,,77,x,,0,u,0,2,0.5,,,0\n", "", ""},
        {"5,,77,0,,0,u,0,2,0.5,,0\n", "", ""},
        {"M1,3,j,A,Terminated,100,140,50,0.5\n", "alibaba2018-task=90", "alibaba2018-task=90"},
        {"M1,3,j,A,Terminatd,100,140,50,0.5\n", "", ""},
        {"M1,3,j,A,Terminated,x,140,50,0.5\n", "", ""},
        {"#\nM1,3,j,A,Terminated,100,140,50,0.5", "alibaba2018-task=90", ""},
        {"i1,M1,j,A,Terminated,100,130,m_1,1,1,,,,\n", "alibaba2018-instance=90",
         "alibaba2018-instance=90"},
        {"10,20,7,3,5,Terminated,100,0.5\n", "alibaba2017-task=90", "alibaba2017-task=90"},
        {"10,20,7,3,m,Terminated,1,1,,,,\n", "alibaba2017-instance=90", "alibaba2017-instance=90"},
        {"job1\t5\t5\t100\t0\t7\n", "swim=80", "swim=80"},
        {"1\t5\t5\t100\t0\t7\n", "", ""},
        {"job1\t5\t5\t100\t0\tx\n", "", ""},
        {"job1\t5\t5\t100\t0\t7\t1\n", "", ""},
        {"9 3\n1 10 2 4 5 2 7:3 8:0.5\n", "coflow=90", "coflow=90"},
        {"9 3\n1 10 2 4 5 2 7:3 8\n", "", ""},
        {"9 3 1\n1 10 2 4 5 2 7:3 8:1\n", "", ""},
        {"9 3\n1 10 x 4 5 2 7:3 8:1\n", "", ""},
        {"9\n1 10 2 4 5 2 7:3 8:1\n", "", ""},
        {"9 3\n", "", ""},
        {"9 3", "", ""},
        {"1.5 2 3 3 4\n", "hawk=70", "hawk=70"},
        {"1.5 2 3 3\n", "", ""},
        {"1.5 0 3\n", "", ""},
        {"1 5 3 60 4 -1 2048 8 120 4096 1 7 -1 9 2 -1 -1 -1\n", "swf=85", "swf=85"},
        {"; c\n1 5 3 60 4 -1 2048 8 120 4096 1 7 -1 9 2 -1 -1 -1\n", "swf=95", "swf=95"},
        {"; c\n1 5 3 60 4 -1 2048 8 120 4096 1 7 -1 9 2 -1 -1 x\n", "", ""},
        {"; c\n1 5 3 60 4 -1 2048 8 120 4096 1 7 -1 9 2 -1 -1 1 1\n", "", ""},
        {"name\tstatus\trealtime\n", "nextflow=90", "nextflow=90"},
        {"name\tstatus\tduration\n", "nextflow=90", "nextflow=90"},
        {"name\tstatus\n", "", ""},
        {"name\trealtime\n", "", ""},
        {"status\trealtime\n", "", ""},
        {"{\"Event\":\"SparkListenerX\"}\n", "spark=100", "spark=100"},
        {" {\t\"Event\" : \"SparkListenerX\"}\n", "spark=100", "spark=100"},
        {"{\"Event\":\"org.x.SparkListenerX\"}\n", "spark=100", "spark=100"},
        {"{\"event\":\"SparkListenerX\"}\n", "", ""},
        {"{\"Event\":\"Listener\"}\n", "", ""},
        {"{\"schemaVersion\":1,\"workflow\":{}}", "wfcommons=90", "wfcommons=90"},
        {"\n{\"schemaVersion\":1}", "", ""},
        {"[\"schemaVersion\",\"workflow\"]", "", ""},
        {" {\"jobID\":1,\"mapTasks\":{}}", "rumen=90", "rumen=90"},
        {"{\"jobID\":1}", "", ""},
        {"x\"jobID\":1,\"mapTasks\"", "", ""},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        expect(is_taken_for(t[i].text, true, t[i].whole));
        expect(is_taken_for(t[i].text, false, t[i].cut));
    }
}
