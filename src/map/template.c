/* template.c - replacement strings.
 *
 * The text is cut into pieces once: literal text, or one replacement string. Expanding a task is
 * then a walk over the pieces, so a million tasks cost a million walks and no parsing. Text in
 * braces that is no replacement string ({a,b}, ${x}, awk programs) stays as it is, as in GNU
 * parallel. Its Perl expressions {= =} are refused: passing them on would run something else than
 * was meant. */
#include "map/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "map/quote.h"

enum piece_what { PIECE_TEXT, PIECE_SPACE, PIECE_ARGUMENT, PIECE_SEQ, PIECE_TASKS, PIECE_SLOT };
enum piece_part { PART_WHOLE, PART_NO_EXTENSION, PART_BASE, PART_FOLDER, PART_BASE_NO_EXTENSION };

struct piece {
    enum piece_what what;
    enum piece_part part;
    int32_t position;      /* of the argument; 0: all, negative: from the end */
    uint32_t from, length; /* of literal text */
};

struct template
{
    char *text;
    VEC(struct piece) pieces;
};

/* ---- reading ---- */

static bool part_of(const char *text, size_t length, enum piece_part *part)
{
    static const char *const parts[] = {"", ".", "/", "//", "/."};

    for (int i = PART_WHOLE; i <= PART_BASE_NO_EXTENSION; i++)
        if (strlen(parts[i]) == length && strncmp(parts[i], text, length) == 0) {
            *part = (enum piece_part)i;
            return true;
        }
    return false;
}

/* The end of a number at the start of the text, or the text itself. */
static const char *position_of(const char *text, int32_t *position)
{
    char *end;
    const char *digits = text + (*text == '-');

    if (*digits < '1' || *digits > '9')
        return text;
    long value = strtol(text, &end, 10);
    if (end - digits > 6)
        return text;
    *position = (int32_t)value;
    return end;
}

static const char *name_of(const char *text, size_t length, struct fields names, int32_t *position)
{
    const char *best = text;

    for (uint32_t i = 0; i < names.count; i++) {
        size_t n = strlen(names.at[i]);
        if (n > (size_t)(best - text) && n <= length && strncmp(names.at[i], text, n) == 0) {
            best = text + n;
            *position = (int32_t)i + 1;
        }
    }
    return best;
}

/* A replacement string at `at` (an opening brace). Its length, or 0. */
static size_t piece_read(const char *at, struct fields names, struct piece *p)
{
    const char *end = strchr(at, '}');
    const char *inside = at + 1;

    if (!end)
        return 0;
    size_t length = (size_t)(end - inside), all = length + 2;
    *p = (struct piece){.what = PIECE_ARGUMENT};
    if (length == 1 && *inside == '#')
        p->what = PIECE_SEQ;
    else if (length == 2 && strncmp(inside, "##", 2) == 0)
        p->what = PIECE_TASKS;
    else if (length == 1 && *inside == '%')
        p->what = PIECE_SLOT;
    if (p->what != PIECE_ARGUMENT)
        return all;
    const char *rest = name_of(inside, length, names, &p->position);
    if (rest > inside && part_of(rest, (size_t)(end - rest), &p->part))
        return all;
    p->position = 0;
    rest = position_of(inside, &p->position);
    return part_of(rest, (size_t)(end - rest), &p->part) ? all : 0;
}

static void piece_text(struct template *t, uint32_t from, uint32_t to)
{
    /* Blanks are pieces of their own: they bound the words that -X repeats. */
    while (from < to) {
        uint32_t length = (uint32_t)strcspn(t->text + from, " \t\n");
        enum piece_what what = PIECE_TEXT;
        if (length == 0) {
            length = (uint32_t)strspn(t->text + from, " \t\n");
            what = PIECE_SPACE;
        }
        if (length > to - from)
            length = to - from;
        vec_push(&t->pieces, ((struct piece){.what = what, .from = from, .length = length}));
        from += length;
    }
}

struct template *template_parse(const char *text, const struct template_options *options,
                                struct err *err)
{
    struct template *t = mem_zalloc(1, sizeof *t);
    uint32_t at = 0, from = 0;

    t->text = mem_strdup(text);
    while (t->text[at]) {
        const char *here = t->text + at;
        struct piece piece = {.what = PIECE_ARGUMENT};
        size_t length = 0;
        if (options->braces && strncmp(here, options->braces, strlen(options->braces)) == 0)
            length = strlen(options->braces);
        else if (*here == '{')
            length = piece_read(here, options->names, &piece);
        if (options->braces && length == 2 && here[1] == '}')
            length = strcmp(options->braces, "{}") == 0 ? 2 : 0; /* -I took its place */
        if (length == 0 && strncmp(here, "{=", 2) == 0 && strstr(here, "=}")) {
            err_set(err, "the Perl expression in '%.60s' is not supported", here);
            template_destroy(t);
            return NULL;
        }
        if (length == 0) {
            at++;
            continue;
        }
        piece_text(t, from, at);
        vec_push(&t->pieces, piece);
        at += (uint32_t)length;
        from = at;
    }
    piece_text(t, from, at);
    return t;
}

void template_destroy(struct template *t)
{
    if (!t)
        return;
    mem_free(t->text);
    vec_free(&t->pieces);
    mem_free(t);
}

bool template_replaces(const struct template *t)
{
    for (uint32_t i = 0; i < t->pieces.count; i++)
        if (t->pieces.at[i].what > PIECE_SPACE)
            return true;
    return false;
}

/* ---- expanding ---- */

/* The folder of a path, as dirname(1) says it. */
static size_t folder_length(const char *value)
{
    size_t length = strlen(value);

    while (length > 1 && value[length - 1] == '/')
        length--;
    while (length > 0 && value[length - 1] != '/')
        length--;
    while (length > 1 && value[length - 1] == '/')
        length--;
    return length;
}

static void add_part(const char *value, enum piece_part part, unsigned flags, struct str *out)
{
    struct str cut = {0};
    const char *slash = strrchr(value, '/');

    if (part == PART_FOLDER) {
        size_t length = folder_length(value);
        str_addf(&cut, "%.*s", (int)(length ? length : 1), length ? value : ".");
    } else {
        if (slash && (part == PART_BASE || part == PART_BASE_NO_EXTENSION))
            value = slash + 1;
        str_add(&cut, value);
        char *dot = strrchr(cut.text, '.');
        if (part == PART_NO_EXTENSION || part == PART_BASE_NO_EXTENSION)
            if (dot && dot[1] && !strchr(dot, '/'))
                *dot = 0;
    }
    if (flags & TEMPLATE_QUOTE)
        quote_add(out, cut.text);
    else
        str_add(out, cut.text);
    str_free(&cut);
}

static void add_argument(const struct piece *p, struct fields f, unsigned flags, struct str *out)
{
    if (p->position == 0) {
        for (uint32_t i = 0; i < f.count; i++) {
            if (i)
                str_add(out, " ");
            add_part(f.at[i], p->part, flags, out);
        }
        return;
    }
    int64_t i = p->position > 0 ? p->position - 1 : (int64_t)f.count + p->position;
    if (i >= 0 && i < f.count)
        add_part(f.at[i], p->part, flags, out);
}

static void add_pieces(const struct template *t, uint32_t from, uint32_t to, struct fields f,
                       const struct template_place *place, unsigned flags, struct str *out)
{
    for (uint32_t i = from; i < to; i++) {
        const struct piece *p = &t->pieces.at[i];
        switch (p->what) {
        case PIECE_TEXT:
        case PIECE_SPACE:
            str_add_bytes(out, t->text + p->from, p->length);
            break;
        case PIECE_ARGUMENT:
            add_argument(p, f, flags, out);
            break;
        case PIECE_SEQ:
            str_addf(out, "%llu", (unsigned long long)place->seq);
            break;
        case PIECE_TASKS:
            str_addf(out, "%llu", (unsigned long long)place->tasks);
            break;
        case PIECE_SLOT:
            str_addf(out, "%u", place->slot);
            break;
        }
    }
}

/* Whether the word from..to-1 has {}, the one replacement string that stands for many. */
static bool word_repeats(const struct template *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (t->pieces.at[i].what == PIECE_ARGUMENT && t->pieces.at[i].position == 0)
            return true;
    return false;
}

void template_expand(const struct template *t, struct fields fields,
                     const struct template_place *place, unsigned flags, struct str *out)
{
    if (!(flags & TEMPLATE_CONTEXT)) {
        add_pieces(t, 0, t->pieces.count, fields, place, flags, out);
        return;
    }
    for (uint32_t from = 0; from < t->pieces.count;) {
        uint32_t to = from + 1;
        if (t->pieces.at[from].what != PIECE_SPACE)
            while (to < t->pieces.count && t->pieces.at[to].what != PIECE_SPACE)
                to++;
        bool repeats = word_repeats(t, from, to);
        for (uint32_t i = 0; i < (repeats ? fields.count : 1); i++) {
            struct fields one = repeats ? (struct fields){fields.at + i, 1} : fields;
            if (i)
                str_add(out, " ");
            add_pieces(t, from, to, one, place, flags, out);
        }
        from = to;
    }
}
