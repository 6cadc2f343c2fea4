/* streaming_commands.c - commands of mappers and reducers. See streaming_commands.h.
 *
 * Hadoop replaces the path of a program that is shipped by its name, since that is what it has in
 * the folder of a task. Its local mode runs commands where it was started, and so they find what
 * lies there; ours find it because it is shipped. */
#include "jobs/streaming/streaming_commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/program.h"
#include "data/hadoop_words.h"
#include "jobs/streaming/streaming_notes.h"
#include "jobs/streaming/streaming_settings.h"

static bool is_class(const char *text)
{
    return strncmp(text, "org.apache.", 11) == 0 || strncmp(text, "java.", 5) == 0;
}

const char *streaming_commands_of(const char *option, const char *text, struct err *err)
{
    static const struct {
        const char *class, *instead;
    } known[] = {{"FieldSelectionMapReduce", "such as `cut -f 2,3`"},
                 {"FieldSelectionMapper", "such as `cut -f 2,3`"},
                 {"LongSumReducer", "or -reducer aggregate with LongValueSum:"},
                 {"TokenCountMapper", "such as `tr -s ' ' '\\n'`"},
                 {"RegexMapper", "such as `grep -o`"},
                 {"InverseMapper", "such as awk that swaps two fields"}};
    const char *class = streaming_settings_class_of(text);

    if (!is_class(text)) {
        if (!*text)
            err_set(err, "-%s: the command is empty", option);
        return *text ? text : NULL;
    }
    if (strcmp(class, "IdentityMapper") == 0 || strcmp(class, "IdentityReducer") == 0)
        return "cat";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(class, known[i].class) == 0) {
            err_set(err, "-%s %s: Java classes cannot be run; expected a command, %s", option, text,
                    known[i].instead);
            return NULL;
        }
    err_set(err, "-%s %s: Java classes cannot be run; expected a command", option, text);
    return NULL;
}

/* ---- programs ---- */

static bool is_interpreter(const char *word)
{
    static const char *const names[] = {"python", "perl", "ruby", "php", "node",
                                        "bash",   "sh",   "ksh",  "zsh", "Rscript"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            strspn(name + length, "0123456789.") == strlen(name + length))
            return true;
    }
    return false;
}

/* Whether tasks find it in their PATH, too: not if it is in this folder, which is not theirs. */
static bool in_path(const char *name)
{
    struct path found;

    return program_find(name, &found) && found.text[0] == '/';
}

/* The name that a file has where commands run, or NULL: it is not shipped. */
static const char *shipped_name(const struct task_plan *p, const char *path)
{
    for (uint32_t i = 0; i < p->files.count; i++)
        if (strcmp(p->files.at[i].path, path) == 0)
            return p->files.at[i].name;
    return NULL;
}

/* Whether a path begins with that name. */
static bool begins_with(const char *path, const char *name)
{
    size_t length = strlen(name);

    return strncmp(path, name, length) == 0 && (!path[length] || path[length] == '/');
}

/* Whether a path is, or lies in, something that is shipped. */
static bool has_name(const struct datajob *j, const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    for (uint32_t i = 0; i < j->plan.files.count; i++)
        if (begins_with(path, j->plan.files.at[i].name))
            return true;
    for (uint32_t i = 0; i < j->archives.count; i++)
        if (begins_with(path, j->archives.at[i].name))
            return true;
    return false;
}

/* Returns the only folder among those that are shipped that has a file of that name, or NULL. */
static const struct plan_file *folder_with(const struct task_plan *p, const char *name)
{
    const struct plan_file *found = NULL;

    for (uint32_t i = 0; i < p->files.count; i++) {
        struct path inside = path_of("%s/%s", p->files.at[i].path, name);
        struct stat st;
        bool has = stat(inside.text, &st) == 0 && S_ISREG(st.st_mode);
        if (has && found)
            return NULL;
        if (has)
            found = &p->files.at[i];
    }
    return found;
}

/* Puts `name` in the place of `word` at `at` of a command. */
static void replace(struct streaming_args *a, const char **command, const char *at,
                    const char *word, const char *name)
{
    struct str text = {0};

    str_add_bytes(&text, *command, (size_t)(at - *command));
    str_add(&text, name);
    str_add(&text, at + strlen(word));
    *command = streaming_notes_keep(a, mem_strdup(text.text));
    str_free(&text);
}

/* Before version 2 Hadoop put the files of a folder, not the folder, where commands run. */
static void find_in_folders(struct streaming_args *a, const char **command, const char *at,
                            const char *word, bool is_program)
{
    const struct plan_file *folder = folder_with(&a->job.plan, word);
    if (!folder || strchr(word, '/') || has_name(&a->job, word) || (is_program && in_path(word)))
        return;
    struct path inside = path_of("%s/%s", folder->name, word);
    streaming_notes_add(a, "%s is taken for %s: commands find a folder by its name", word,
                        inside.text);
    replace(a, command, at, word, inside.text);
}

/* A word of a command that may be a file of ours, at `at`. `is_program`: it is looked for in PATH.
 */
static int ship_word(struct streaming_args *a, const char **command, const char *at,
                     const char *word, bool is_program, struct err *err)
{
    char whole[PATH_MAX];
    struct stat st;

    if (stat(word, &st) < 0 || !S_ISREG(st.st_mode) || !realpath(word, whole)) {
        find_in_folders(a, command, at, word, is_program);
        return 0;
    }
    const char *name = shipped_name(&a->job.plan, whole);
    if (!name) {
        bool runs = word[0] == '/' && (!is_program || access(word, X_OK) == 0);
        if (has_name(&a->job, word) || runs || (is_program && !strchr(word, '/') && in_path(word)))
            return 0;
        if (datajob_add_file(&a->job, word, err) < 0)
            return -1;
        streaming_notes_add(a, "%s is taken from where dolly was started, as if by -files %s", word,
                            word);
        name = shipped_name(&a->job.plan, whole);
    }
    if (name && strcmp(name, word) != 0)
        replace(a, command, at, word, name);
    return 0;
}

static int ship(struct streaming_args *a, const char **command, struct err *err)
{
    struct hadoop_words w = {0};
    int result = 0;

    if (!*command)
        return 0;
    hadoop_words_split(&w, *command);
    if (w.at.count > 0) {
        const char *at = strstr(*command, w.at.at[0]);
        uint32_t next = 1;
        if (is_interpreter(w.at.at[0])) {
            while (w.at.at[next] && w.at.at[next][0] == '-')
                next++;
            at = w.at.at[next] ? strstr(at + strlen(w.at.at[0]), w.at.at[next]) : NULL;
            if (at && strcmp(w.at.at[next - 1], "-c") != 0 && strcmp(w.at.at[next - 1], "-e") != 0)
                result = ship_word(a, command, at, w.at.at[next], false, err);
        } else {
            result = ship_word(a, command, at, w.at.at[0], true, err);
        }
    }
    vec_free_each(&w.at);
    return result;
}

int streaming_commands_ship(struct streaming_args *a, struct err *err)
{
    if (ship(a, &a->mapper, err) < 0)
        return -1;
    if (!a->combiner_aggregates && ship(a, &a->combiner, err) < 0)
        return -1;
    return a->aggregates || a->reducers == 0 ? 0 : ship(a, &a->reducer, err);
}
