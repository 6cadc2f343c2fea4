#include "jobs/streams/results_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/streams/bytes.h"
#include "tests/unit/test.h"

static char out[] = "/tmp/dolly-table-out-XXXXXX", path[] = "/tmp/dolly-table-XXXXXX";

static void open_files(const char *output)
{
    strcpy(out + sizeof out - 7, "XXXXXX");
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(out);
    expect(fd >= 0 && write(fd, output, strlen(output)) == (ssize_t)strlen(output));
    close(fd);
    close(mkstemp(path));
}

/* Whether a table of two tasks, the second with one argument only, is this text. */
static bool table_is(enum options_table kind, struct fields names, const char *want)
{
    const char *both[] = {"a,b", "c\td"};
    struct joblog_entry e = {.seq = 1, .host = ":", .start_s = 2, .command = "echo \"x\""};
    struct results_table t = {0};
    struct err err;

    expect(results_table_open(&t, path, kind, &err) == 0);
    expect(results_table_add(&t, &e, (struct fields){both, 2}, names, out, "/nowhere") == 0);
    e.seq = 2;
    expect(results_table_add(&t, &e, (struct fields){both, 1}, names, "/nowhere", out) == 0);
    fclose(t.file);
    struct bytes b = bytes_open(path);
    bool same = b.length == strlen(want) && memcmp(b.at, want, b.length) == 0;
    if (!same)
        printf("# %.*s\n", (int)b.length, b.at);
    bytes_close(b);
    return same;
}

TEST(results_table_quotes_cells_that_need_it)
{
    const char *names[] = {"one"};

    open_files("\"q\"\n\xff");
    expect(table_is(TABLE_CSV, (struct fields){NULL, 0},
                    "Seq,Host,Starttime,JobRuntime,Send,Receive,Exitval,Signal,Command,V1,V2,"
                    "Stdout,Stderr\n"
                    "1,:,2.000,0.000,0,0,0,0,\"echo \"\"x\"\"\",\"a,b\",\"c\td\",\"\"\"q\"\"\n"
                    "\xff\",\n"
                    "2,:,2.000,0.000,0,0,0,0,\"echo \"\"x\"\"\",\"a,b\",,,\"\"\"q\"\"\n\xff\"\n"));
    expect(table_is(TABLE_TSV, (struct fields){names, 1},
                    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\tone"
                    "\tV2\tStdout\tStderr\n"
                    "1\t:\t2.000\t0.000\t0\t0\t0\t0\t\"echo \"\"x\"\"\"\ta,b\t\"c\td\"\t\"\"\"q\"\""
                    "\n\xff\"\t\n"
                    "2\t:\t2.000\t0.000\t0\t0\t0\t0\t\"echo \"\"x\"\"\"\ta,b\t\t\t\"\"\"q\"\"\n"
                    "\xff\"\n"));
    unlink(out);
    unlink(path);
}

TEST(results_table_of_json_has_an_object_per_line)
{
    open_files("q\\\n");
    expect(table_is(TABLE_JSON, (struct fields){NULL, 0},
                    "{ \"Seq\": 1, \"Host\": \":\", \"Starttime\": 2.000, \"JobRuntime\": 0.000, "
                    "\"Send\": 0, \"Receive\": 0, \"Exitval\": 0, \"Signal\": 0, \"Command\": "
                    "\"echo \\\"x\\\"\", \"V\": [ \"a,b\",\"c\\u0009d\" ], \"Stdout\": "
                    "\"q\\\\\\u000a\", \"Stderr\": \"\" }\n"
                    "{ \"Seq\": 2, \"Host\": \":\", \"Starttime\": 2.000, \"JobRuntime\": 0.000, "
                    "\"Send\": 0, \"Receive\": 0, \"Exitval\": 0, \"Signal\": 0, \"Command\": "
                    "\"echo \\\"x\\\"\", \"V\": [ \"a,b\" ], \"Stdout\": \"\", \"Stderr\": "
                    "\"q\\\\\\u000a\" }\n"));
    unlink(out);
    unlink(path);
}

/* Its first character alone needs quotes, or its last. */
TEST(results_table_quotes_cells_at_their_edges)
{
    static const char *const outputs[] = {"\"x", "x ", "x", " ", "!x~"};
    static const char *const cells[] = {"\"\"\"x\"", "\"x \"", "x", "\" \"", "!x~"};
    char want[400];

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        open_files(outputs[i]);
        snprintf(want, sizeof want,
                 "Seq,Host,Starttime,JobRuntime,Send,Receive,Exitval,Signal,Command,V1,V2,"
                 "Stdout,Stderr\n"
                 "1,:,2.000,0.000,0,0,0,0,\"echo \"\"x\"\"\",\"a,b\",\"c\td\",%s,\n"
                 "2,:,2.000,0.000,0,0,0,0,\"echo \"\"x\"\"\",\"a,b\",,,%s\n",
                 cells[i], cells[i]);
        expect(table_is(TABLE_CSV, (struct fields){NULL, 0}, want));
        unlink(out);
        unlink(path);
    }
}
