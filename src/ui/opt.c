/* opt.c - why not getopt_long: it prints messages of its own, accepts any unambiguous prefix (so a
 * new option can break an old script), and cannot suggest the nearest name. */
#include "ui/opt.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "ui/cli.h"

enum { OPTIONS_MAX = 64 };

struct opt_walk opt_begin(const char *command, const struct opt *table, int argc, char **argv)
{
    return (struct opt_walk){command, table, argc, 1, argv, NULL};
}

static int unknown(const struct opt_walk *w, const char *name)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;

    for (; w->table[count].name; count++) {
        check(count < OPTIONS_MAX);
        names[count] = w->table[count].name;
    }
    const char *nearest = text_nearest(name, names, count);
    if (nearest)
        cli_usage(w->command, "unknown option --%s, did you mean --%s?", name, nearest);
    else
        cli_usage(w->command, "unknown option --%s", name);
    return OPT_BAD;
}

int opt_next(struct opt_walk *w)
{
    w->value = NULL;
    if (w->next >= w->argc)
        return OPT_END;
    const char *arg = w->argv[w->next++];
    if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)
        return OPT_HELP;
    if (arg[0] != '-' || arg[1] == '\0') {
        w->value = arg;
        return OPT_OTHER;
    }
    if (arg[1] != '-') {
        cli_usage(w->command, "unknown option %s", arg);
        return OPT_BAD;
    }

    const char *name = arg + 2;
    size_t length = strcspn(name, "=");
    for (int i = 0; w->table[i].name; i++) {
        const struct opt *o = &w->table[i];
        if (strlen(o->name) != length || strncmp(o->name, name, length) != 0)
            continue;
        if (name[length] == '=')
            w->value = name + length + 1;
        if (!o->value && w->value) {
            cli_usage(w->command, "--%s takes no value", o->name);
            return OPT_BAD;
        }
        if (o->value && !w->value) {
            if (w->next >= w->argc) {
                cli_usage(w->command, "--%s needs a value: --%s %s", o->name, o->name, o->value);
                return OPT_BAD;
            }
            w->value = w->argv[w->next++];
        }
        return i;
    }
    return unknown(w, name);
}

void opt_print(const struct opt *table)
{
    for (const struct opt *o = table; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "--%s %s", o->name, o->value ? o->value : "");
        const char *line = o->help, *end;
        for (; (end = strchr(line, '\n')); line = end + 1, left[0] = '\0')
            printf("  %-22s %.*s\n", left, (int)(end - line), line);
        printf("  %-22s %s\n", left, line);
    }
    printf("  %-22s %s\n", "--help", "this text");
}
