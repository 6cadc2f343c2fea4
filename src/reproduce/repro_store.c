/* repro_store.c - names for results, such that no result is ever mistaken for another.
 *
 * A result belongs to a program, a command, and the worlds that the command names. Its file is
 * named by a digest of all three: of a script, every file in its folder counts. A changed program
 * or world therefore simply finds no result, and whatever is found may be used without a question.
 *
 * Rejected: comparing times of files, as make does. A checkout or a copy changes times and nothing
 * else. */
#include "reproduce/repro_store.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"

/* ---- digests ---- */

/* Of the content; a file that cannot be read changes nothing, the run will say so. */
static uint64_t digest_file(uint64_t digest, const char *path)
{
    char block[65536];
    FILE *in = fopen(path, "rb");
    size_t n;

    if (!in)
        return digest;
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        digest = hash_bytes(digest, block, n);
    fclose(in);
    return digest;
}

static int plain_file(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return e->d_name[0] != '.' && (!dot || strcmp(dot, ".experiment") != 0);
}

static uint64_t digest_folder(uint64_t digest, const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, plain_file, alphasort);

    for (int i = 0; i < count; i++) {
        struct str path = {0};
        str_addf(&path, "%s/%s", folder, names[i]->d_name);
        digest = digest_file(digest, path.text);
        str_free(&path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return digest;
}

uint64_t repro_store_digest(const char *path)
{
    return digest_file(HASH_START, path);
}

/* ---- commands ---- */

int repro_store_split(char *copy, char *words[REPRO_WORDS_MAX])
{
    int n = 0;

    for (char *word = strtok(copy, " \t"); word && n < REPRO_WORDS_MAX - 2;
         word = strtok(NULL, " \t"))
        words[n++] = word;
    words[n] = NULL;
    return n;
}

static uint64_t digest_command(uint64_t program, bool quick, const char *command,
                               const char *folder)
{
    char *copy = mem_strdup(command), *words[REPRO_WORDS_MAX];
    int count = repro_store_split(copy, words);
    bool script = count > 0 && strcmp(words[0], "script") == 0;
    uint64_t digest = hash_bytes(program, command, strlen(command) + 1);

    if (script && quick)
        digest = hash_bytes(digest, "quick", 5);
    for (int i = 1; i < count; i++) {
        struct str path = {0};
        struct stat status;
        str_addf(&path, "%s%s%s", words[i][0] == '/' ? "" : folder, words[i][0] == '/' ? "" : "/",
                 words[i]);
        if (stat(path.text, &status) == 0 && S_ISREG(status.st_mode))
            digest = digest_file(digest, path.text);
        char *slash = strrchr(path.text, '/');
        if (script && i == 1 && slash) {
            *slash = '\0';
            digest = digest_folder(digest, path.text);
        }
        str_free(&path);
    }
    mem_free(copy);
    return digest;
}

void repro_store_path(const char *store, uint64_t program, bool quick, const char *command,
                      const char *folder, struct str *path)
{
    str_addf(path, "%s/%016" PRIx64 ".json", store,
             digest_command(program, quick, command, folder));
}

/* ---- the folder ---- */

static int make_folders(char *path, struct err *err)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        bool fine = mkdir(path, 0777) == 0 || errno == EEXIST;
        int error = errno;
        if (slash)
            *slash = '/';
        if (!fine)
            return err_system(err, "cannot make the folder %s: %s", path, strerror(error));
        if (!slash)
            return 0;
    }
}

static char *default_store(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct str path = {0};

    if (cache && *cache)
        str_addf(&path, "%s/dolly/reproduce", cache);
    else
        str_addf(&path, "%s/.cache/dolly/reproduce", home && *home ? home : "/tmp");
    return path.text;
}

char *repro_store_open(const char *folder, struct err *err)
{
    char *named = folder ? mem_strdup(folder) : default_store(), *store = NULL;

    if (make_folders(named, err) == 0) {
        store = realpath(named, NULL); /* commands run in other folders */
        if (!store)
            err_system(err, "cannot use the folder %s: %s", named, strerror(errno));
    }
    mem_free(named);
    return store;
}
