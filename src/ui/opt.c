/* opt.c - why not getopt_long: it prints messages of its own, accepts any unambiguous prefix (so a
 * new option can break an old script), and cannot suggest the nearest name. */
#include "ui/opt.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ui/cli.h"
#include "ui/wrap.h"

static int unknown(const struct opt_command *c, const char *name)
{
    const char *nearest = field_nearest(c->options, name);

    if (c->absent && strcmp(name, c->absent) == 0)
        return cli_usage(c->name, "unknown option --%s: %s", name, c->instead);
    if (nearest)
        return cli_usage(c->name, "unknown option --%s, did you mean --%s?", name, nearest);
    return cli_usage(c->name, "unknown option --%s", name);
}

static int set(const struct opt_command *c, const struct field *f, const char *text, void *values)
{
    void *member = (char *)values + f->offset;
    struct err err;
    int status = 0;

    if (f->type == FIELD_FLAG) {
        *(bool *)member = true;
    } else if (f->type == FIELD_OWN) {
        if (f->take(member, text, &err) < 0)
            status = cli_usage(c->name, "%s", err.text);
    } else if (field_read(f, text, member) != FIELD_FINE) {
        struct str want = {0};
        field_want(f, &want);
        status = cli_usage(c->name, "--%s must be %s, not '%s'", f->name, want.text, text);
        str_free(&want);
    }
    return status;
}

/* --name, --name=value or --name value; the last one takes `next`, and says so. */
static int take_option(const struct opt_command *c, const char *text, const char *next,
                       bool *took_next, void *values)
{
    char *name = mem_strdup(text);
    char *value = strchr(name, '=');
    int status;

    if (value)
        *value = '\0';
    const struct field *f = field_find(c->options, name);
    const char *given = value ? text + (value - name) + 1 : NULL;
    if (!f)
        status = unknown(c, text);
    else if (f->type == FIELD_FLAG && given)
        status = cli_usage(c->name, "--%s takes no value", f->name);
    else if (f->type != FIELD_FLAG && !given && !next)
        status = cli_usage(c->name, "--%s needs a value: --%s %s", f->name, f->name, f->value);
    else {
        *took_next = f->type != FIELD_FLAG && !given;
        status = set(c, f, given ? given : next, values);
    }
    mem_free(name);
    return status;
}

/* -o: an alias of one letter. */
static bool is_letter(const struct opt_command *c, const char *arg)
{
    return arg[1] && !arg[2] && field_find(c->options, arg + 1);
}

static bool print_help(const struct opt_command *c)
{
    enum { NAME_COLUMNS = 22 };

    wrap_text(c->usage);
    putchar('\n');
    for (const struct field *f = c->options; f->name; f++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s--%s%s%s", f->alias ? "-" : "", f->alias ? f->alias : "",
                 f->alias ? ", " : "", f->name, f->value ? " " : "", f->value ? f->value : "");
        wrap_row(left, f->help, NAME_COLUMNS);
    }
    wrap_row("--help", "this text", NAME_COLUMNS);
    if (c->notes)
        wrap_text(c->notes);
    return false;
}

/* --help=all is for all commands, as `dolly map` has a short help, too. */
static bool is_help(const char *arg)
{
    return strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0 || strcmp(arg, "--help=all") == 0;
}

static int take_operand(const struct opt_command *c, void *values, const char *text)
{
    const char **to = (const char **)(void *)((char *)values + c->operand_at);

    if (c->operand)
        return c->operand(values, text);
    if (!c->has_operand || *to)
        return cli_usage(c->name, "unexpected argument '%s'", text);
    *to = text;
    return 0;
}

bool opt_parse(const struct opt_command *c, int argc, char **argv, void *values, int *status)
{
    *status = 0;
    for (int i = 1; i < argc && *status == 0; i++) {
        const char *arg = argv[i];
        bool took_next = false;
        if (is_help(arg))
            return print_help(c);
        size_t dashes = arg[0] != '-' ? 0 : arg[1] == '-' ? 2 : is_letter(c, arg) ? 1 : 0;
        if (dashes)
            *status =
                take_option(c, arg + dashes, i + 1 < argc ? argv[i + 1] : NULL, &took_next, values);
        else if (arg[0] == '-' && arg[1] != '\0')
            *status = cli_usage(c->name, "unknown option %s", arg);
        else
            *status = take_operand(c, values, arg);
        i += took_next;
    }
    return *status == 0;
}
