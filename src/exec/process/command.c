/* command.c - which commands need no shell, and where their program is.
 *
 * Only what every shell reads in the same way counts as plain: letters, digits, a few harmless
 * signs, and text in single quotes, which is how `dolly map` quotes arguments. Names that a shell
 * may have another idea of (builtins, keywords, exported functions) are left to it, as is every
 * program that cannot be found or started, so that the message is the shell's. Parsing more of the
 * shell's language was not considered: the next special case is always one further. */
#include "exec/process/command.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void command_fini(struct command_words *d)
{
    vec_free(&d->bytes);
    vec_free(&d->argv);
    vec_free(&d->name);
    vec_free(&d->path);
}

static bool command_is_plain(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("-_./+,:@%=", c));
}

/* Copies the words, each with its NUL, and returns how many; 0 when a shell is needed. */
static uint32_t command_words(struct command_words *d, const char *c)
{
    uint32_t words = 0;

    vec_clear(&d->bytes);
    for (;;) {
        while (*c == ' ')
            c++;
        if (!*c)
            return words;
        while (*c && *c != ' ') {
            if (*c == '\'') {
                const char *end = strchr(c + 1, '\'');
                if (!end)
                    return 0;
                for (c++; c < end; c++)
                    vec_push(&d->bytes, *c);
                c++;
            } else if (command_is_plain(*c) && !(words == 0 && *c == '=')) {
                vec_push(&d->bytes, *c++);
            } else {
                return 0;
            }
        }
        vec_push(&d->bytes, '\0');
        words++;
    }
}

bool command_parse(struct command_words *d, const char *command)
{
    uint32_t words = command_words(d, command);
    char *at = d->bytes.at;

    if (words == 0 || !*at)
        return false;
    vec_clear(&d->argv);
    for (uint32_t i = 0; i < words; i++) {
        vec_push(&d->argv, at);
        at += strlen(at) + 1;
    }
    vec_push(&d->argv, NULL);
    return true;
}

/* Names that mean something to some shell. */
static bool command_shell_knows(const char *name)
{
    static const char names[] =
        " . : [ alias autoload bg bind break builtin bye caller case cd chdir command compgen "
        "complete compopt continue coproc declare dirs disown do done echo elif else emulate "
        "enable "
        "esac eval exec exit export false fc fg fi for foreach function functions getopts hash "
        "help "
        "history if in integer jobs kill let limit local log logout mapfile noglob popd print "
        "printf pushd pwd read readarray readonly rehash repeat return select set setopt shift "
        "shopt source suspend test then time times trap true type typeset ulimit umask unalias "
        "unset unsetopt until wait whence where which while zmodload ";
    size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)) != NULL; at++)
        if (at > names && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static const char *command_env(char *const *env, const char *name)
{
    size_t length = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            return *env + length + 1;
    return NULL;
}

static bool command_is_function(char *const *env, const char *name)
{
    size_t length = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, "BASH_FUNC_", 10) == 0 && strncmp(*env + 10, name, length) == 0 &&
            strncmp(*env + 10 + length, "%%", 2) == 0)
            return true;
    return false;
}

static void command_search(struct command_words *d, const char *name, const char *path)
{
    while (path && *path) {
        size_t length = strcspn(path, ":");
        if (length > 0) { /* an empty entry is the folder we are in: leave that to the shell */
            vec_clear(&d->path);
            vec_append(&d->path, path, length);
            vec_push(&d->path, '/');
            vec_append(&d->path, name, strlen(name) + 1);
            if (access(d->path.at, X_OK) == 0)
                return;
        }
        path += length + (path[length] == ':');
    }
    d->path.count = 0;
}

const char *command_find(struct command_words *d, char *const *env)
{
    const char *name = d->argv.at[0];
    uint32_t bytes = (uint32_t)strlen(name) + 1;

    if (strchr(name, '/'))
        return name;
    if (d->name.count == bytes && memcmp(d->name.at, name, bytes) == 0)
        return d->path.count ? d->path.at : NULL; /* the same program as before, most likely */
    vec_clear(&d->name);
    vec_append(&d->name, name, bytes);
    vec_clear(&d->path);
    if (!command_shell_knows(name) && !command_is_function(env, name))
        command_search(d, name, command_env(env, "PATH"));
    return d->path.count ? d->path.at : NULL;
}
