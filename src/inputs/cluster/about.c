/* about.c - writes and reads the description of a run.
 *
 * A run can be simulated again only where the machines it ran on are known, and events describe
 * them only as far as policies know: no speed, no luck, no network. So the whole cluster is written
 * into the journal as the text of a cluster file: no other format is needed, and a printed journal
 * is readable. */
#include "inputs/cluster/about.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <xxhash.h>

#include "base/check.h"
#include "inputs/cluster/cluster.h"
#include "inputs/config/key.h"

enum { ABOUT_BYTES_MAX = 1 << 20 }; /* of one text */

#define ABOUT_ROW(key, member)                                                                     \
    {                                                                                              \
        FIELD_ROW(key, FIELD_TEXT, struct about, member, 1, ABOUT_BYTES_MAX)                       \
    }

static const struct field about_keys[] = {
    ABOUT_ROW("program", program),
    ABOUT_ROW("began", began),
    ABOUT_ROW("workload", workload),
    ABOUT_ROW("workload_hash", workload_hash),
    ABOUT_ROW("cluster", cluster_name),
    ABOUT_ROW("cluster_hash", cluster_hash),
    ABOUT_ROW("options", options),
    ABOUT_ROW("chaos", chaos),
    ABOUT_ROW("host", host),
    ABOUT_ROW("typed", typed),
    {0},
};
static const struct key_kind about_kind = {"about", NULL, about_keys};

void about_write(const struct about *about, const struct cluster *cluster, struct str *to)
{
    str_add(to, about_kind.word);
    for (const struct field *k = about_keys; k->name; k++) {
        const char *text = *(const char *const *)(const void *)((const char *)about + k->offset);
        if (text && *text && strlen(text) <= ABOUT_BYTES_MAX)
            line_add_pair(to, k->name, text);
    }
    str_add(to, "\n");
    cluster_write(cluster, to);
}

int about_read(const char *text, const char *shown, struct about_text *a, struct err *err)
{
    size_t first = strcspn(text, "\n");
    const struct line *line;

    *a = (struct about_text){.line = line_open_text(shown, text, first)};
    int got = line_next(a->line, &line, err);
    if (got == 0)
        err_set(err, "%s: the journal has no description of the run", shown);
    if (got > 0 && key_kind(line, &about_kind, 1, err) &&
        key_fill(line, &about_kind, &a->about, &(uint64_t){0}, err) == 0)
        a->cluster = cluster_file_read_text(text + first, shown, err);
    if (a->cluster)
        return 0;
    about_free(a);
    return -1;
}

void about_free(struct about_text *a)
{
    line_close(a->line);
    cluster_destroy(a->cluster);
    *a = (struct about_text){0};
}

struct about_hash about_hash(const char *path)
{
    struct about_hash hash = {""};
    struct stat st;
    char block[1 << 16];
    size_t got;
    FILE *f = path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

    if (!f)
        return hash;
    XXH3_state_t *state = XXH3_createState();
    check(state && XXH3_64bits_reset(state) == XXH_OK);
    while ((got = fread(block, 1, sizeof block, f)) > 0)
        XXH3_64bits_update(state, block, got);
    if (!ferror(f))
        snprintf(hash.text, sizeof hash.text, "%016llx",
                 (unsigned long long)XXH3_64bits_digest(state));
    XXH3_freeState(state);
    fclose(f);
    return hash;
}

/* Words in quotes where a shell would need some. */
struct about_here about_here(void)
{
    struct about_here here = {.host = ""};
    struct utsname machine;
    char words[2048];
    struct str typed = {0};
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t got = f ? fread(words, 1, sizeof words - 1, f) : 0;

    if (f)
        fclose(f);
    words[got] = '\0';
    if (uname(&machine) == 0)
        snprintf(here.host, sizeof here.host, "%s", machine.nodename);
    for (size_t at = 0; at < got; at += strlen(words + at) + 1) {
        bool plain = words[at] && !words[at + strcspn(words + at, " \t\n'\"\\$`*?;&|<>(){}[]#~!")];
        str_addf(&typed, at == 0 ? "%s%s%s" : " %s%s%s", plain ? "" : "'", words + at,
                 plain ? "" : "'");
    }
    bool cut = typed.length >= sizeof here.typed - 3 || got == sizeof words - 1;
    snprintf(here.typed, sizeof here.typed, "%.*s%s", (int)sizeof here.typed - 4,
             typed.text ? typed.text : "", cut ? "..." : "");
    str_free(&typed);
    return here;
}

struct about_time about_now(void)
{
    struct about_time now;
    struct tm utc;
    time_t t = time(NULL);

    gmtime_r(&t, &utc);
    strftime(now.text, sizeof now.text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return now;
}

/* The number behind " key=" or at the beginning; false: there is none. */
bool about_option(const char *options, const char *key, int64_t *value)
{
    size_t length = strlen(key);
    for (const char *at = options; at && *at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, key, length) && at[length] == '=') {
            char *end;
            *value = strtoll(at + length + 1, &end, 10);
            return end > at + length + 1 && *value >= 0;
        }
    }
    return false;
}
