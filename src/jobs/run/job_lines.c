/* job_lines.c - a job file as lines. See job_lines.h. */
#include "jobs/run/job_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "jobs/run/yaml_lines.h"

/* Is this the first word of the file, comments left out? `job:` is a key of YAML. */
static bool begins_with(FILE *f, const char *word)
{
    char *text = NULL;
    size_t cap = 0, length = strlen(word);
    bool is = false;

    while (getline(&text, &cap, f) >= 0) {
        const char *at = text + strspn(text, " \t\r\n");
        if (*at == '\0' || *at == '#')
            continue;
        is = strncmp(at, word, length) == 0 && strchr(" \t\r\n", at[length]);
        break;
    }
    free(text);
    rewind(f);
    return is;
}

/* Lines are borrowed until the next one is read, what they point to until the file is closed. */
static void keep(struct job_lines *l, const struct line *line)
{
    struct line kept = *line;

    vec_copy(&kept.pairs, &line->pairs);
    vec_push(&l->lines, kept);
}

static int read_lines(struct job_lines *l, const char *path, struct err *err)
{
    const struct line *line;
    int result;

    l->file = line_open(path, err);
    if (!l->file)
        return -1;
    while ((result = line_next(l->file, &line, err)) > 0) {
        if (l->lines.count > 0 && strcmp(line->word, "phase") != 0)
            return line_fail(line, err,
                             "'%s': expected one job and its phases, each a line `phase NAME ...`",
                             line_quote(line->word).text);
        keep(l, line);
    }
    return result;
}

int job_lines_read(struct job_lines *l, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    struct stat about;

    if (!f)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (fstat(fileno(f), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(f);
        return err_set(err, "%s: is a folder; expected a job file", path);
    }
    int result =
        begins_with(f, "job") ? read_lines(l, path, err) : yaml_lines_read(l, f, path, err);
    fclose(f);
    return result;
}

void job_lines_fini(struct job_lines *l)
{
    for (uint32_t i = 0; i < l->lines.count; i++)
        vec_free(&l->lines.at[i].pairs);
    vec_free(&l->lines);
    vec_free_each(&l->texts);
    line_close(l->file);
}
