/* key_order.c - another order of keys. See key_order.h.
 *
 * Each term ends where no other continues, so that the following terms matter only if the terms are
 * equal: a text ends with two zeros, and a zero in it is followed by 255; the digits of a number
 * end with a zero. The reverse has all bits inverted. A number is its sign, the number of digits
 * before the point, and its significant digits, however many there are: 1.50 is 1.5. Hadoop's
 * comparison of texts that are not numbers is not always an order; where it is, this is the
 * same. */
#include "data/key_order.h"

#include <ctype.h>
#include <string.h>

#include "data/line_record.h"

/* ---- reading it ---- */

/* A number, 0 if there is none; false: it is too large. */
static bool take_number(const char **at, uint32_t *value)
{
    uint64_t number = 0;

    for (; isdigit((unsigned char)**at); (*at)++)
        if ((number = number * 10 + (uint64_t)(**at - '0')) > UINT32_MAX)
            return false;
    *value = (uint32_t)number;
    return true;
}

/* FIELD[.BYTE] */
static bool take_place(const char **at, uint32_t *field, uint32_t *byte)
{
    if (!take_number(at, field) || *field == 0)
        return false;
    if (**at != '.')
        return true;
    (*at)++;
    return isdigit((unsigned char)**at) && take_number(at, byte);
}

/* n and r, in any order; whether there were any. */
static bool take_flags(const char **at, struct key_order_term *p)
{
    const char *from = *at;

    for (; **at == 'n' || **at == 'r'; (*at)++)
        *(**at == 'n' ? &p->number : &p->reverse) = true;
    return *at > from;
}

/* What stands behind -k. Parts without flags of their own have those of all. */
static bool take_term(const char **at, struct key_order_term *p, bool *has_own)
{
    if (!take_place(at, &p->field, &p->byte))
        return false;
    p->byte += p->byte == 0;
    *has_own = take_flags(at, p);
    if (**at == ',') {
        (*at)++;
        if (!take_place(at, &p->last_field, &p->last_byte))
            return false;
        *has_own |= take_flags(at, p);
    }
    return true;
}

static bool take_word(struct key_order *o, const char **at, struct key_order_term *all,
                      uint64_t *plain)
{
    struct key_order_term term = {.byte = 1};
    bool has_own = false;

    if (*(*at)++ != '-')
        return false;
    if (**at != 'k')
        return take_flags(at, all);
    (*at)++;
    while (**at == ' ')
        (*at)++;
    if (!take_term(at, &term, &has_own) || o->terms.count == 64)
        return false;
    *plain |= (uint64_t)!has_own << o->terms.count;
    vec_push(&o->terms, term);
    return true;
}

int key_order_parse(struct key_order *o, const char *text, const char *separator, struct err *err)
{
    struct key_order_term all = {.field = 1, .byte = 1};
    uint64_t plain = 0; /* terms without flags of their own */
    const char *at = text;

    o->separator = separator;
    while (*at == ' ')
        at++;
    while (*at) {
        if (!take_word(o, &at, &all, &plain) || (*at && *at != ' '))
            return err_set(err, "expected -kPOS1[,POS2] with n or r, not '%.40s'", text);
        while (*at == ' ')
            at++;
    }
    if (o->terms.count == 0)
        vec_push(&o->terms, all);
    for (uint32_t i = 0; i < o->terms.count; i++)
        if (plain >> i & 1) {
            o->terms.at[i].number = all.number;
            o->terms.at[i].reverse = all.reverse;
        }
    return 0;
}

/* ---- writing keys ---- */

/* Where the field begins; the end of the key if there are not so many. */
static const char *field_at(const char *at, const char *end, const char *separator, uint32_t field)
{
    uint32_t before = line_record_fields(at, (uint32_t)(end - at), separator, field - 1);

    if (field == 1)
        return at;
    return at + before == end ? end : at + before + strlen(separator);
}

static const char *field_end(const char *at, const char *end, const char *separator)
{
    return at + line_record_fields(at, (uint32_t)(end - at), separator, 1);
}

/* The bytes that the term is about: from *from to what is returned. */
static const char *find_term(const struct key_order_term *p, const char *separator, const char *key,
                             const char *end, const char **from)
{
    const char *at = field_at(key, end, separator, p->field), *last = end;

    *from = (uint64_t)(end - at) < p->byte - 1 ? end : at + p->byte - 1;
    if (p->last_field > 0) {
        at = field_at(key, end, separator, p->last_field);
        last = p->last_byte == 0                               ? field_end(at, end, separator)
               : (uint64_t)(end - at) < (uint64_t)p->last_byte ? end
                                                               : at + p->last_byte;
    }
    return last < *from ? *from : last;
}

static void put(struct key_order_text *to, char byte, char turn)
{
    to->at.at[to->at.count++] = (char)(byte ^ turn);
}

static void put_text(struct key_order_text *to, const char *at, const char *end, char turn)
{
    for (; at < end; at++) {
        put(to, *at, turn);
        if (*at == 0)
            put(to, (char)255, turn);
    }
    put(to, 0, turn);
    put(to, 0, turn);
}

/* Digits from *at on, without the zeros before them (`before`) or behind them. */
static const char *take_digits(const char **at, const char *end, bool before, uint32_t *count)
{
    const char *from = *at, *digits;

    while (*at < end && isdigit((unsigned char)**at))
        (*at)++;
    const char *to = *at;
    if (before)
        while (from < to && *from == '0')
            from++;
    else
        while (from < to && to[-1] == '0')
            to--;
    digits = from;
    *count = (uint32_t)(to - from);
    return digits;
}

/* A number as it is written. */
struct key_order_number {
    bool minus;
    const char *digits, *behind; /* before and behind the point, without zeros that do not matter */
    uint32_t whole, rest;        /* how many there are of these */
    const char *end;             /* what stands behind the digits before the point */
};

static struct key_order_number read_number(const char *at, const char *end)
{
    struct key_order_number n = {.minus = at < end && *at == '-'};

    at += n.minus;
    n.digits = take_digits(&at, end, true, &n.whole);
    n.end = n.behind = at;
    if (at < end && *at == '.') {
        at++;
        n.behind = take_digits(&at, end, false, &n.rest);
    }
    return n;
}

static void put_digits(struct key_order_text *to, const struct key_order_number *n, char turn)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        put(to, (char)(n->whole >> shift), turn);
    for (uint32_t i = 0; i < n->whole; i++)
        put(to, n->digits[i], turn);
    for (uint32_t i = 0; i < n->rest; i++)
        put(to, n->behind[i], turn);
    put(to, 0, turn);
}

enum { BELOW, ZERO, ABOVE };

static void put_number(struct key_order_text *to, const char *at, const char *end, char turn)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    struct key_order_number n = read_number(at, end);

    put(to, n.whole + n.rest == 0 ? ZERO : n.minus ? BELOW : ABOVE, turn);
    if (n.whole + n.rest > 0)
        put_digits(to, &n, (char)(n.minus ? ~turn : turn));
}

/* Hadoop skips no blanks, and does not take two numbers for equal that are followed by different
 * bytes, of which it looks at the first, with its sign; a number that ends there counts as its own
 * first byte. So words come between 0 and 1, in the order of their first letters. */
static void put_hadoop_number(struct key_order_text *to, const char *at, const char *end, char turn)
{
    struct key_order_number n = read_number(at, end);
    bool has_digits = n.whole + n.rest > 0, below = n.minus && has_digits;
    char next = n.minus && !has_digits ? '0' : n.end < end && *n.end != '.' ? *n.end : *at;

    put(to, below ? BELOW : ABOVE, turn);
    turn = (char)(below ? ~turn : turn);
    put_digits(to, &n, turn);
    put(to, (char)(next ^ 0x80), turn);
}

/* What begins behind the key comes before all that does not, also before an empty field. */
static void put_hadoop(struct key_order_text *to, bool number, const char *at, const char *end,
                       const char *key_end, char turn)
{
    put(to, at < key_end, turn);
    if (at < key_end)
        (number ? put_hadoop_number : put_text)(to, at, end, turn);
}

void key_order_write(const struct key_order *o, const char *key, uint32_t length,
                     struct key_order_text *to)
{
    vec_clear(&to->at);
    for (uint32_t i = 0; i < o->terms.count; i++) {
        const struct key_order_term *p = &o->terms.at[i];
        char turn = (char)(p->reverse ? 255 : 0);
        const char *from, *end = find_term(p, o->separator, key, key + length, &from);
        vec_reserve(&to->at, to->at.count + 2 * (uint64_t)(end - from) + 8);
        if (o->as_hadoop)
            put_hadoop(to, p->number, from, end, key + length, turn);
        else
            (p->number ? put_number : put_text)(to, from, end, turn);
    }
}
