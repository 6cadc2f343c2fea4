/* hadoop_words.c - commands without a shell. See hadoop_words.h.
 *
 * A command whose program is not found is passed to the shell as well, which may have a builtin of
 * that name, and otherwise prints the message that users know. */
#include "data/hadoop_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/text.h"

/* Whether a backslash stands there that only a shell takes for a quote: Hadoop ends a word at the
 * quote behind it. */
static bool quotes_for_shell(const char *at, char quote)
{
    return at[0] == '\\' && quote != '\'' &&
           (at[1] == '"' || at[1] == '`' || (quote && at[1] == '$'));
}

/* Whether only a shell can run it: by what stands outside quotes, and by how it is quoted. */
static bool needs_shell(const char *command)
{
    char quote = 0;

    if (strchr("({", *command) || strstr(command, "'\\''"))
        return true;
    for (const char *at = command; *at; at++)
        if (quotes_for_shell(at, quote))
            return true;
        else if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (!quote && (strchr("|&;<>`\n", *at) || (*at == '$' && at[1] == '(')))
            return true;
    return quote != 0;
}

static void add(struct hadoop_words *w, const char *from, const char *end)
{
    struct str word = {0};

    if (from == end)
        return;
    str_add_bytes(&word, from, (size_t)(end - from));
    vec_push(&w->at, word.text);
}

void hadoop_words_split(struct hadoop_words *w, const char *command)
{
    const char *from = command;
    char quote = 0;

    if (needs_shell(command))
        return;
    for (const char *at = command; *at; at++) {
        bool is_quote = *at == '\'' || *at == '"';
        bool turns = is_quote && (!quote || quote == *at);
        if (turns)
            quote = quote ? 0 : *at;
        if (turns || (!quote && *at == ' ')) {
            add(w, from, at);
            from = at + 1;
        }
    }
    add(w, from, from + strlen(from));
    if (w->at.count > 0 && strchr(w->at.at[0], '=')) /* a variable */
        vec_free_each(&w->at);
    if (w->at.count > 0)
        vec_push(&w->at, NULL);
}

/* Whether it can be run without the shell: not a script without a first line that says by what. */
static bool is_program(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || access(path, X_OK) < 0)
        return false;
    char first[4] = {0};
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(first, 1, sizeof first, f) : sizeof first;
    bool known =
        !f ||
        (n >= 2 && (memcmp(first, "#!", 2) == 0 || memcmp(first, "\177ELF", sizeof first) == 0));
    if (f)
        fclose(f);
    return known;
}

/* Puts the path of the program in the place of its name. */
static bool find_program(char **name, char *const *env)
{
    const char *path = "/usr/bin:/bin";

    if (strchr(*name, '/'))
        return is_program(*name);
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            path = *env + 5;
    char *folders = mem_strdup(path), *rest = folders;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        struct path whole = path_of("%s/%s", *folder ? folder : ".", *name);
        found = is_program(whole.text);
        if (found)
            mem_replace(name, whole.text);
    }
    mem_free(folders);
    return found;
}

char *const *hadoop_words_find(struct hadoop_words *w, const char *command, char *const *env)
{
    hadoop_words_split(w, command);
    return w->at.count > 0 && find_program(&w->at.at[0], env) ? w->at.at : NULL;
}
