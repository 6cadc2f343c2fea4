#include "jobs/run/job_files_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/test.h"

TEST(job_files_hint_names_a_file_that_a_command_does_not_find)
{
    char name[] = "hint.XXXXXX", words[200], path[100] = "";
    struct task_plan p = {0};
    int fd = mkstemp(name);

    expect(fd >= 0);
    close(fd);
    snprintf(words, sizeof words, "python3: can't open file '/x/attempts/0/%s/%s': [Errno 2]",
             "work", name);
    expect(job_files_hint(&p, words, path, sizeof path) && strcmp(path, name) == 0);
    snprintf(words, sizeof words, "sh: 1: ./%s: not found", name);
    expect(job_files_hint(&p, words, path, sizeof path) && strcmp(path, name) == 0);
    snprintf(words, sizeof words, "%s: syntax error", name); /* it was found */
    expect(!job_files_hint(&p, words, path, sizeof path));
    expect(!job_files_hint(&p, "sh: 1: nowhere.py: not found", path, sizeof path));
    snprintf(words, sizeof words, "sh: 1: %s: not found", name);
    vec_push(&p.files, ((struct plan_file){.path = mem_strdup(name), .name = mem_strdup(name)}));
    expect(!job_files_hint(&p, words, path, sizeof path));
    plan_fini(&p);
    unlink(name);
}
