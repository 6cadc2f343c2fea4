/* streaming_conf.c - a file of settings. See streaming_conf.h.
 *
 * Such files have nothing but properties, so no more of XML is known here than elements, comments
 * and the five entities. */
#include "jobs/streaming/streaming_conf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { CONF_BYTES_MAX = 1 << 22 };

/* All of a file without its comments, or NULL. */
static char *read_all(const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    char *text = mem_zalloc(CONF_BYTES_MAX + 1, 1);
    size_t n = f ? fread(text, 1, CONF_BYTES_MAX, f) : 0;
    int error = !f || ferror(f) ? errno : n < CONF_BYTES_MAX ? 0 : EFBIG;
    bool is_text = strlen(text) == n; /* else all behind a zero byte would be lost */

    if (f)
        fclose(f);
    if (error || !is_text) {
        err_set(err, "-conf %s: %s", path,
                error ? strerror(error) : "has a zero byte; expected a text file");
        mem_free(text);
        return NULL;
    }
    for (char *from = text, *end; (from = strstr(from, "<!--"));) {
        end = strstr(from, "-->");
        memset(from, ' ', (size_t)((end ? end + 3 : text + n) - from));
    }
    return text;
}

/* Adds what stands between <name> and </name>, entities as what they mean. */
static bool add_element(struct str *to, const char *from, const char *end, const char *name)
{
    static const char *const entities[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
    char open[16], close[16];

    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *at = strstr(from, open), *until = at ? strstr(at, close) : NULL;
    if (!until || until > end)
        return false;
    for (at += strlen(open); at < until;) {
        size_t taken = 1;
        const char *text = at;
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (strncmp(at, entities[i][0], strlen(entities[i][0])) == 0) {
                taken = strlen(entities[i][0]);
                text = entities[i][1];
            }
        str_add_bytes(to, text, 1);
        at += taken;
    }
    return true;
}

int streaming_conf_read(struct streaming_args *a, const char *path, struct err *err)
{
    char *text = read_all(path, err);
    int result = text ? 0 : -1;

    if (text && !strstr(text, "<configuration"))
        result = err_set(err, "-conf %s: expected <configuration> with <property>", path);
    for (const char *at = text; result == 0 && (at = strstr(at, "<property>"));) {
        const char *end = strstr(at, "</property>");
        struct str setting = {0};
        bool good = end && add_element(&setting, at, end, "name");
        str_add(&setting, "=");
        if (good && add_element(&setting, at, end, "value"))
            vec_push(&a->settings[FROM_FILE], mem_strdup(setting.text));
        else
            result = err_set(err, "-conf %s: a property without a name or a value", path);
        str_free(&setting);
        at = end;
    }
    mem_free(text);
    return result;
}
