/* Traces of Nextflow, Spark, WfCommons and Rumen, and the rows that they become, to the letter. */
#include "inputs/formats/rows_test.h"
#include "tests/unit/test.h"

#define NEXTFLOW                                                                                   \
    "task_id\tname\tstatus\tsubmit\tduration\trealtime\tcpus\tmemory\trchar\twchar\tpeak_"         \
    "rss\tattempt\n"
TEST(rows_of_nextflow)
{
    expect(rows_are(
        "nextflow",
        NEXTFLOW
        "1\ta (x)\tCOMPLETED\t1970-01-02 00:00:01.5\t9s\t1h 2m 3.5s\t2\t1.5 GB\t2 KB\t7\t-\t1\n"
        "\n"
        "2\tb\tFAILED\t2021-03-23 06:25:32.987\t9s\t20ms\t-\t-\t-\t-\t1 MB\t1\n"
        "3\tb\tCOMPLETED\t2020-02-29 23:59:60\t9s\t1d\t-\t-\t-\t-\t-\t2\n"
        "4\tb\tABORTED\t2000-12-31 00:00:00\t9s\t1500\t-\t-\t-\t-\t-\t1\n"
        "5\tc\tCACHED\t-\t-\t-\t-\t-\t-\t-\t-\t1\n"
        "6\tc\tSUBMITTED\t-\t-\t-\t-\t-\t-\t-\t-\t1\n"
        "7\td\tCOMPLETED\t5\t-\t-\t0\t7 B\t1 TB\t0.5 P\t-\t-\n"
        "8\te\tCOMPLETED\t5\t-\t5s\t-\t-\t-\t-\t-\t3\n"
        "9\te\tCOMPLETED\t5\t-\t5s\t-\t-\t-\t-\t-\t1\n"
        "10\te\tCOMPLETED\t5\t-\t5s\t-\t-\t-\t-\t-\t2\n"
        "11\te\tCOMPLETED\t5\t-\t5s\t-\t-\t-\t-\t-\t4\n",
        "job job=FILE @1\n"
        "attempt job=FILE phase=a task=a (x) attempt=1 submit=86401500000 mean=3723500000 in=2048 "
        "out=7 cpu=2 mem=1610612736 @2\n"
        "attempt job=FILE phase=b task=b failed attempt=1 submit=1616480732987000 mean=20000 "
        "mem=1048576 @4\n"
        "attempt job=FILE phase=b task=b attempt=2 submit=1583020800000000 mean=86400000000 @5\n"
        "attempt job=FILE phase=b task=b~1 killed attempt=1 submit=978220800000000 mean=1500000 "
        "@6\n"
        "attempt job=FILE phase=c task=c attempt=7 @7\n"
        "attempt job=FILE phase=c task=c attempt=8 @8\n"
        "attempt job=FILE phase=d task=d attempt=9 submit=5000 in=1099511627776 "
        "out=562949953421312 cpu=0 mem=7 @9\n"
        "attempt job=FILE phase=e task=e attempt=3 submit=5000 mean=5000000 @10\n"
        "attempt job=FILE phase=e task=e attempt=1 submit=5000 mean=5000000 @11\n"
        "attempt job=FILE phase=e task=e attempt=2 submit=5000 mean=5000000 @12\n"
        "attempt job=FILE phase=e task=e attempt=4 submit=5000 mean=5000000 @13\n"));
    expect(rows_are("nextflow",
                    "process\tname\tstatus\tduration\n"
                    "p q\ta (x)\tFAILED\t5s\n"
                    "p q\ta (x)\tFAILED\t5s\n"
                    "\ta (x)\tCOMPLETED\t5s\n"
                    "-\ta (x)\tCOMPLETED\t5s\n",
                    "job job=FILE @1\n"
                    "attempt job=FILE phase=p q task=a (x) failed attempt=2 mean=5000000 @2\n"
                    "attempt job=FILE phase=p q task=a (x) failed attempt=3 mean=5000000 @3\n"
                    "attempt job=FILE phase=a task=a (x) attempt=4 mean=5000000 @4\n"
                    "attempt job=FILE phase=a task=a (x)~1 attempt=5 mean=5000000 @5\n"));
    expect(rows_are("nextflow", "name\tstatus\na\tFAILED\n",
                    "job job=FILE @1\n"
                    "attempt job=FILE phase=a task=a failed attempt=2 @2\n"
                    "columns 1 @1\n"
                    "bad 1 of 3\n"));
    expect(rows_are("nextflow", "status\trealtime\nFAILED\t5s\n",
                    "job job=FILE @1\n"
                    "columns 2 @1\n"
                    "bad 2 of 3\n"));
}

/* Each of these lines is left out. */
TEST(rows_of_nextflow_that_are_wrong)
{
    static const struct {
        const char *line, *trouble;
    } t[] = {
        {"1\t-\tCOMPLETED\t-\t-\t-\t-\t-\t-\t-\t-\t1\n", "columns"},
        {"1\ta\tCOMPLETED\t-\t-\n", "columns"},
        {"1\ta\tDONE\t-\t-\t-\t-\t-\t-\t-\t-\t1\n", "word"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t-\t-\t-\t-\tx\n", "number"},
        {"1\ta\tFAILED\t-\t-\t5w\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\ts\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t1s 2\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t99999999d 99999999d\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\tx\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-2\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t2 XB\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t-2 KB\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t2 KiB\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t2 KX\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t2 BB\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t2 KB 3\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t1000 TB\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t-\tx\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t-\t-\tx\t-\t1\n", "number"},
        {"1\ta\tFAILED\t-\t-\t-\t-\t-\t-\t-\tx\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 06:25\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\tx-03-23 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-x-23 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-x 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 x:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 06:x:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 06:25:x\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t1969-12-31 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2070-01-01 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-00-23 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-13-23 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-00 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-32 06:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 24:25:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 06:60:32\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
        {"1\ta\tFAILED\t2021-03-23 06:25:61.1\t-\t-\t-\t-\t-\t-\t-\t1\n", "number"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str text = {0}, want = {0};
        str_addf(&text, "%s%s", NEXTFLOW, t[i].line);
        str_addf(&want, "job job=FILE @1\n%s 1 @2\nbad 1 of 2\n", t[i].trouble);
        expect(rows_are("nextflow", text.text, want.text));
        str_free(&text);
        str_free(&want);
    }
    /* The ends of what is taken, and a row that is there twice. */
    expect(rows_are("nextflow",
                    NEXTFLOW "1\ta\tFAILED\t2069-12-31 23:59:61\t-\t-\t-\t-\t-\t-\t-\t1\n"
                             "1\ta\tFAILED\t1970-01-01 00:00:00\t-\t-\t-\t-\t-\t-\t-\t1\n"
                             "1\ta\tFAILED\t1970-01-01 00:00:00\t-\t-\t-\t-\t-\t-\t-\t1\n",
                    "job job=FILE @1\n"
                    "attempt job=FILE phase=a task=a failed attempt=1 submit=3155760001000000 @2\n"
                    "attempt job=FILE phase=a task=a~1 failed attempt=1 submit=0 @3\n"
                    "duplicate 1 @4\n"
                    "bad 1 of 4\n"));
}

/* clang-format off */
#define LINE(event, rest) "{\"Event\":\"SparkListener" event "\"" rest "}\n"
#define TASK_INFO(id, at, ended, host)                                                             \
    ",\"Task Info\":{\"Task ID\":" id ",\"Index\":" at ",\"Launch Time\":100" ended ",\"Host\":\"" \
    host "\"}"
#define TASK_END(stage, id, why)                                                                   \
    LINE("TaskEnd", ",\"Stage ID\":" stage ",\"Task End Reason\":{\"Reason\":\"" why "\"}"         \
                    TASK_INFO(id, "1", ",\"Finish Time\":260", "g"))
static const char spark[] =
    LINE("JobStart", ",\"Job ID\":0,\"Stage IDs\":[9]")
    LINE("ApplicationStart", ",\"App ID\":\"app-1\",\"User\":\"u\",\"App Name\":\"n\"")
    LINE("ExecutorAdded", ",\"Executor ID\":\"3\",\"Executor Info\":{\"Total Cores\":4}")
    "\n"
    LINE("JobStart", ",\"Job ID\":7,\"Submission Time\":50,\"Stage IDs\":[1,2,3,9]")
    LINE("StageSubmitted", ",\"Stage Info\":{\"Stage ID\":1,\"Parent IDs\":[]}")
    LINE("StageSubmitted", ",\"Stage Info\":{\"Stage ID\":2,\"Parent IDs\":[1,3,9]}")
    LINE("TaskStart", ",\"Stage ID\":1" TASK_INFO("1", "0", "", "h"))
    LINE("TaskStart", ",\"Stage ID\":1" TASK_INFO("2", "1", "", "h"))
    LINE("TaskStart", ",\"Stage ID\":1" TASK_INFO("3", "2", "", "h"))
    LINE("TaskEnd", ",\"Stage ID\":1,\"Task End Reason\":{\"Reason\":\"Success\"}"
         TASK_INFO("1", "0", ",\"Finish Time\":250,\"Partition ID\":5", "h")
         ",\"Task Metrics\":{\"Input Metrics\":{\"Bytes Read\":1},\"Shuffle Read Metrics\":"
         "{\"Remote Bytes Read\":20,\"Local Bytes Read\":300},\"Output Metrics\":{\"Bytes "
         "Written\":4000},\"Shuffle Write Metrics\":{\"Shuffle Bytes Written\":50000}}")
    TASK_END("1", "2", "TaskKilled")
    TASK_END("2", "4", "TaskCommitDenied")
    TASK_END("2", "5", "ExecutorLostFailure")
    TASK_END("2", "5", "FetchFailed")
    TASK_END("2", "5", "Resubmitted");
static const char spark_wrong[] =
    LINE("JobStart", ",\"Job ID\":-1,\"Stage IDs\":[1]")
    LINE("JobStart", ",\"Job ID\":4294967295,\"Stage IDs\":[1]")
    LINE("JobStart", ",\"Job ID\":1,\"Stage IDs\":[0]")
    LINE("StageSubmitted", ",\"Stage Info\":{\"Stage ID\":5}")
    LINE("StageSubmitted", "")
    LINE("TaskEnd", ",\"Stage ID\":0" TASK_INFO("1", "0", "", "h"))
    LINE("TaskEnd", ",\"Stage ID\":0" TASK_INFO("1", "-1", ",\"Finish Time\":9", "h"))
    LINE("TaskEnd", ",\"Stage ID\":0,\"Task Info\":{\"Index\":1,\"Finish Time\":9}")
    LINE("TaskEnd", ",\"Stage ID\":8" TASK_INFO("1", "0", ",\"Finish Time\":9", "h"))
    "{\"Event\":\"SparkListenerTaskEnd\"\n"
    "{\"Event\":\"SparkListenerTaskEnd\"}}\n"
    "{\"Event\":\"SparkListenerLogStart\"\n"
    "not JSON\n"
    "{ \"Event\" :\t\"SparkListenerJobStart\",\"Job ID\":2}\n";
/* clang-format on */

TEST(rows_of_spark)
{
    expect(rows_are(
        "spark", spark,
        "job job=app:0 @1\n"
        "job job=app-1:7 submit=50000 user=u app=n @5\n"
        "phase job=app-1:7 phase=stage1 @6\n"
        "phase job=app-1:7 phase=stage2 parents=stage1; @7\n"
        "attempt job=app-1:7 phase=stage1 task=5 start=100000 end=250000 in=321 out=54000 node=h "
        "@11\n"
        "attempt job=app-1:7 phase=stage1 task=1 killed start=100000 end=260000 node=g @12\n"
        "attempt job=app-1:7 phase=stage2 task=1 killed start=100000 end=260000 node=g @13\n"
        "attempt job=app-1:7 phase=stage2 task=1 lost start=100000 end=260000 node=g @14\n"
        "attempt job=app-1:7 phase=stage2 task=1 failed start=100000 end=260000 node=g @15\n"
        "attempt job=app-1:7 phase=stage1 task=2 running start=100000 end=260000 @16\n"
        "machine app-1:3 cpu=4 mem=-1\n"));
    expect(rows_are("spark", spark_wrong,
                    "job job=app:1 @3\n"
                    "job job=app:2 @14\n"
                    "number 5 @1\n"
                    "json 3 @10\n"
                    "parent 3 @4\n"
                    "bad 11 of 13\n"));
}

TEST(rows_of_wfcommons)
{
    expect(rows_are(
        "wfcommons",
        "{\"name\":\"w\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":["
        "{\"id\":\"b\",\"name\":\"sort_ID0002\",\"parents\":[\"a\",\"c\"],\"inputFiles\":[\"f\","
        "\"g\","
        "\"no\"],\"outputFiles\":[\"h\"]},"
        "{\"name\":\"sort-7\",\"id\":\"a\",\"parents\":[],\"outputFiles\":[\"f\"]},"
        "{\"id\":\"c\",\"name\":\"12\"},{\"id\":\"d\",\"name\":\"ID7\"},{\"id\":\"e\",\"name\":"
        "\"x\"}],"
        "\"files\":[{\"id\":\"h\",\"sizeInBytes\":1e15},{\"id\":\"f\",\"sizeInBytes\":10},"
        "{\"id\":\"g\",\"sizeInBytes\":5},{\"id\":\"n\",\"sizeInBytes\":-5}]},"
        "\"execution\":{\"tasks\":["
        "{\"id\":\"c\",\"runtimeInSeconds\":\"x\"},"
        "{\"id\":\"a\",\"runtimeInSeconds\":1.5,\"coreCount\":2,\"memoryInBytes\":1024,"
        "\"machines\":[\"m1\",\"m2\"],\"command\":{\"program\":\"prog\"}},"
        "{\"id\":\"b\",\"runtimeInSeconds\":2,\"coreCount\":0},"
        "{\"id\":\"z\",\"runtimeInSeconds\":2},{\"id\":\"d\"}],"
        "\"machines\":[{\"nodeName\":\"m1\",\"cpu\":{\"coreCount\":8},\"memoryInBytes\":4096},"
        "{\"nodeName\":\"m2\",\"cpu\":{\"coreCount\":4}}]}}}\n",
        "job job=FILE submit=0 app=w @0\n"
        "task job=FILE phase=prog task=a in=0 out=10 tasks-above @173\n"
        "attempt job=FILE phase=prog task=a mean=1500000 cpu=2 mem=1024 node=m1 @483\n"
        "task job=FILE phase=sort task=b in=15 out=1000000000000000 tasks-above parents=a;c; @73\n"
        "attempt job=FILE phase=sort task=b mean=2000000 @604\n"
        "task job=FILE phase=12 task=c in=0 out=0 tasks-above @233\n"
        "task job=FILE phase=ID7 task=d in=0 out=0 tasks-above @256\n"
        "task job=FILE phase=x task=e in=0 out=0 tasks-above @280\n"
        "machine m1 cpu=8 mem=4096\n"
        "machine m2 cpu=4 mem=-1\n"
        "number 1 @449\n"
        "parent 1 @650\n"
        "bad 2 of 10\n"));
    expect(rows_are("wfcommons", "{\"workflow\":{\"specification\":{\"tasks\":[{\"id\":\"b\"}",
                    "json 1 @49\n"
                    "bad 1 of 1\n"));
    expect(rows_are("wfcommons", "{\"workflow\":{}}} {",
                    "json 1 @16\n"
                    "bad 1 of 1\n"));
}

#define RUMEN_TASK(id, attempts) "{\"taskID\":\"" id "\",\"attempts\":[" attempts "]}"
/* clang-format off */
static const char rumen[] =
    "{\"jobID\":\"j1\",\"jobName\":\"n\",\"user\":\"u\",\"queue\":\"q\",\"submitTime\":5,\n"
    " \"mapTasks\":[{\"taskID\":\"t1\",\"preferredLocations\":[{\"layers\":[\"r\",\"h1\"]},"
    "{\"layers\":[\"r\",\"h2\"]}],\"attempts\":["
    "{\"attemptID\":\"a_m_3\",\"result\":\"SUCCESS\",\"startTime\":7,\"finishTime\":9,"
    "\"hostName\":\"/r/h1\",\"hdfsBytesRead\":11,\"hdfsBytesWritten\":12,\"mapOutputBytes\":13},"
    "{\"attemptID\":\"a\",\"result\":\"KILLED\",\"startTime\":7,\"finishTime\":9,"
    "\"hostName\":\"/h1\",\"hdfsBytesRead\":11}]},"
    RUMEN_TASK("t2",
        "{\"attemptID\":\"a_x\",\"result\":\"FAILED\",\"startTime\":0,\"finishTime\":0},"
        "{\"attemptID\":\"a_-1\",\"result\":\"SUCCEEDED\",\"startTime\":1,\"finishTime\":2,"
        "\"hdfsBytesWritten\":4}") "],\n"
    " \"reduceTasks\":["
    RUMEN_TASK("t3",
        "{\"result\":\"SUCCESS\",\"startTime\":8,\"finishTime\":9,\"hdfsBytesRead\":1,"
        "\"reduceShuffleBytes\":2,\"mapOutputBytes\":3,\"hdfsBytesWritten\":4}") "],\n"
    " \"otherTasks\":[" RUMEN_TASK("t4", "{\"result\":\"SUCCESS\",\"startTime\":8}") "]}\n"
    "{\"jobID\":\"j2\",\"submitTime\":-1,\n \"reduceTasks\":["
    RUMEN_TASK("t3", "{\"result\":\"GONE\",\"startTime\":8,\"finishTime\":9}") ","
    RUMEN_TASK("t4", "{\"result\":\"FAILED\",\"startTime\":8}") ","
    RUMEN_TASK("t5", "{\"result\":\"FAILED\",\"finishTime\":8}") ","
    RUMEN_TASK("t6", "{\"result\":\"FAILED\",\"startTime\":9223372036854775807,"
                     "\"finishTime\":8}") ","
    RUMEN_TASK("t7", "{\"result\":\"FAILED\",\"startTime\":1,"
                     "\"finishTime\":9223372036854775807}") ","
    RUMEN_TASK("", "{\"result\":\"FAILED\",\"startTime\":1,\"finishTime\":2}") "]}\n";
/* clang-format on */

TEST(rows_of_rumen)
{
    expect(rows_are(
        "rumen", rumen,
        "job job=j1 submit=5000 user=u queue=q name=n @0\n"
        "phase job=j1 phase=reduce parents=map; @0\n"
        "attempt job=j1 phase=map task=t1 attempt=3 start=7000 end=9000 in=11 out=13 hosts=h1;h2; "
        "node=/r/h1 @175\n"
        "attempt job=j1 phase=map task=t1 killed start=7000 end=9000 hosts=h1;h2; node=/h1 @325\n"
        "attempt job=j1 phase=map task=t2 failed start=0 end=0 @455\n"
        "attempt job=j1 phase=map task=t2 start=1000 end=2000 out=4 @522\n"
        "attempt job=j1 phase=reduce task=t3 start=8000 end=9000 in=2 out=4 @661\n"
        "job job=j2 @875\n"
        "racks 1\n"
        "number 5 @1027\n"
        "word 1 @951\n"
        "bad 6 of 14\n"));
    expect(rows_are("rumen",
                    "{\"jobID\":\"j1\", oops {\n \"x\":1}\n{\"jobID\":\"j2\"}\n{\"jobID\":",
                    "job job=j2 @0\n"
                    "json 2 @16\n"
                    "bad 2 of 3\n"));
}
