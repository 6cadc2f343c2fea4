#include "tests/unit/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/capture.h"

enum { WORDS_MAX = 32 };

void command_begin(struct command_folder *f)
{
    test_folder(f->path);
    f->before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(f->before >= 0 && chdir(f->path) == 0);
}

void command_end(struct command_folder *f)
{
    char command[TEST_FOLDER + 16];

    check(fchdir(f->before) == 0);
    close(f->before);
    snprintf(command, sizeof command, "rm -rf '%s'", f->path);
    check(system(command) == 0);
}

void command_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "we");
    check(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

int command_run(int (*command)(int argc, char **argv), const char *words, char **out, char **err)
{
    char *text = mem_strdup(words), *rest = NULL, *argv[WORDS_MAX + 1];
    struct capture printed, complained;
    int argc = 0;

    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        check(argc < WORDS_MAX);
        argv[argc++] = w;
    }
    argv[argc] = NULL;
    capture_begin(&printed, STDOUT_FILENO);
    capture_begin(&complained, STDERR_FILENO);
    int status = command(argc, argv);
    char *said = capture_end(&complained), *shown = capture_end(&printed);
    if (out)
        *out = shown;
    else
        mem_free(shown);
    if (err)
        *err = said;
    else
        mem_free(said);
    mem_free(text);
    return status;
}

void command_mask(char *text)
{
    static const char *const costs[] = {"\"wall_s\":", "\"peak_rss_kib\":", "\"events\":"};

    for (char *c = text; *c;) {
        size_t hex = strspn(c, "0123456789abcdef");
        if (hex == 16 && (c == text || c[-1] != '.'))
            memset(c, 'x', hex);
        c += hex ? hex : 1;
    }
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (char *c = text; (c = strstr(c, costs[i]));) {
            c += strlen(costs[i]);
            c += *c == ' ';
            size_t digits = strspn(c, "0123456789.e-");
            if (digits == 0)
                continue;
            memmove(c + 1, c + digits, strlen(c + digits) + 1);
            *c = 'x';
        }
}

bool command_prints(int (*command)(int argc, char **argv), const char *words, const char *expected)
{
    char *out, *err;
    int status = command_run(command, words, &out, &err);
    command_mask(out);
    bool same = status == 0 && strcmp(out, expected) == 0;
    if (!same)
        printf("%s: status %d\n%s%s\n    not\n%s\n", words, status, err, out, expected);
    mem_free(out);
    mem_free(err);
    return same;
}

void command_json_pack(char *json)
{
    bool inside = false;
    char *to = json;

    for (const char *c = json; *c; c++) {
        bool escapes = inside && *c == '\\' && c[1];
        if (!inside && (*c == ' ' || *c == '\n'))
            continue;
        inside ^= *c == '"';
        *to++ = *c;
        if (escapes)
            *to++ = *++c;
    }
    *to = '\0';
}

bool command_prints_json(int (*command)(int argc, char **argv), const char *words,
                         const char *expected)
{
    char *out, *err;
    int status = command_run(command, words, &out, &err);
    size_t same = 0;

    command_mask(out);
    command_json_pack(out);
    while (out[same] && out[same] == expected[same])
        same++;
    bool right = status == 0 && out[same] == expected[same];
    if (!right)
        printf("%s: status %d\n%s%s\n    not\n%s\n    from %.60s\n", words, status, err, out,
               expected, out + same);
    mem_free(out);
    mem_free(err);
    return right;
}

bool command_has_part(const char *text, const char *part)
{
    bool found = strstr(text, part);

    if (!found)
        printf("%s\n    lacks\n%s\n", text, part);
    return found;
}

bool command_fails(int (*command)(int argc, char **argv), const char *words, int status,
                   const char *why)
{
    char *out, *err;
    int was = command_run(command, words, &out, &err);
    bool same = was == status && !*out && strstr(err, why);
    if (!same)
        printf("%s: status %d\n%s%s\n    not\n%s\n", words, was, err, out, why);
    mem_free(out);
    mem_free(err);
    return same;
}

void command_slow_run(int (*cmd_sim)(int argc, char **argv))
{
    command_file("w", "job sort\n"
                      "  phase map tasks=6 size=10s\n"
                      "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n");
    command_file("c", "node a cpu=2\nnode b cpu=2\nnode c cpu=2\nnode slow cpu=2 speed=0.2\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster c --policy shepherd --journal run",
                       NULL, NULL) == 0);
}

void command_trace_of_all_sizes(const char *name)
{
    static const int tasks[] = {1, 5, 12, 60, 160, 520};
    struct str text = {0};

    for (int j = 0, at = 0; j < 6; at += 7 + j, j++) {
        str_addf(&text, "%d %d 11", at, tasks[j]);
        for (int i = 0; i < tasks[j]; i++)
            str_addf(&text, " %d", i % 9 == 8 ? 40 : 10 + i * j % 4);
        str_add(&text, "\n");
    }
    command_file(name, text.text);
    str_free(&text);
}
