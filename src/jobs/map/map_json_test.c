/* Outputs are text where they are UTF-8 without NUL, else base64. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "jobs/map/map.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

/* Returns the object of a task that printed these bytes; free it. */
static char *print_task(const char *bytes, size_t length)
{
    static char *argv[] = {"map", "echo", "\"\\\t\001\377", ":::", "a"};
    char dir[TEST_FOLDER];
    struct map m = {.argc = 5, .argv = argv};
    struct map_end end = {.state = MAP_TASK_DONE};
    struct map_output p = {.end = &end};
    struct capture c;
    struct err err;

    test_folder(dir);
    p.out = path_of("%s/out", dir);
    FILE *f = fopen(p.out.text, "we");
    expect(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
    expect(options_parse(&m.options, 5, argv, &err) == 0 && map_open(&m, &err) == 0);
    capture_begin(&c, STDOUT_FILENO);
    map_json_task(&m, &p);
    char *text = capture_end(&c);
    map_close(&m);
    tree_remove(dir);
    return text;
}

static bool prints(const char *bytes, size_t length, const char *member)
{
    char *text = print_task(bytes, length);
    bool found = strstr(text, member) != NULL;

    if (!found)
        printf("# %s\n", text);
    mem_free(text);
    return found;
}

TEST(map_json_has_outputs_as_text_where_they_are_text)
{
    static const struct {
        const char *bytes, *member;
    } all[] = {
        {"", "\"stdout\":\"\""},
        {"a\n\t\"\\\001z", "\"stdout\":\"a\\n\\t\\\"\\\\\\u0001z\""},
        /* the first and the last character of each length */
        {"\302\200\337\277", "\"stdout\":\"\302\200\337\277\""},
        {"\340\240\200\357\277\277", "\"stdout\":\"\340\240\200\357\277\277\""},
        {"\360\220\200\200\364\217\277\277", "\"stdout\":\"\360\220\200\200\364\217\277\277\""},
        {"\355\237\277\356\200\200", "\"stdout\":\"\355\237\277\356\200\200\""},
        /* and what lies beside them */
        {"\200", "\"stdout_base64\":\"gA==\""},
        {"\301\277", "\"stdout_base64\":\"wb8=\""},
        {"\340\237\277", "\"stdout_base64\":\"4J+/\""},
        {"\360\217\277\277", "\"stdout_base64\":\"8I+/vw==\""},
        {"\355\240\200", "\"stdout_base64\":\"7aCA\""},
        {"\364\220\200\200", "\"stdout_base64\":\"9JCAgA==\""},
        {"\365\200\200\200", "\"stdout_base64\":\"9YCAgA==\""},
        {"\302", "\"stdout_base64\":\"wg==\""},
        {"\302a", "\"stdout_base64\":\"wmE=\""},
        {"\342\202a", "\"stdout_base64\":\"4oJh\""},
        {"\342\202\300", "\"stdout_base64\":\"4oLA\""},
        {"text, and then \377", "\"stdout_base64\":\"dGV4dCwgYW5kIHRoZW4g/w==\""},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect(prints(all[i].bytes, strlen(all[i].bytes), all[i].member));
    expect(prints("a\0b", 3, "\"stdout_base64\":\"YQBi\""));
}

/* A command is always text. */
TEST(map_json_replaces_what_is_no_text_in_commands)
{
    expect(prints("", 0, "\"command\":\"echo \\\"\\\\\\t\\u0001\357\277\275 a\""));
    expect(prints("", 0, "{\"results\":[\n{\"seq\":1,"));
    expect(prints("", 0, "\"stderr\":\"\"}"));
}

/* Results of all tasks are one list, which begins once. */
TEST(map_json_is_one_object)
{
    static char *argv[] = {"map", "echo", ":::", "a", "b"};
    struct map m = {.argc = 5, .argv = argv};
    struct map_end end = {.state = MAP_TASK_FAILED,
                          .exit = 3,
                          .start_s = 1.25,
                          .runtime_s = 0.5,
                          .attempt = 2,
                          .extra = true};
    struct map_output p = {.task = 1, .end = &end};
    struct capture c;
    struct err err;

    expect(options_parse(&m.options, 5, argv, &err) == 0 && map_open(&m, &err) == 0);
    capture_begin(&c, STDOUT_FILENO);
    map_json_task(&m, &p);
    p.task = 0;
    end = (struct map_end){.state = MAP_TASK_DONE, .cpu_s = 0.25};
    map_json_task(&m, &p);
    char *text = capture_end(&c);
    expect(!strcmp(text,
                   "{\"results\":[\n"
                   "{\"seq\":2,\"command\":\"echo b\",\"state\":\"failed\",\"exit\":3,\"signal\":0,"
                   "\"start_s\":1.250,\"runtime_s\":0.500000,\"cpu_s\":0.000000,\"attempt\":2,"
                   "\"clone\":true,\"stdout\":\"\",\"stderr\":\"\"},\n"
                   "{\"seq\":1,\"command\":\"echo a\",\"state\":\"done\",\"exit\":0,\"signal\":0,"
                   "\"start_s\":0.000,\"runtime_s\":0.000000,\"cpu_s\":0.250000,\"attempt\":0,"
                   "\"clone\":false,\"stdout\":\"\",\"stderr\":\"\"}"));
    mem_free(text);
    map_close(&m);
}
