/* file_pattern.c - names of files with %A, %a, %j, %x, %N, %u in them. See file_pattern.h.
 *
 * A pattern is walked once for each question: it is short, and a table of its parts would be more
 * to read. */
#include "jobs/args/file_pattern.h"

#include <inttypes.h>
#include <string.h>

/* The letter behind a per cent sign, and how many digits a number has at least. */
static char letter_of(const char *percent, int *width, const char **end)
{
    const char *at = percent + 1;
    bool digit = *at >= '0' && *at <= '9';

    *width = digit ? *at - '0' : 1;
    at += digit;
    *end = *at ? at + 1 : at;
    return *at;
}

int file_pattern_check(const char *pattern, struct err *err)
{
    int width;
    const char *end;

    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at = end) {
        char letter = letter_of(at, &width, &end);
        if (!letter || !strchr("AajxNu%", letter))
            return err_set(err,
                           "%.*s in the file name '%s' is not known: there are %%A %%a %%j "
                           "%%x %%N %%u %%%%",
                           (int)(end - at), at, pattern);
    }
    return 0;
}

static bool has_any(const char *pattern, const char *letters)
{
    int width;
    const char *end;

    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at = end)
        if (strchr(letters, letter_of(at, &width, &end)))
            return true;
    return false;
}

bool file_pattern_has_host(const char *pattern)
{
    return has_any(pattern, "N");
}

bool file_pattern_is_shared(const char *pattern)
{
    return !has_any(pattern, "aj");
}

/* The first word of a command, without its folder. */
static void add_command_name(const char *command, struct str *out)
{
    size_t length = strcspn(command, " \t\n;|&<>()");
    const char *from = command;

    for (const char *c = command; c < command + length; c++)
        if (*c == '/')
            from = c + 1;
    length -= (size_t)(from - command);
    str_add_bytes(out, length ? from : "map", length ? length : 3);
}

void file_pattern_fill(const char *pattern, const struct file_pattern_facts *facts, struct str *out)
{
    int width;

    for (const char *at = pattern; *at;) {
        size_t plain = strcspn(at, "%");
        str_add_bytes(out, at, plain);
        at += plain;
        if (!*at)
            break;
        switch (letter_of(at, &width, &at)) {
        case 'A':
            str_addf(out, "%0*" PRId64, width, facts->run);
            break;
        case 'a':
            str_addf(out, "%0*" PRId64, width, facts->index);
            break;
        case 'j':
            str_addf(out, "%0*" PRId64, width, facts->run + (int64_t)facts->seq);
            break;
        case 'x':
            add_command_name(facts->command, out);
            break;
        case 'N':
            str_add_bytes(out, facts->host, strcspn(facts->host, "."));
            break;
        case 'u':
            str_add(out, facts->user);
            break;
        default:
            str_add(out, "%");
            break;
        }
    }
}
