/* pieces.c - the inputs of a job. See pieces.h. */
#include "jobs/run/pieces.h"

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
#include "base/os/path.h"
#include "base/text.h"

enum { PIECES_MAX = 1 << 20, BLOCK_BYTES = 1 << 18 };
enum { WAVES = 4 }; /* of mappers, so that the last ones do not wait for one long piece */

#define PIECE_MIN (UINT64_C(1) << 20)
/* Most often fits into the memory for sorting, with what sorts it. */
#define PIECE_MAX (UINT64_C(64) << 20)

/* Whether the first bytes are those of a file that has to be unpacked. Those of tar come after the
 * name of its first member. */
static bool is_packed(const char *path)
{
    static const char gzip[] = "\x1f\x8b", zstd[] = "\x28\xb5\x2f\xfd", xz[] = "\xfd\x37zXZ",
                      bzip2[] = "BZh", lz4[] = "\x04\x22\x4d\x18", zip[] = "PK\x03\x04";
    static const struct {
        const char *bytes;
        size_t at;
    } marks[] = {{gzip, 0}, {zstd, 0}, {xz, 0}, {bzip2, 0}, {lz4, 0}, {zip, 0}, {"ustar", 257}};
    char first[512] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, first, sizeof first) : -1;

    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i].bytes);
        if (n >= (ssize_t)(marks[i].at + length) &&
            memcmp(first + marks[i].at, marks[i].bytes, length) == 0)
            return true;
    }
    return false;
}

static int64_t changed_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int add_file(struct task_plan *p, const char *path, const struct stat *st, struct err *err)
{
    char whole[PATH_MAX];

    if (!S_ISREG(st->st_mode))
        return err_set(err, "%s: expected a file or a folder as input", path);
    if (!realpath(path, whole) || access(whole, R_OK) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    vec_push(&p->splits, ((struct plan_split){.path = mem_strdup(whole),
                                              .bytes = (uint64_t)st->st_size,
                                              .size = (uint64_t)st->st_size,
                                              .changed_ns = changed_ns(st),
                                              .packed = is_packed(whole)}));
    return 0;
}

static int is_listed(const struct dirent *d)
{
    return d->d_name[0] != '.' && d->d_name[0] != '_';
}

/* What pieces_add has to do. */
struct pieces_search {
    struct task_plan *plan;
    const struct pieces_how *how;
    uint32_t depth; /* of folders */
};

enum { DEPTH_MAX = 100 }; /* links may lead in a circle */

static int add_folder(struct pieces_search *s, const char *path, struct err *err);

/* What a folder has. */
static int add_inside(struct pieces_search *s, const char *folder, const char *name,
                      struct err *err)
{
    struct path path = path_of("%s/%s", folder, name);
    struct stat st;

    if (stat(path.text, &st) < 0)
        return err_set(err, "%s: %s", path.text, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return add_file(s->plan, path.text, &st, err);
    if (s->how->recursive)
        return add_folder(s, path.text, err);
    if (s->how->refuses_folders)
        return err_set(err,
                       "%s: this is a folder in a folder; expected -D mapreduce.input."
                       "fileinputformat.input.dir.recursive=true to read it, or the pattern %s/*",
                       path.text, folder);
    return 0;
}

static int add_folder(struct pieces_search *s, const char *path, struct err *err)
{
    struct dirent **names;
    int count = scandir(path, &names, is_listed, alphasort), result = 0;

    if (count < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (++s->depth > DEPTH_MAX)
        result = err_set(err, "%s: more than %d folders lie in each other", path, DEPTH_MAX);
    for (int i = 0; i < count; i++) {
        if (result == 0)
            result = add_inside(s, path, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    s->depth--;
    return result;
}

static int add_path(struct pieces_search *s, const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    return S_ISDIR(st.st_mode) ? add_folder(s, path, err) : add_file(s->plan, path, &st, err);
}

/* Whether a pattern has this name of a file or folder in full. */
static bool writes_out(const char *pattern, const char *name, size_t length)
{
    static const char bounds[] = "/{,}";

    for (const char *at = pattern; (at = strstr(at, name)); at++) {
        bool begins = at == pattern || strchr(bounds, at[-1]);
        if (begins && (!at[length] || strchr(bounds, at[length])))
            return true;
    }
    return false;
}

/* Whether a wildcard of the pattern stands for a name that is hidden: results of another job have
 * such files beside them. */
static bool finds_hidden(const char *pattern, const char *path)
{
    char *names = mem_strdup(path), *rest = names;
    bool hidden = false;

    for (char *name; !hidden && (name = strsep(&rest, "/"));)
        hidden = (name[0] == '_' || name[0] == '.') && !writes_out(pattern, name, strlen(name));
    mem_free(names);
    return hidden;
}

static int add_pattern(struct pieces_search *s, const char *pattern, struct err *err)
{
    bool any = false;
    glob_t found;
    int result = 0;

    if (access(pattern, F_OK) == 0) /* also a name with *, if there is a file of that name */
        return add_path(s, pattern, err);
    if (glob(pattern, GLOB_BRACE, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && result == 0; i++)
            if (!finds_hidden(pattern, found.gl_pathv[i])) {
                result = add_path(s, found.gl_pathv[i], err);
                any = true;
            }
        globfree(&found);
    }
    return result < 0 || any ? result : err_set(err, "%s: no input matches this pattern", pattern);
}

/* The length of the first pattern of several: up to a comma that is not in braces. */
static size_t first_pattern(const char *text)
{
    size_t length = 0;
    int depth = 0;

    for (; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += text[length] == '{' ? 1 : text[length] == '}' && depth > 0 ? -1 : 0;
    return length;
}

static int add_patterns(struct pieces_search *s, const char *text, struct err *err)
{
    int result = 0;

    while (result == 0 && *text) {
        size_t length = first_pattern(text);
        struct str one = {0};
        str_add_bytes(&one, text, length);
        if (length > 0)
            result = add_pattern(s, one.text, err);
        str_free(&one);
        text += length + (text[length] == ',');
    }
    return result;
}

int pieces_add(struct task_plan *p, const char *pattern, const struct pieces_how *how,
               struct err *err)
{
    struct pieces_search s = {.plan = p, .how = how};
    uint32_t before = p->splits.count;
    bool several = how->commas && strchr(pattern, ',') && access(pattern, F_OK) < 0;

    if ((several ? add_patterns : add_pattern)(&s, pattern, err) < 0)
        return -1;
    if (p->splits.count == before && !how->may_be_empty)
        return err_set(err, "%s: this input has no files", pattern);
    return 0;
}

static void add_piece(struct task_plan *to, const struct plan_split *of, uint64_t from,
                      uint64_t bytes)
{
    struct plan_split piece = *of;

    piece.path = mem_strdup(of->path);
    piece.from = from;
    piece.bytes = bytes;
    vec_push(&to->splits, piece);
}

/* The pieces take the place of the files. */
static void replace(struct task_plan *p, struct task_plan *made)
{
    for (uint32_t i = 0; i < p->splits.count; i++)
        mem_free(p->splits.at[i].path);
    vec_free(&p->splits);
    p->splits.at = made->splits.at;
    p->splits.count = made->splits.count;
    p->splits.cap = made->splits.cap;
}

void pieces_cut(struct task_plan *p, uint64_t bytes, uint32_t slots)
{
    struct task_plan made = {0};
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
            uint64_t length = (s->size - from) / left;
            add_piece(&made, s, from, length);
            from += length;
        }
    }
    replace(p, &made);
}

/* ---- by lines ---- */

/* A file that is being cut. */
struct pieces_cutting {
    struct task_plan *to;
    const struct plan_split *file;
    uint64_t lines, seen; /* of a piece; of this one so far */
    uint64_t from, at;    /* where it begins; the next byte */
};

/* Ends pieces in a block of the file. False: there are too many. */
static bool cut_block(struct pieces_cutting *c, const char *block, size_t count)
{
    for (const char *at = block, *end = block + count, *newline;
         at < end && (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
        if (++c->seen < c->lines)
            continue;
        uint64_t to = c->at + (uint64_t)(newline + 1 - block);
        add_piece(c->to, c->file, c->from, to - c->from);
        c->from = to;
        c->seen = 0;
        if (c->to->splits.count > PIECES_MAX)
            return false;
    }
    c->at += count;
    return true;
}

static int cut_file(struct task_plan *to, const struct plan_split *file, uint64_t lines,
                    char *block, struct err *err)
{
    struct pieces_cutting c = {.to = to, .file = file, .lines = lines};
    bool reads = !file->packed && *file->path;
    int fd = reads ? open(file->path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = !reads ? 0 : fd < 0 ? -1 : 1;

    while (n > 0 && c.at < file->size) {
        n = read(fd, block, BLOCK_BYTES);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0 && !cut_block(&c, block, (size_t)n))
            break;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return err_set(err, "%s: %s", file->path, strerror(error));
    if (to->splits.count > PIECES_MAX)
        return err_set(err,
                       "%s: the inputs would have more than %d pieces; expected more lines in each",
                       file->path, PIECES_MAX);
    if (c.from < file->size || file->size == 0)
        add_piece(to, file, c.from, file->size - c.from);
    return 0;
}

int pieces_cut_lines(struct task_plan *p, uint64_t lines, struct err *err)
{
    struct task_plan made = {0};
    char *block = mem_zalloc(BLOCK_BYTES, 1);
    int result = 0;

    for (uint32_t i = 0; i < p->splits.count && result == 0; i++)
        result = cut_file(&made, &p->splits.at[i], lines, block, err);
    mem_free(block);
    if (result == 0)
        replace(p, &made);
    else
        plan_fini(&made);
    return result;
}

static int check_input(const struct plan_split *s, struct err *err)
{
    struct stat st;

    if (stat(s->path, &st) < 0)
        return err_set(err,
                       "%s: %s; restore this input, with its time, or start the job again in a "
                       "new folder",
                       s->path, strerror(errno));
    if ((uint64_t)st.st_size != s->size || changed_ns(&st) != s->changed_ns)
        return err_set(err,
                       "%s: this input has changed since the job began; restore it, with its "
                       "time, or start the job again in a new folder",
                       s->path);
    return 0;
}

int pieces_check(const struct task_plan *p, struct err *err)
{
    const char *before = NULL;
    struct plan_split s;

    for (uint32_t i = 0; i < p->split_count; i++) {
        if (plan_read_split(p, i, &s, err) < 0)
            return -1;
        if ((!before || strcmp(before, s.path) != 0) && check_input(&s, err) < 0)
            return -1;
        before = s.path;
    }
    return 0;
}
