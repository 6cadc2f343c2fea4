/* repro_expr.c - a small recursive descent evaluator.
 *
 * It evaluates while it reads; there is no tree. A formula is evaluated once per seed, a few
 * hundred times in all, beside runs of seconds. Scanning for names uses the same walk with no
 * results: values are then NaN, and functions are not called. */
#include "reproduce/repro_expr.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "reproduce/repro_func.h"

enum { NAME_MAX_LENGTH = 200, DEPTH_MAX = 50 };

struct parser {
    const char *text, *at;
    const struct repro_names *names;                          /* or NULL: only look */
    int (*see)(void *ctx, const char *name, struct err *err); /* when only looking */
    void *ctx;
    int depth;
    struct err *err;
};

static int sum(struct parser *p, struct repro_value *out);

static void skip(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

static int bad(struct parser *p, const char *what)
{
    return err_set(p->err, "in '%s': %s at '%.20s'", p->text, what, p->at);
}

/* ---- names ---- */

static const json_t *element(const json_t *list, const char *key)
{
    static const char *const labels[] = {"id", "bin", "yardstick", "policy"};
    size_t i;
    json_t *item;
    int64_t n;

    json_array_foreach(list, i, item)
    {
        for (size_t k = 0; k < sizeof labels / sizeof labels[0]; k++) {
            const json_t *label = json_object_get(item, labels[k]);
            if (json_is_string(label) && strcmp(json_string_value(label), key) == 0)
                return item;
            if (json_is_integer(label) && text_int(key, &n) && json_integer_value(label) == n)
                return item;
        }
    }
    return text_int(key, &n) && n >= 0 ? json_array_get(list, (size_t)n) : NULL;
}

static int follow(struct parser *p, const char *name, bool may_miss, struct repro_value *out)
{
    const char *rest;
    const json_t *node = p->names->find(p->names->ctx, name, &rest, p->err);

    if (!node)
        return -1;
    while (*rest) {
        char key[NAME_MAX_LENGTH];
        size_t n = strcspn(rest, ".");
        memcpy(key, rest, n);
        key[n] = '\0';
        const json_t *next = json_is_array(node) ? element(node, key) : json_object_get(node, key);
        if (!next && may_miss) {
            *out = (struct repro_value){0, NULL};
            return 0;
        }
        if (!next)
            return err_set(p->err, "in '%s': %s has no '%s'", p->text, name, key);
        node = next;
        rest += n + (rest[n] == '.');
    }
    *out = (struct repro_value){json_is_number(node) ? json_number_value(node) : (double)NAN,
                                json_is_number(node) ? NULL : node};
    return 0;
}

static int call(struct parser *p, const char *name, struct repro_value *out)
{
    struct repro_value args[REPRO_ARGS_MAX];
    int count = 0;

    p->at++; /* the parenthesis */
    for (skip(p); *p->at != ')'; skip(p)) {
        if (count == REPRO_ARGS_MAX)
            return bad(p, "too many arguments");
        if (count > 0 && *p->at != ',')
            return bad(p, "want a comma or a closing parenthesis");
        p->at += count > 0;
        if (sum(p, &args[count]) < 0)
            return -1;
        count++;
    }
    p->at++;
    if (!repro_func_known(name, count))
        return err_set(p->err, "in '%s': no function %s of %d arguments", p->text, name, count);
    if (!p->names) {
        *out = (struct repro_value){(double)NAN, NULL};
        return 0;
    }
    out->node = NULL;
    if (repro_func_call(name, args, count, &out->number, p->err) < 0) {
        char why[ERR_TEXT_MAX];
        memcpy(why, p->err->text, sizeof why);
        return err_set(p->err, "in '%s': %.200s", p->text, why);
    }
    return 0;
}

static int name_or_call(struct parser *p, struct repro_value *out)
{
    char name[NAME_MAX_LENGTH];
    size_t n = 0;

    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_' || p->at[n] == '.')
        n++;
    if (n >= sizeof name)
        return bad(p, "too long a name");
    memcpy(name, p->at, n);
    name[n] = '\0';
    p->at += n;
    skip(p);
    if (*p->at == '(')
        return call(p, name, out);
    bool may_miss = *p->at == '?';
    p->at += may_miss;
    if (p->names)
        return follow(p, name, may_miss, out);
    *out = (struct repro_value){(double)NAN, NULL};
    return p->see(p->ctx, name, p->err);
}

/* ---- arithmetic ---- */

static int atom(struct parser *p, struct repro_value *out)
{
    skip(p);
    if (++p->depth > DEPTH_MAX)
        return bad(p, "too deep");
    int result;
    if (*p->at == '(') {
        p->at++;
        result = sum(p, out);
        skip(p);
        if (result == 0 && *p->at != ')')
            result = bad(p, "want a closing parenthesis");
        p->at += result == 0;
    } else if (*p->at == '-') {
        p->at++;
        result = atom(p, out);
        *out = (struct repro_value){result == 0 ? -out->number : 0, NULL};
    } else if (isdigit((unsigned char)*p->at)) {
        char *end;
        *out = (struct repro_value){strtod(p->at, &end), NULL};
        p->at = end;
        result = 0;
    } else if (isalpha((unsigned char)*p->at)) {
        result = name_or_call(p, out);
    } else {
        result = bad(p, "want a number, a name or a parenthesis");
    }
    p->depth--;
    return result;
}

static int product(struct parser *p, struct repro_value *out)
{
    struct repro_value right;

    if (atom(p, out) < 0)
        return -1;
    for (skip(p); *p->at == '*' || *p->at == '/'; skip(p)) {
        char sign = *p->at++;
        if (atom(p, &right) < 0)
            return -1;
        out->number = sign == '*' ? out->number * right.number : out->number / right.number;
        out->node = NULL;
    }
    return 0;
}

static int sum(struct parser *p, struct repro_value *out)
{
    struct repro_value right;

    if (product(p, out) < 0)
        return -1;
    for (skip(p); *p->at == '+' || *p->at == '-'; skip(p)) {
        char sign = *p->at++;
        if (product(p, &right) < 0)
            return -1;
        out->number = sign == '+' ? out->number + right.number : out->number - right.number;
        out->node = NULL;
    }
    return 0;
}

static int whole(struct parser *p, struct repro_value *out)
{
    if (sum(p, out) < 0)
        return -1;
    skip(p);
    return *p->at ? bad(p, "want the end") : 0;
}

int repro_expr_eval(const char *text, const struct repro_names *names, double *out, struct err *err)
{
    struct parser p = {.text = text, .at = text, .names = names, .err = err};
    struct repro_value value;

    if (whole(&p, &value) < 0)
        return -1;
    if (value.node && !json_is_null(value.node))
        return err_set(err, "'%s' is no number", text);
    *out = value.number;
    return 0;
}

int repro_expr_scan(const char *text, int (*see)(void *ctx, const char *name, struct err *err),
                    void *ctx, struct err *err)
{
    struct parser p = {.text = text, .at = text, .see = see, .ctx = ctx, .err = err};
    struct repro_value value;

    return whole(&p, &value);
}
