/* template.c - replacement strings.
 *
 * The text is cut into pieces once: literal text, or one replacement string. Expanding a task is
 * then a walk over the pieces, so a million tasks cost a million walks and no parsing. Text in
 * braces that is not a replacement string ({a,b}, ${x}, awk programs) stays as it is, as in GNU
 * parallel. Its Perl expressions {= =} are refused: passing them on would run something else than
 * was meant. */
#include "jobs/args/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "jobs/args/quote.h"
#include "jobs/args/transform.h"

enum piece_what { PIECE_TEXT, PIECE_SPACE, PIECE_ARGUMENT, PIECE_SEQ, PIECE_TASKS, PIECE_SLOT };

struct piece {
    enum piece_what what;
    struct transform transform;
    bool padded;           /* a number with zeros before it, as wide as the largest */
    bool word;             /* all of a word of its own, which is there even if nothing is put in */
    int32_t position;      /* of the argument; 0: all, negative: from the end */
    uint32_t from, length; /* of literal text */
};

struct template
{
    struct str text; /* of all literal pieces */
    VEC(struct piece) pieces;
};

/* ---- reading ---- */

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

/* {#}, {##} and {%}. */
static bool number_of(const char *inside, size_t length, bool plus, struct piece *p)
{
    static const struct {
        const char *text;
        enum piece_what what;
        bool padded;
    } numbers[] = {{"#", PIECE_SEQ, false},
                   {"##", PIECE_TASKS, false},
                   {"%", PIECE_SLOT, false},
                   {"0#", PIECE_SEQ, true},
                   {"0%", PIECE_SLOT, true}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].text) == length && strncmp(numbers[i].text, inside, length) == 0 &&
            (plus || !numbers[i].padded)) {
            p->what = numbers[i].what;
            p->padded = numbers[i].padded;
            return true;
        }
    return false;
}

/* A replacement string at `at` (an opening brace). Its length, or 0. */
static size_t piece_read(const char *at, const struct template_options *options, struct piece *p)
{
    const char *end = strchr(at, '}');
    const char *inside = at + 1;
    bool plus = options->plus;

    if (!end)
        return 0;
    size_t length = (size_t)(end - inside), all = length + 2;
    *p = (struct piece){.what = PIECE_ARGUMENT};
    if (number_of(inside, length, plus, p))
        return all;
    const char *rest = name_of(inside, length, options->names, &p->position);
    if (rest > inside && transform_read(rest, (size_t)(end - rest), plus, &p->transform))
        return all;
    p->position = 0;
    rest = position_of(inside, &p->position);
    return transform_read(rest, (size_t)(end - rest), plus, &p->transform) ? all : 0;
}

static void piece_add(struct template *t, enum piece_what what, const char *at, size_t length)
{
    vec_push(&t->pieces,
             ((struct piece){
                 .what = what, .from = (uint32_t)t->text.length, .length = (uint32_t)length}));
    str_add_bytes(&t->text, at, length);
}

/* Blanks are pieces of their own: they bound the words that -X repeats. */
static void piece_text(struct template *t, const char *at, size_t length)
{
    while (length > 0) {
        size_t n = strcspn(at, " \t\n");
        bool blank = n == 0;
        if (blank)
            n = strspn(at, " \t\n");
        if (n > length)
            n = length;
        piece_add(t, blank ? PIECE_SPACE : PIECE_TEXT, at, n);
        at += n;
        length -= n;
    }
}

static void piece_quoted(struct template *t, const char *at, size_t length)
{
    struct str plain = {0}, quoted = {0};

    str_add_bytes(&plain, at, length);
    quote_add(&quoted, plain.text);
    piece_add(t, PIECE_TEXT, quoted.text, quoted.length);
    str_free(&plain);
    str_free(&quoted);
}

/* Whether the piece is one that is written in another way. */
static bool is_renamed(const struct piece *p, const struct template_options *options)
{
    if (!options->replaces || (p->what == PIECE_ARGUMENT && p->position != 0))
        return false;
    if (p->what == PIECE_SEQ || p->what == PIECE_SLOT)
        return options->replaces[p->what == PIECE_SEQ ? REPLACES_SEQ : REPLACES_SLOT] != NULL;
    return p->what == PIECE_ARGUMENT && p->transform.kind <= TRANSFORM_BASE_NO_EXTENSION &&
           p->transform.count <= 1 && options->replaces[p->transform.kind] != NULL;
}

/* The longest of the strings that were chosen by the user at `at`. Its length, or 0. */
static int renamed_read(const char *at, const struct template_options *options, struct piece *p)
{
    size_t best = 0;

    for (int i = 0; options->replaces && i < REPLACES; i++) {
        const char *text = options->replaces[i];
        size_t length = text ? strlen(text) : 0;
        if (length <= best || strncmp(at, text, length) != 0)
            continue;
        best = length;
        *p = (struct piece){.what = i == REPLACES_SEQ    ? PIECE_SEQ
                                    : i == REPLACES_SLOT ? PIECE_SLOT
                                                         : PIECE_ARGUMENT};
        p->transform.kind = p->what == PIECE_ARGUMENT ? (enum transform_kind)i : TRANSFORM_WHOLE;
        p->transform.count = i == REPLACES_NO_EXTENSION || i == REPLACES_BASE_NO_EXTENSION;
    }
    return (int)best;
}

/* A replacement string at `at`. Its length, 0 for none, or -1 with *err. */
static int piece_find(const char *at, const struct template_options *options, struct piece *piece,
                      struct err *err)
{
    int renamed = renamed_read(at, options, piece);

    if (renamed || *at != '{')
        return renamed;
    size_t length = piece_read(at, options, piece);
    if (length == 0 && at[1] == '=' && strstr(at, "=}"))
        return err_set(err,
                       "the Perl expression in '%.60s' is not supported; let the command do it, "
                       "or use --plus",
                       at);
    return is_renamed(piece, options) ? 0 : (int)length;
}

/* Appends a text, or, if `quoted`, a word. */
static int template_add(struct template *t, const char *text,
                        const struct template_options *options, bool quoted, struct err *err)
{
    void (*add)(struct template *, const char *, size_t) = quoted ? piece_quoted : piece_text;
    const char *from = text, *at = text;
    struct piece piece;

    while (*at) {
        int length = piece_find(at, options, &piece, err);
        if (length < 0)
            return -1;
        if (length == 0) {
            at++;
            continue;
        }
        if (at > from)
            add(t, from, (size_t)(at - from));
        vec_push(&t->pieces, piece);
        at += length;
        from = at;
    }
    if (at > from || at == text)
        add(t, from, (size_t)(at - from));
    return 0;
}

struct template *template_parse(const char *text, const struct template_options *options,
                                struct err *err)
{
    struct template *t = mem_zalloc(1, sizeof *t);

    if (template_add(t, text, options, false, err) == 0)
        return t;
    template_destroy(t);
    return NULL;
}

struct template *template_parse_words(struct fields words, const struct template_options *options,
                                      struct err *err)
{
    struct template *t = mem_zalloc(1, sizeof *t);

    for (uint32_t i = 0; i < words.count; i++) {
        if (i)
            piece_add(t, PIECE_SPACE, " ", 1);
        uint32_t first = t->pieces.count;
        if (template_add(t, words.at[i], options, true, err) < 0) {
            template_destroy(t);
            return NULL;
        }
        t->pieces.at[first].word = t->pieces.count == first + 1;
    }
    return t;
}

void template_destroy(struct template *t)
{
    if (!t)
        return;
    str_free(&t->text);
    for (uint32_t i = 0; i < t->pieces.count; i++)
        transform_fini(&t->pieces.at[i].transform);
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

bool template_is_steady(const struct template *t)
{
    for (uint32_t i = 0; i < t->pieces.count; i++)
        if (t->pieces.at[i].what > PIECE_SPACE && t->pieces.at[i].what != PIECE_ARGUMENT)
            return false;
    return true;
}

bool template_begins(const struct template *t)
{
    for (uint32_t i = 0; i < t->pieces.count && t->pieces.at[i].what != PIECE_SPACE; i++)
        if (t->pieces.at[i].what > PIECE_SPACE)
            return true;
    return false;
}

/* ---- expanding ---- */

static void add_value(const char *value, const struct transform *transform, unsigned flags,
                      struct str *out)
{
    struct str cut = {0};

    str_add(&cut, "");
    transform_add(transform, value, &cut);
    if (flags & TEMPLATE_QUOTE)
        quote_add(out, cut.text);
    else
        str_add(out, cut.text);
    str_free(&cut);
}

static void add_number(const struct piece *p, uint64_t value, uint64_t largest, struct str *out)
{
    int width = 1;

    for (; p->padded && largest >= 10; largest /= 10)
        width++;
    str_addf(out, "%0*llu", width, (unsigned long long)value);
}

/* What replacement strings stand for. */
struct filling {
    const char *one;   /* {} */
    struct fields all; /* {1}, {2}, ... */
    const struct template_place *place;
    unsigned flags;
};

static void add_argument(const struct piece *p, const struct filling *f, struct str *out)
{
    int64_t i = p->position > 0 ? p->position - 1 : (int64_t)f->all.count + p->position;

    if (p->position == 0)
        add_value(f->one, &p->transform, f->flags, out);
    else if (i >= 0 && i < f->all.count)
        add_value(f->all.at[i], &p->transform, f->flags, out);
    else if (p->word)
        quote_add(out, "");
}

static void add_pieces(const struct template *t, uint32_t from, uint32_t to,
                       const struct filling *f, struct str *out)
{
    for (uint32_t i = from; i < to; i++) {
        const struct piece *p = &t->pieces.at[i];
        switch (p->what) {
        case PIECE_TEXT:
        case PIECE_SPACE:
            str_add_bytes(out, t->text.text + p->from, p->length);
            break;
        case PIECE_ARGUMENT:
            add_argument(p, f, out);
            break;
        case PIECE_SEQ:
            add_number(p, f->place->seq, f->place->tasks, out);
            break;
        case PIECE_TASKS:
            add_number(p, f->place->tasks, 0, out);
            break;
        case PIECE_SLOT:
            if (f->place->slot > 0)
                add_number(p, f->place->slot, f->place->slots, out);
            else
                str_add(out, "{%}");
            break;
        }
    }
}

/* Whether it is {}, the one replacement string that stands for many. */
static bool piece_repeats(const struct piece *p)
{
    return p->what == PIECE_ARGUMENT && p->position == 0;
}

/* The end of what is repeated for each argument, or else put in once, from `from` on: {} itself, or
 * with -X the word around it. */
static uint32_t repeat_end(const struct template *t, uint32_t from, unsigned flags, bool *repeats)
{
    uint32_t to = from;

    *repeats = false;
    do
        *repeats |= piece_repeats(&t->pieces.at[to++]);
    while (flags & TEMPLATE_CONTEXT && t->pieces.at[from].what != PIECE_SPACE &&
           to < t->pieces.count && t->pieces.at[to].what != PIECE_SPACE);
    return to;
}

void template_expand(const struct template *t, struct fields fields,
                     const struct template_place *place, unsigned flags, struct str *out)
{
    bool repeats;

    for (uint32_t from = 0, to; from < t->pieces.count; from = to) {
        struct filling filling = {NULL, fields, place, flags};
        to = repeat_end(t, from, flags, &repeats);
        for (uint32_t i = 0; i < (repeats ? fields.count : 1); i++) {
            if (repeats)
                filling.one = fields.at[i];
            if (i)
                str_add(out, " ");
            add_pieces(t, from, to, &filling, out);
        }
    }
}

size_t template_growth(const struct template *t, struct fields fields, const char *more,
                       const struct template_place *place, unsigned flags)
{
    struct filling filling = {more, fields, place, flags};
    struct str text = {0};
    bool repeats;

    for (uint32_t from = 0, to; from < t->pieces.count; from = to) {
        to = repeat_end(t, from, flags, &repeats);
        if (!repeats)
            continue;
        str_add(&text, " ");
        add_pieces(t, from, to, &filling, &text);
    }
    size_t length = text.length;
    str_free(&text);
    return length;
}
