/* line.c - reads text files line by line; errors name the line.
 *
 * The problem: files written by hand must be easy to read, and every error must be reported in one
 * line with its place. Such files are small, but generated ones may have a million lines.
 *
 * The method: the whole file is read once and cut into words in place. A word ends where a zero
 * byte replaces the blank after it, so a line costs no allocation, and every string stays valid as
 * long as the file is open: readers keep pointers instead of copies.
 *
 * Rejected: getline, because each string kept would need a copy; a general format such as YAML,
 * because its libraries report places poorly and the layers below the command line use none. */
#include "inputs/config/line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    FILE_BYTES_MAX = 1 << 30,
    FILE_CHUNK = 1 << 16,
    SHOWN_PATH_MAX = 160, /* longer paths are shown by their end, so that the message stays whole */
};

struct line_file {
    char shown[SHOWN_PATH_MAX + 4];
    char *text; /* length bytes and a zero */
    size_t length, cap;
    size_t next;     /* offset of the next line */
    uint64_t number; /* of the line before it */
    struct line line;
};

struct line_quote line_quote(const char *word)
{
    struct line_quote q;
    size_t i, most = sizeof q.text - 4;
    for (i = 0; word[i] && i < most; i++)
        q.text[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    strcpy(q.text + i, word[i] ? "..." : "");
    return q;
}

/* All control characters but the tab; and zero, which strcspn stops at by itself. */
static const char controls[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x0a\x0b\x0c\x0d\x0e\x0f\x10"
                               "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f";

void line_add_pair(struct str *to, const char *key, const char *value)
{
    str_addf(to, " %s=\"", key);
    for (const char *c = value; *c; c++) {
        char read_back = *c == '\n' || *c == '\r' ? ' ' : strchr(controls, *c) ? '?' : *c;
        char one[3] = {'\\', read_back, 0};
        str_add(to, *c == '"' || *c == '\\' ? one : one + 1);
    }
    str_add(to, "\"");
}

int line_error(const struct line_file *f, uint64_t number, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, "%s:%llu: %s", f->shown, (unsigned long long)number, text);
}

uint64_t line_number(const struct line *line, const char *key)
{
    for (uint32_t i = 0; i < line->pairs.count; i++)
        if (strcmp(line->pairs.at[i].key, key) == 0)
            return line->pairs.at[i].number;
    return line->number;
}

/* ---- the file ---- */

static void set_shown(struct line_file *f, const char *path)
{
    size_t length = strlen(path);
    bool cut = length > SHOWN_PATH_MAX;
    snprintf(f->shown, sizeof f->shown, "%s%s", cut ? "..." : "",
             cut ? path + length - SHOWN_PATH_MAX : path);
    for (char *p = f->shown; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
}

/* A NUL byte is looked for in each piece as it comes: /dev/zero must not fill the memory first. */
static int check_text(struct line_file *f, size_t from, struct err *err)
{
    char *nul = memchr(f->text + from, 0, f->length - from);
    if (!nul)
        return 0;
    uint64_t number = 1;
    for (const char *p = f->text; p < nul; p++)
        number += *p == '\n';
    return line_error(f, number, err, "a zero byte; expected a text file");
}

static int read_all(struct line_file *f, int fd, struct err *err)
{
    for (;;) {
        if (f->cap - f->length < FILE_CHUNK) {
            f->cap = f->cap ? f->cap * 2 : 2 * FILE_CHUNK;
            f->text = mem_resize(f->text, f->cap + 1, 1);
        }
        ssize_t got = read(fd, f->text + f->length, f->cap - f->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_system(err, "%s: cannot read: %s", f->shown, strerror(errno));
        if (got == 0)
            break;
        size_t from = f->length;
        f->length += (size_t)got;
        if (f->length > FILE_BYTES_MAX)
            return err_set(err, "%s: larger than 1 GiB; expected a smaller file", f->shown);
        if (check_text(f, from, err))
            return -1;
    }
    f->text[f->length] = 0;
    return 0;
}

static int load(struct line_file *f, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "%s: cannot open: %s", f->shown, strerror(errno));
    struct stat st;
    int rc;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        rc = err_set(err, "%s: a directory; expected a file", f->shown);
    else
        rc = read_all(f, fd, err);
    close(fd);
    return rc;
}

struct line_file *line_open(const char *path, struct err *err)
{
    struct line_file *f = mem_zalloc(1, sizeof *f);
    set_shown(f, path);
    if (load(f, path, err)) {
        line_close(f);
        return NULL;
    }
    if (f->length >= 3 && !memcmp(f->text, "\xef\xbb\xbf", 3))
        f->next = 3; /* the byte order mark that some editors put first */
    return f;
}

struct line_file *line_open_text(const char *shown, const char *text, size_t length)
{
    struct line_file *f = mem_zalloc(1, sizeof *f);
    set_shown(f, shown);
    f->text = mem_resize(NULL, length + 1, 1);
    memcpy(f->text, text, length);
    f->text[length] = 0;
    f->length = f->cap = length;
    return f;
}

void line_close(struct line_file *f)
{
    if (!f)
        return;
    vec_free(&f->line.pairs);
    mem_free(f->text);
    mem_free(f);
}

uint64_t line_count(const struct line_file *f)
{
    uint64_t n = f->number;
    for (size_t i = f->next; i < f->length; i++)
        n += f->text[i] == '\n' || i + 1 == f->length;
    return n ? n : 1;
}

/* ---- one line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the quoted text that begins at p (behind the quote) and puts it at p, unescaped. Returns
 * what follows the closing quote, or NULL when there is none. As in the shell, a backslash protects
 * a quote and a backslash, and stands for itself before anything else. */
static char *unquote(char *p)
{
    char *to = p;
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        *to++ = *p;
    }
    if (!*p)
        return NULL;
    *to = 0;
    return p + 1;
}

/* Cuts one word or pair that begins at p. Returns where the next may begin, NULL with *err. */
static char *cut_word(struct line_file *f, char *p, struct line_pair *pair, struct err *err)
{
    *pair = (struct line_pair){p, NULL, f->number};
    p += strcspn(p, " \t\"=");
    if (*p == '=' && p > pair->key) {
        *p++ = 0;
        pair->value = p;
        p += strcspn(p, " \t\"");
    }
    if (*p == '"' && pair->value == p) {
        pair->value = p + 1;
        p = unquote(p + 1);
        if (!p) {
            line_error(f, f->number, err, "the quote after %s= does not end; expected %s=\"...\"",
                       line_quote(pair->key).text, line_quote(pair->key).text);
            return NULL;
        }
        if (*p && !is_blank(*p)) {
            line_error(f, f->number, err,
                       "'%s' sticks to the quote before it; expected a blank between",
                       line_quote(p).text);
            return NULL;
        }
    } else if (*p == '"') {
        line_error(
            f, f->number, err,
            "a quote inside a word; expected key=\"value\", and \\\" for a quote in a value");
        return NULL;
    } else if (*p == '=' && !pair->value) { /* only where the word begins with it */
        line_error(f, f->number, err,
                   "'=' without a key; expected key=value without blanks around =");
        return NULL;
    }
    if (*p)
        *p++ = 0;
    return p;
}

/* Cuts the line that begins at p into f->line. Returns 1, 0 when it is empty, or -1 with *err. */
static int cut_line(struct line_file *f, char *p, struct err *err)
{
    struct line *line = &f->line;
    line->file = f;
    line->number = f->number;
    line->word = line->name = NULL;
    vec_clear(&line->pairs);
    for (;;) {
        while (is_blank(*p))
            p++;
        if (!*p || *p == '#')
            return line->word ? 1 : 0;
        struct line_pair pair;
        p = cut_word(f, p, &pair, err);
        if (!p)
            return -1;
        struct line_quote shown = line_quote(pair.key);
        if (pair.value && !line->word)
            return line_error(f, f->number, err, "the line begins with %s=; expected a word first",
                              shown.text);
        if (pair.value)
            vec_push(&line->pairs, pair);
        else if (!line->word)
            line->word = pair.key;
        else if (!line->name && line->pairs.count == 0)
            line->name = pair.key;
        else
            return line_error(f, f->number, err,
                              "'%s' has no value; expected key=value, or key=\"two words\"",
                              shown.text);
    }
}

int line_next(struct line_file *f, const struct line **line, struct err *err)
{
    while (f->next < f->length) {
        char *begin = f->text + f->next;
        char *end = memchr(begin, '\n', f->length - f->next);
        if (!end)
            end = f->text + f->length;
        f->next = (size_t)(end - f->text) + 1;
        f->number++;
        if (end > begin && end[-1] == '\r')
            end--;
        *end = 0;
        const char *bad = begin + strcspn(begin, controls);
        if (bad < end)
            return line_error(f, f->number, err,
                              "a control character (0x%02x); expected plain text",
                              (unsigned)(unsigned char)*bad);
        int rc = cut_line(f, begin, err);
        if (rc) {
            *line = &f->line;
            return rc;
        }
    }
    return 0;
}
