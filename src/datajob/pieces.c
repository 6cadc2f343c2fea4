/* pieces.c - the inputs of a job. See pieces.h. */
#include "datajob/pieces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { WAVES = 4 }; /* of mappers, so that the last ones do not wait for one long piece */

#define PIECE_MIN (UINT64_C(1) << 20)
/* Most often fits into the memory for sorting, with what sorts it. */
#define PIECE_MAX (UINT64_C(64) << 20)

/* Whether the first bytes are those of a file that has to be unpacked. */
static bool is_packed(const char *path)
{
    static const char gzip[] = "\x1f\x8b", zstd[] = "\x28\xb5\x2f\xfd", xz[] = "\xfd\x37zXZ",
                      bzip2[] = "BZh", lz4[] = "\x04\x22\x4d\x18", zip[] = "PK\x03\x04";
    static const char *const marks[] = {gzip, zstd, xz, bzip2, lz4, zip};
    char first[8] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, first, sizeof first) : -1;

    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (n >= (ssize_t)strlen(marks[i]) && memcmp(first, marks[i], strlen(marks[i])) == 0)
            return true;
    return false;
}

static int add_file(struct task_plan *p, const char *path, const struct stat *st, struct err *err)
{
    char whole[PATH_MAX];

    if (!S_ISREG(st->st_mode))
        return err_set(err, "%s: an input is neither a file nor a folder", path);
    if (!realpath(path, whole) || access(whole, R_OK) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    vec_push(&p->splits,
             ((struct plan_split){.path = mem_strdup(whole),
                                  .bytes = (uint64_t)st->st_size,
                                  .size = (uint64_t)st->st_size,
                                  .changed_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 +
                                                st->st_mtim.tv_nsec,
                                  .packed = is_packed(whole)}));
    return 0;
}

static int is_listed(const struct dirent *d)
{
    return d->d_name[0] != '.' && d->d_name[0] != '_';
}

static int add_folder(struct task_plan *p, const char *path, struct err *err)
{
    struct dirent **names;
    int count = scandir(path, &names, is_listed, alphasort), result = 0;

    if (count < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct str inside = {0};
        struct stat st;
        str_addf(&inside, "%s/%s", path, names[i]->d_name);
        if (result == 0 && stat(inside.text, &st) < 0)
            result = err_set(err, "%s: %s", inside.text, strerror(errno));
        if (result == 0 && !S_ISDIR(st.st_mode))
            result = add_file(p, inside.text, &st, err);
        str_free(&inside);
        free(names[i]);
    }
    free(names);
    return result;
}

static int add_path(struct task_plan *p, const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    return S_ISDIR(st.st_mode) ? add_folder(p, path, err) : add_file(p, path, &st, err);
}

int pieces_add(struct task_plan *p, const char *pattern, struct err *err)
{
    uint32_t before = p->splits.count;
    glob_t found;
    int result = 0;

    if (access(pattern, F_OK) == 0) { /* also a name with *, if there is a file of that name */
        result = add_path(p, pattern, err);
    } else if (glob(pattern, GLOB_BRACE, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && result == 0; i++)
            result = add_path(p, found.gl_pathv[i], err);
        globfree(&found);
    } else {
        return err_set(err, "%s: there is no such input", pattern);
    }
    if (result == 0 && p->splits.count == before)
        return err_set(err, "%s: this input has no files", pattern);
    return result;
}

void pieces_cut(struct task_plan *p, uint64_t bytes, uint32_t slots)
{
    struct task_plan cut = {0};
    uint64_t all = 0;

    for (uint32_t i = 0; i < p->splits.count; i++)
        all += p->splits.at[i].size;
    if (bytes == 0) {
        bytes = all / ((uint64_t)slots * WAVES) + 1;
        bytes = bytes < PIECE_MIN ? PIECE_MIN : bytes > PIECE_MAX ? PIECE_MAX : bytes;
    }
    for (uint32_t i = 0; i < p->splits.count; i++) {
        const struct plan_split *s = &p->splits.at[i];
        /* As many as come nearest to that, all of one length: the longest ends last. */
        uint64_t count = s->packed ? 1 : (s->size + bytes / 2) / bytes, from = 0;
        for (uint64_t left = count > 0 ? count : 1; left > 0; left--) {
            struct plan_split piece = *s;
            piece.path = mem_strdup(s->path);
            piece.from = from;
            piece.bytes = (s->size - from) / left;
            vec_push(&cut.splits, piece);
            from += piece.bytes;
        }
        mem_free(s->path);
    }
    vec_free(&p->splits);
    p->splits.at = cut.splits.at;
    p->splits.count = cut.splits.count;
    p->splits.cap = cut.splits.cap;
}
