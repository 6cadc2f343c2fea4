#include "commands/commands.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/command.h"
#include "ui/cli.h"

/* Two jobs whose times nothing changes, on four slots. Job sort has a task that takes three times
 * as long as its siblings; job scan comes while all slots are taken. */
static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=5s\n"
                               "  phase map tasks=2 size=10s\n";

static void open_runs(struct command_folder *f)
{
    command_begin(f);
    command_file("w", workload);
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_run(cmd_sim, "sim --workload w --cluster 3x2 --policy none --journal wide", NULL,
                       NULL) == 0);
}

/* What a file of the folder holds; free it with mem_free. */
static char *file(const char *name)
{
    struct str text = {0};
    char piece[4096];
    FILE *f = fopen(name, "re");
    str_add(&text, "");
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        str_add_bytes(&text, piece, n);
    if (f)
        fclose(f);
    char *copy = mem_strdup(text.text);
    str_free(&text);
    return copy;
}

static bool holds(const char *name, const char *expected)
{
    char *text = file(name);
    bool found = strstr(text, expected);
    if (!found)
        printf("%s:\n%.3000s\n    lacks\n%s\n", name, text, expected);
    mem_free(text);
    return found;
}

TEST(report_tables_have_a_row_for_each_attempt_and_job)
{
    struct command_folder f;
    open_runs(&f);
    expect(command_prints(cmd_report, "report run --csv csv", ""));
    expect(holds("csv/attempts.csv",
                 "job,phase,task,attempt,node,lane,kind,why,end,cause,launched_s,started_s,rea"
                 "d_from_s,read_to_s,ended_s,cpu_s,read_bytes,written_bytes,peak_rss_kib,exit,"
                 "task_index,job_name,phase_name,command,duration_s,ran_s,straggled,rescued,al"
                 "one_about_s\n"
                 "0,0,0,0,n1,0,first,runnable,won,none,0.000000,0.000000,,,10.000000,,0,0,,0,0"
                 ",sort,map,,10.000000,10.000000,0,0,\n"
                 "0,0,1,0,n1,1,first,runnable,won,none,0.000000,0.000000,,,10.000000,,0,0,,0,1"
                 ",sort,map,,10.000000,10.000000,0,0,\n"
                 "0,0,2,0,n0,0,first,runnable,won,none,0.000000,0.000000,,,10.000000,,0,0,,0,2"
                 ",sort,map,,10.000000,10.000000,0,0,\n"
                 "1,0,0,0,n0,0,first,runnable,won,none,10.000000,10.000000,,,20.000000,,0,0,,0"
                 ",0,scan,map,,10.000000,10.000000,0,0,\n"
                 "1,0,1,0,n1,0,first,runnable,won,none,10.000000,10.000000,,,20.000000,,0,0,,0"
                 ",1,scan,map,,10.000000,10.000000,0,0,\n"
                 "0,0,3,0,n0,1,first,runnable,won,none,0.000000,0.000000,,,30.000000,,0,0,,0,3"
                 ",sort,map,,30.000000,30.000000,1,0,\n"
                 "0,1,0,0,n1,0,first,runnable,won,none,30.000000,30.000000,30.000000,30.000000"
                 ",35.000000,,0,0,,0,0,sort,reduce,,5.000000,5.000000,0,0,\n"));
    expect(holds("csv/jobs.csv",
                 "job,name,tasks,extra,end,arrived_s,began_s,ended_s,failed_tasks,measured,too"
                 "k_s,waited_s\n"
                 "0,sort,5,0,done,0.000000,0.000000,35.000000,0,1,35.000000,0.000000\n"
                 "1,scan,2,0,done,5.000000,10.000000,20.000000,0,1,15.000000,5.000000\n"));
    expect(holds("csv/phases.csv",
                 "phase,metric,tasks,done,rescued,failed,values,least,quarter,median,three_qua"
                 "rters,most\n"
                 "map,time_s,6,6,0,0,6,10.000000,10.000000,10.000000,10.000000,30.000000\n"
                 "map,reading_s,6,6,0,0,6,0.000000,0.000000,0.000000,0.000000,0.000000\n"
                 "map,read_bytes,6,6,0,0,6,0,0,0,0,0\n"
                 "reduce,time_s,1,1,0,0,1,5.000000,5.000000,5.000000,5.000000,5.000000\n"
                 "reduce,reading_s,1,1,0,0,1,0.000000,0.000000,0.000000,0.000000,0.000000\n"
                 "reduce,read_bytes,1,1,0,0,1,0,0,0,0,0\n"));
    expect(holds("csv/verdicts.csv", "verdict,count,meaning\n"));
    expect(command_prints(
        cmd_report, "report run --nextflow -",
        "task_id\thash\tnative_"
        "id\tname\tprocess\tstatus\texit\tsubmit\tstart\tcomplete\tduration\trealtime\t%cpu\tpeak_"
        "rss\tpeak_vmem\trchar\twchar\tattempt\thostname\n"
        "1\t-\t-\tmap (0/0)\tmap\tCOMPLETED\t0\t0\t0\t10000\t10000\t10000\t-\t-\t-\t0\t0\t1\tn1\n"
        "2\t-\t-\tmap (0/1)\tmap\tCOMPLETED\t0\t0\t0\t10000\t10000\t10000\t-\t-\t-\t0\t0\t1\tn1\n"
        "3\t-\t-\tmap (0/2)\tmap\tCOMPLETED\t0\t0\t0\t10000\t10000\t10000\t-\t-\t-\t0\t0\t1\tn0\n"
        "4\t-\t-\tmap "
        "(1/0)\tmap\tCOMPLETED\t0\t10000\t10000\t20000\t10000\t10000\t-\t-\t-\t0\t0\t1\tn0\n"
        "5\t-\t-\tmap "
        "(1/1)\tmap\tCOMPLETED\t0\t10000\t10000\t20000\t10000\t10000\t-\t-\t-\t0\t0\t1\tn1\n"
        "6\t-\t-\tmap (0/3)\tmap\tCOMPLETED\t0\t0\t0\t30000\t30000\t30000\t-\t-\t-\t0\t0\t1\tn0\n"
        "7\t-\t-\treduce "
        "(0/0)\treduce\tCOMPLETED\t0\t30000\t30000\t35000\t5000\t5000\t-\t-\t-\t0\t0\t1\tn1\n"));
    expect(command_prints(
        cmd_report, "report run --trace -",
        "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"n0\"}"
        "},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":0,\"args\":{\"name"
        "\":\"lane 0\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name"
        "\":\"lane 1\"}},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"args\":{\"name\":\"n1\"}"
        "},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":0,\"args\":{\"name"
        "\":\"lane 0\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":1,\"args\":{\"name"
        "\":\"lane 1\"}},\n"
        "{\"ph\":\"C\",\"name\":\"running\",\"pid\":0,\"ts\":0,\"args\":{\"value\":4}"
        "},\n"
        "{\"ph\":\"C\",\"name\":\"running\",\"pid\":0,\"ts\":9984000,\"args\":{\"valu"
        "e\":3.5}},\n"
        "{\"ph\":\"C\",\"name\":\"running\",\"pid\":0,\"ts\":10016000,\"args\":{\"val"
        "ue\":3}},\n"
        "{\"ph\":\"C\",\"name\":\"running\",\"pid\":0,\"ts\":20000000,\"args\":{\"val"
        "ue\":1}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":0,\"args\":{\"value\":1}"
        "},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":4992000,\"args\":{\"valu"
        "e\":2.5}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":5024000,\"args\":{\"valu"
        "e\":3}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":9984000,\"args\":{\"valu"
        "e\":2}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":10016000,\"args\":{\"val"
        "ue\":1}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":29984000,\"args\":{\"val"
        "ue\":0.5}},\n"
        "{\"ph\":\"C\",\"name\":\"waiting\",\"pid\":0,\"ts\":30016000,\"args\":{\"val"
        "ue\":0}},\n"
        "{\"ph\":\"C\",\"name\":\"slots in use\",\"pid\":0,\"ts\":0,\"args\":{\"value"
        "\":4}},\n"
        "{\"ph\":\"C\",\"name\":\"slots in use\",\"pid\":0,\"ts\":9984000,\"args\":{"
        "\"value\":3.5}},\n"
        "{\"ph\":\"C\",\"name\":\"slots in use\",\"pid\":0,\"ts\":10016000,\"args\":{"
        "\"value\":3}},\n"
        "{\"ph\":\"C\",\"name\":\"slots in use\",\"pid\":0,\"ts\":20000000,\"args\":{"
        "\"value\":1}},\n"
        "{\"ph\":\"X\",\"name\":\"map 0\",\"cat\":\"first,won\",\"pid\":2,\"tid\":0,"
        "\"ts\":0,\"dur\":10000000,\"args\":{\"job\":0,\"job_name\":\"sort\",\"phase"
        "\":\"map\",\"task\":0,\"attempt\":0,\"node\":\"n1\",\"kind\":\"first\",\"end"
        "\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0}},\n"
        "{\"ph\":\"X\",\"name\":\"map 1\",\"cat\":\"first,won\",\"pid\":2,\"tid\":1,"
        "\"ts\":0,\"dur\":10000000,\"args\":{\"job\":0,\"job_name\":\"sort\",\"phase"
        "\":\"map\",\"task\":1,\"attempt\":0,\"node\":\"n1\",\"kind\":\"first\",\"end"
        "\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0}},\n"
        "{\"ph\":\"X\",\"name\":\"map 2\",\"cat\":\"first,won\",\"pid\":1,\"tid\":0,"
        "\"ts\":0,\"dur\":10000000,\"args\":{\"job\":0,\"job_name\":\"sort\",\"phase"
        "\":\"map\",\"task\":2,\"attempt\":0,\"node\":\"n0\",\"kind\":\"first\",\"end"
        "\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0}},\n"
        "{\"ph\":\"X\",\"name\":\"map 3\",\"cat\":\"first,won\",\"pid\":1,\"tid\":1,"
        "\"ts\":0,\"dur\":30000000,\"args\":{\"job\":0,\"job_name\":\"sort\",\"phase"
        "\":\"map\",\"task\":3,\"attempt\":0,\"node\":\"n0\",\"kind\":\"first\",\"end"
        "\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0}},\n"
        "{\"ph\":\"X\",\"name\":\"reduce 0\",\"cat\":\"first,won\",\"pid\":2,\"tid\":"
        "0,\"ts\":30000000,\"dur\":5000000,\"args\":{\"job\":0,\"job_name\":\"sort\","
        "\"phase\":\"reduce\",\"task\":0,\"attempt\":0,\"node\":\"n1\",\"kind\":\"fir"
        "st\",\"end\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\""
        ":0}},\n"
        "{\"ph\":\"X\",\"name\":\"map 0\",\"cat\":\"first,won\",\"pid\":1,\"tid\":0,"
        "\"ts\":10000000,\"dur\":10000000,\"args\":{\"job\":1,\"job_name\":\"scan\","
        "\"phase\":\"map\",\"task\":0,\"attempt\":0,\"node\":\"n0\",\"kind\":\"first"
        "\",\"end\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0"
        "}},\n"
        "{\"ph\":\"X\",\"name\":\"map 1\",\"cat\":\"first,won\",\"pid\":2,\"tid\":0,"
        "\"ts\":10000000,\"dur\":10000000,\"args\":{\"job\":1,\"job_name\":\"scan\","
        "\"phase\":\"map\",\"task\":1,\"attempt\":0,\"node\":\"n1\",\"kind\":\"first"
        "\",\"end\":\"won\",\"why\":\"runnable\",\"read_bytes\":0,\"written_bytes\":0"
        "}},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"run\""
        "}}\n"
        "]}\n"));
    command_end(&f);
}

/* Returns true if this stands between the title and the data of the page. */
static bool shows(const char *name, const char *expected)
{
    char *page = file(name), *from = strstr(page, "<main>"), *to = strstr(page, "<script");
    if (to)
        *to = '\0';
    bool same = from && strcmp(from, expected) == 0;
    if (!same)
        printf("page %s\n%s\n    not\n%s\n", name, from, expected);
    mem_free(page);
    return same;
}

TEST(report_page_has_the_numbers_of_the_run)
{
    struct command_folder f;
    open_runs(&f);
    expect(command_prints(cmd_report, "report run", "run.html\n"));
    expect(
        shows("run.html",
              "<main>\n"
              "<h1>2 jobs, mean 25 s, p95 35 s</h1>\n"
              "<p class=\"meta\" id=\"origin\">simulated · workload w · cluster 2x2 · 2 jobs with "
              "7 tasks, 7 done · <span title=\"none\">policy none</span> · seed 1 · "
              "dolly " DOLLY_VERSION "</p>\n"
              "<ul id=\"sentences\">\n"
              "<li>Each task had one attempt at a time: the policy starts no second one.</li>\n"
              "<li>Stragglers cost jobs about 20 s in all; the last task of 1 phase was slow where "
              "others were not (20 s).</li>\n"
              "</ul>\n"
              "<section id=\"view\" hidden></section>\n"
              "<noscript><p>The timeline needs JavaScript; the tables do not.</p></noscript>\n"
              "<h2>Phases</h2>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"phases\">\n"
              "<thead><tr><th scope=\"col\">phase</th><th scope=\"col\">tasks</th><th "
              "scope=\"col\">least</th><th scope=\"col\">quarter</th><th "
              "scope=\"col\">median</th><th scope=\"col\">three quarters</th><th "
              "scope=\"col\">most</th><th scope=\"col\">rescued</th><th "
              "scope=\"col\">failed</th></tr></thead>\n"
              "<tbody>\n"
              "<tr><td>map: time of a task</td><td class=\"n\">6</td><td class=\"n\">10 s</td><td "
              "class=\"n\">10 s</td><td class=\"n\">10 s</td><td class=\"n\">10 s</td><td "
              "class=\"n\">30 s</td><td class=\"n\">0</td><td class=\"n\">0</td></tr>\n"
              "<tr><td>reduce: time of a task</td><td class=\"n\">1</td><td class=\"n\">5 "
              "s</td><td class=\"n\">5 s</td><td class=\"n\">5 s</td><td class=\"n\">5 s</td><td "
              "class=\"n\">5 s</td><td class=\"n\">0</td><td class=\"n\">0</td></tr>\n"
              "</tbody></table></div>\n"
              "<details id=\"held\"><summary>What held up the last task of a phase</summary>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"causes\">\n"
              "<thead><tr><th scope=\"col\">the last task of a phase</th><th "
              "scope=\"col\">phases</th><th scope=\"col\">in all</th></tr></thead>\n"
              "<tbody>\n"
              "<tr data-us=\"20000000\"><td>was slow where others were not</td><td "
              "class=\"n\">1</td><td class=\"n\">20 s</td></tr>\n"
              "</tbody></table></div>\n"
              "</details>\n"
              "<details id=\"slowest\"><summary>The slowest jobs</summary>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"jobs\">\n"
              "<thead><tr><th scope=\"col\">job</th><th scope=\"col\">name</th><th "
              "scope=\"col\">tasks</th><th scope=\"col\">extra attempts</th><th "
              "scope=\"col\">took</th><th scope=\"col\">waited first</th><th "
              "scope=\"col\">end</th></tr></thead>\n"
              "<tbody>\n"
              "<tr data-job=\"0\"><td class=\"n\">0</td><td>sort</td><td class=\"n\">5</td><td "
              "class=\"n\">0</td><td class=\"n\">35 s</td><td class=\"n\">0 "
              "s</td><td>done</td></tr>\n"
              "<tr data-job=\"1\"><td class=\"n\">1</td><td>scan</td><td class=\"n\">2</td><td "
              "class=\"n\">0</td><td class=\"n\">15 s</td><td class=\"n\">5 "
              "s</td><td>done</td></tr>\n"
              "</tbody></table></div>\n"
              "</details>\n"
              "<details id=\"story\"><summary>The whole story</summary>\n"
              "<p>A run of the policy none in the simulator, from 0 s to 35 s.</p>\n"
              "<p>2 jobs with 7 tasks: 2 jobs done, 0 failed; 7 tasks done, 0 failed.</p>\n"
              "<p>A job took 25 s on average.</p>\n"
              "<p>No phase was considered for cloning: the policy makes no clones.</p>\n"
              "<p>7 first attempts launched, 7 won.</p>\n"
              "<p>0 attempts were killed; 0 attempts failed.</p>\n"
              "<p>1 attempt is known to have straggled; straggling cost jobs about 20 s in all, "
              "each taken by itself.</p>\n"
              "<p>Phases waited for a last task that</p>\n"
              "<p class=\"more\">  was slow where others were not: 1 phase, 20 s</p>\n"
              "<p>The slowest jobs:</p>\n"
              "<p class=\"more\">  job 0 (sort), 5 tasks: 35 s; straggling cost about 20 s; not "
              "cloned</p>\n"
              "<p class=\"more\">  job 1 (scan), 2 tasks: 15 s, of which it waited 5 s; not "
              "cloned</p>\n"
              "<p>Ask for one with: dolly explain run 0</p>\n"
              "</details>\n"
              "<p class=\"meta\" id=\"journal\">Journal: run</p>\n"));
    expect(holds("run.html",
                 "\"rows\":7,\"left_out\":0,\"left_out_s\":0.0,\"columns\":[{\"name\":\"launched\","
                 "\"size\":4,\"from\":0},{\"name\":\"started\",\"size\":4,\"from\":28},{\"name\":"
                 "\"read_from\",\"size\":4,\"from\":56},{\"name\":\"read_to\",\"size\":4,\"from\":"
                 "84},{\"name\":\"ended\",\"size\":4,\"from\":112},{\"name\":\"job\",\"size\":4,"
                 "\"from\":140},{\"name\":\"task\",\"size\":4,\"from\":168},{\"name\":\"node\","
                 "\"size\":4,\"from\":196},{\"name\":\"lane\",\"size\":2,\"from\":224},"));
    expect(holds(
        "run.html",
        "\"reads_kept\":3,\"kinds\":[\"first\",\"clone\",\"backup\",\"restart\",\"recompute\"]"));
    expect(holds("run.html",
                 "\"nodes\":[{\"name\":\"n0\",\"lanes\":2},{\"name\":\"n1\",\"lanes\":2}],\"jobs\":"
                 "[{\"id\":0,\"name\":\"sort\",\"shape\":0,\"tasks\":5,\"arrived_s\":0.0,"
                 "\"took_s\":35.0},{\"id\":1,\"name\":\"scan\",\"shape\":1,\"tasks\":2,"
                 "\"arrived_s\":5.0,\"took_s\":15.0}],\"shapes\":[[\"map\",\"reduce\"],[\"map\"]],"
                 "\"jobs_left_out\":0,"));
    command_end(&f);
}

/* What its scripts read: an element each. */
TEST(report_page_has_its_data)
{
    static const char *const ids[] = {"data", "columns", "stories"};
    struct command_folder f;
    open_runs(&f);
    expect(command_run(cmd_report, "report run", NULL, NULL) == 0);
    char *page = file("run.html");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char id[32];
        snprintf(id, sizeof id, " id=\"%s-0\">", ids[i]);
        const char *at = strstr(page, id);
        expect(at && at[strlen(id)] != '<' && !strstr(at + 1, id));
    }
    mem_free(page);
    command_end(&f);
}

/* A limit is drawn beside the values that it is about; how many slots there are stands there. */
TEST(report_page_has_values_over_time)
{
    struct command_folder f;
    open_runs(&f);
    expect(command_run(cmd_report, "report run", NULL, NULL) == 0);
    char *page = file("run.html"), *slots = strstr(page, "\"name\":\"slots in use\"");
    expect(slots && strstr(slots, "\"limit_name\":") && strstr(slots, "\"of\":4.0"));
    const char *running = strstr(page, "\"name\":\"running attempts\"");
    expect(running && running < slots && !strstr(running, "\"of\":4.0},{\"name\":\"slots"));
    uint32_t all = 0;
    for (const char *at = page; (at = strstr(at, "\"of\":")); at++)
        all++;
    expect(all == 1);
    mem_free(page);
    command_end(&f);
}

TEST(report_page_compares_runs_job_by_job)
{
    struct command_folder f;
    open_runs(&f);
    expect(command_prints(cmd_report, "report --compare run wide -o two.html", "two.html\n"));
    expect(
        shows("two.html",
              "<main>\n"
              "<h1>wide: jobs end 10 % sooner than with run <span class=\"range\">(22.5 s, not 25 "
              "s)</span></h1>\n"
              "<p class=\"meta\" id=\"origin\">2 jobs compared · simulated · workload w · cluster "
              "2x2 · seed 1 · dolly " DOLLY_VERSION "</p>\n"
              "<ul id=\"sentences\">\n"
              "<li>Of 2 jobs 1 end sooner with wide by more than 1 %, 0 later, and 1 as "
              "soon.</li>\n"
              "</ul>\n"
              "<section id=\"view\" hidden></section>\n"
              "<noscript><p>The pictures need JavaScript; the tables do not.</p></noscript>\n"
              "<h2>Mean time of a job (s), by its number of tasks</h2>\n"
              "<div id=\"dumbbells\"></div>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"bins\">\n"
              "<thead><tr><th scope=\"col\">tasks</th><th scope=\"col\">jobs</th><th "
              "scope=\"col\">run</th><th scope=\"col\">wide</th><th scope=\"col\">with "
              "wide</th></tr></thead>\n"
              "<tbody>\n"
              "<tr><td>1-10</td><td class=\"n\">2</td><td class=\"n\">25.00</td><td "
              "class=\"n\">22.50</td><td class=\"n better\">-10.0&nbsp;%</td></tr>\n"
              "</tbody></table></div>\n"
              "<section id=\"charts\" hidden></section>\n"
              "<h2>Jobs that changed most</h2>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"jobs\">\n"
              "<thead><tr><th scope=\"col\">job</th><th scope=\"col\">name</th><th "
              "scope=\"col\">tasks</th><th scope=\"col\">run</th><th scope=\"col\">wide</th><th "
              "scope=\"col\">difference</th></tr></thead>\n"
              "<tbody>\n"
              "<tr data-job=\"1\"><td class=\"n\">1</td><td>scan</td><td class=\"n\">2</td><td "
              "class=\"n\">15 s</td><td class=\"n\">10 s</td><td class=\"n "
              "better\">-33.3&nbsp;%</td></tr>\n"
              "<tr data-job=\"0\"><td class=\"n\">0</td><td>sort</td><td class=\"n\">5</td><td "
              "class=\"n\">35 s</td><td class=\"n\">35 s</td><td class=\"n "
              "same\">+0.0&nbsp;%</td></tr>\n"
              "</tbody></table></div>\n"
              "<h2>The runs</h2>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table id=\"runs\">\n"
              "<thead><tr><th scope=\"col\">run</th><th scope=\"col\">policy</th><th "
              "scope=\"col\">mean s</th><th "
              "scope=\"col\">median s</th><th scope=\"col\">p95 s</th><th scope=\"col\">longest "
              "s</th><th scope=\"col\">all jobs over</th><th scope=\"col\">straggling cost</th><th "
              "scope=\"col\">extra attempts</th><th scope=\"col\">of them won</th><th "
              "scope=\"col\">killed</th><th scope=\"col\">slot-s in vain</th></tr></thead>\n"
              "<tbody>\n"
              "<tr><td>run</td><td><span title=\"none\">none</span></td>"
              "<td class=\"n\">25.00</td><td class=\"n\">15.00</td><td "
              "class=\"n\">35.00</td><td class=\"n\">35.00</td><td class=\"n\">35 s</td><td "
              "class=\"n\">20 s</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
              "class=\"n\">0</td><td class=\"n\">0</td></tr>\n"
              "<tr><td>wide</td><td><span title=\"none\">none</span></td>"
              "<td class=\"n\">22.50</td><td class=\"n\">10.00</td><td "
              "class=\"n\">35.00</td><td class=\"n\">35.00</td><td class=\"n\">35 s</td><td "
              "class=\"n\">20 s</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
              "class=\"n\">0</td><td class=\"n\">0</td></tr>\n"
              "</tbody></table></div>\n"));
    expect(command_fails(cmd_report, "report --compare run", 2, "two to six journals"));
    expect(command_fails(cmd_report, "report nothing", 2, "nothing"));
    command_end(&f);
}

/* Returns the value of a column of the row of series.csv in which this time lies. */
static double at_time(const char *csv, int column, double s)
{
    double value = -1;
    for (const char *line = strchr(csv, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *at = line + 1;
        if (strtod(at, NULL) > s)
            break;
        for (int i = 0; i < column && at; i++)
            at = strchr(at, ',') + 1;
        value = strtod(at, NULL);
    }
    return value;
}

/* One backup, of one slot of eight, which lives from 11 s to 30 s and is not paid for by a budget
 * of clones. */
TEST(report_has_backups_over_time_apart_from_clones)
{
    struct command_folder f;
    command_begin(&f);
    command_file("w", workload);
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster 4x2 --policy "
                       "mapreduce;backup_at=0.5;scan=1s --journal run",
                       NULL, NULL) == 0);
    expect(command_prints(cmd_report, "report run --csv csv", ""));
    char *csv = file("csv/series.csv");
    static const char head[] = "from_s,running,waiting,extra_percent,nodes_down,omega_s,slots,"
                               "slots_all,mem_percent,x_percent,y_percent,cpu_s_per_s,"
                               "clones_percent,clones_limit_percent,backups_percent,"
                               "backups_limit_percent\n";
    enum { RUNNING = 1, WAITING, EXTRA, SLOTS = 6, SLOTS_ALL, CLONES = 12, BACKUPS = 14 };
    expect(strncmp(csv, head, sizeof head - 1) == 0);
    expect(at_time(csv, BACKUPS, 10.5) == 0 && at_time(csv, BACKUPS, 30.5) == 0);
    expect(at_time(csv, BACKUPS, 12) == 12.5 && at_time(csv, BACKUPS, 29) == 12.5);
    expect(at_time(csv, EXTRA, 12) == 12.5 && at_time(csv, EXTRA, 30.5) == 0);
    expect(at_time(csv, CLONES, 12) == 0 && at_time(csv, CLONES, 29) == 0);
    expect(at_time(csv, RUNNING, 12) == 4 && at_time(csv, RUNNING, 30.5) == 1);
    expect(at_time(csv, WAITING, 1) == 1 && at_time(csv, WAITING, 31) == 0);
    expect(at_time(csv, SLOTS, 12) == 4 && at_time(csv, SLOTS_ALL, 12) == 8);
    mem_free(csv);
    command_end(&f);
}
