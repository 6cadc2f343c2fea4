/* trace_files.c - replaces folders by their files, with rolled logs of Spark in order. */
#include "inputs/formats/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/lookup.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "inputs/formats/spark_files.h"

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static int is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_name[0] != '_' &&
           !begins(entry->d_name, "appstatus_");
}

static int list_folder(const char *path, bool is_inner, struct trace_files *to, struct err *err);

static int list_entry(const char *path, const char *name, bool is_inner, struct trace_files *to,
                      struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode) && !is_inner && begins(name, "eventlog_v2_"))
        return list_folder(path, true, to, err);
    if (!S_ISREG(st.st_mode))
        return err_set(err, "%s: not a file, in a folder that should hold a trace; name its files",
                       path);
    vec_push(&to->at, mem_strdup(path));
    return 0;
}

static int list_folder(const char *path, bool is_inner, struct trace_files *to, struct err *err)
{
    struct dirent **names;
    uint32_t before = to->at.count;
    int count = scandir(path, &names, is_listed, alphasort), bad = 0;
    if (count < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct str full = {0};
        str_addf(&full, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", names[i]->d_name);
        if (bad == 0)
            bad = list_entry(full.text, names[i]->d_name, is_inner, to, err);
        str_free(&full);
        free(names[i]);
    }
    free(names);
    if (bad == 0 && to->at.count == before)
        bad = err_set(err, "%s: is a folder without files; expected those of a trace", path);
    return bad;
}

/* ---- rolled logs ---- */

struct rolled {
    char *path;
    uint32_t rank; /* that of the first file of its log among all */
    struct spark_file file;
};

static bool comes_before(const void *a, const void *b, const void *ctx)
{
    const struct rolled *x = a, *y = b;
    (void)ctx;
    if (x->rank != y->rank)
        return x->rank < y->rank;
    if (x->file.number != y->file.number)
        return x->file.number < y->file.number;
    return x->file.is_compact < y->file.is_compact;
}

/* Whether a compact file behind it holds what the file has. */
static bool is_replaced(const struct rolled *all, uint32_t count, uint32_t at)
{
    for (uint32_t i = at + 1; i < count && all[i].rank == all[at].rank; i++)
        if (all[i].file.is_compact)
            return true;
    return false;
}

static void sort_rolled(struct trace_files *files)
{
    uint32_t count = files->at.count, kept = 0;
    struct rolled *all = mem_zalloc(count, sizeof *all);
    struct lookup logs = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct rolled *r = &all[i];
        r->path = files->at.at[i];
        r->rank = i;
        if (!spark_files_is(r->path, &r->file))
            continue;
        uint64_t log = hash_bytes(hash_bytes(HASH_START, r->file.folder.at, r->file.folder.length),
                                  r->file.log.at, r->file.log.length);
        uint32_t first = lookup_get(&logs, log);
        if (first == LOOKUP_NONE)
            lookup_put(&logs, log, i);
        else
            r->rank = first;
    }
    sort_stable(all, count, sizeof *all, comes_before, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (is_replaced(all, count, i))
            mem_free(all[i].path);
        else
            files->at.at[kept++] = all[i].path;
    }
    files->at.count = kept;
    lookup_fini(&logs);
    mem_free(all);
}

int trace_files_list(const char *const *paths, uint32_t count, struct trace_files *to,
                     struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stat st;
        bool is_folder = stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode);
        if (is_folder && list_folder(paths[i], false, to, err) < 0)
            return -1;
        if (!is_folder)
            vec_push(&to->at, mem_strdup(paths[i]));
    }
    sort_rolled(to);
    return 0;
}
