/* html.c - pages are built in memory as one string: the largest is some twenty megabytes, and one
 * that cannot be written is then no half page. */
#include "commands/report/html.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "commands/report/pack.h"
#include "commands/report/page_data.h"
#include "ui/cli.h"

/* ---- the frame ---- */

static void add_hash(const struct web_file *file, struct str *to)
{
    str_add(to, " 'sha256-");
    pack_hash(file->text, (size_t)(file->end - file->text), to);
    str_add(to, "'");
}

static void add_script(const struct web_file *file, struct str *to)
{
    str_addf(to, "<script>%s</script>\n", file->text);
}

/* The policy of a page that brings its own style and scripts; a server sends another. */
static void add_policy(const struct web_file *script, struct str *to)
{
    str_add(to, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "base-uri 'none'; form-action 'none'; img-src data:; style-src");
    add_hash(&web_style, to);
    str_add(to, "; script-src");
    for (int i = 0; i < WEB_SHARED; i++)
        add_hash(&web_shared[i], to);
    add_hash(script, to);
    str_add(to, "\">\n");
}

void html_text(const char *before, const char *text, const char *after, struct str *to)
{
    str_add(to, before);
    pack_escaped(text, to);
    str_add(to, after);
}

void html_tame(const char *before, const char *text, const char *after, struct str *to)
{
    char *tame = text_tame(mem_strdup(text));

    html_text(before, tame, after, to);
    mem_free(tame);
}

void html_begin(const char *title, const struct web_file *script, struct str *to)
{
    str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    if (script)
        add_policy(script, to);
    html_text("<title>dolly: ", title, "</title>\n", to);
    if (script)
        str_addf(to, "<style>%s</style>\n", web_style.text);
    else
        str_add(to, "<link rel=\"stylesheet\" href=\"page.css\">\n"
                    "<link rel=\"icon\" href=\"data:,\">\n");
    str_add(to, "</head>\n<body>\n<main>\n");
}

void html_end(const struct web_file *script, struct str *to)
{
    str_add(to, "</main>\n<footer>dolly " DOLLY_VERSION "</footer>\n");
    if (!script) {
        str_add(to, "<script src=\"page.js\"></script>\n</body>\n</html>\n");
        return;
    }
    for (int i = 0; i < WEB_SHARED; i++)
        add_script(&web_shared[i], to);
    add_script(script, to);
    str_add(to, "</body>\n</html>\n");
}

void html_heading(const char *tag, const char *text, struct str *to)
{
    str_addf(to, "<%s>", tag);
    pack_escaped(text, to);
    str_addf(to, "</%s>\n", tag);
}

/* Text in which commands stand between backticks. */
static void add_commands(const char *text, struct str *to)
{
    char *copy = mem_strdup(text);
    bool inside = false;

    for (char *rest = copy, *part; (part = strsep(&rest, "`")); inside = !inside)
        html_text(inside ? "<code>" : "", part, inside ? "</code>" : "", to);
    mem_free(copy);
}

void html_headline(const char *text, const char *range, bool bad, struct str *to)
{
    str_add(to, bad ? "<h1 class=\"bad\">" : "<h1>");
    add_commands(text, to);
    if (*range)
        html_text(" <span class=\"range\">", range, "</span>", to);
    str_add(to, "</h1>\n");
}

void html_sentences(char *lines, struct str *to)
{
    if (!*lines)
        return;
    str_add(to, "<ul id=\"sentences\">\n");
    for (char *rest = lines, *line; (line = strsep(&rest, "\n"));)
        if (*line) {
            str_add(to, "<li>");
            add_commands(line, to);
            str_add(to, "</li>\n");
        }
    str_add(to, "</ul>\n");
}

void html_fold(const char *id, const char *title, struct str *to)
{
    str_addf(to, "<details id=\"%s\">", id);
    html_text("<summary>", title, "</summary>\n", to);
}

void html_fold_end(struct str *to)
{
    str_add(to, "</details>\n");
}

/* ---- tables ---- */

void html_table(const char *id, const char *const *columns, struct str *to)
{
    str_add(to, "<div class=\"scroll\" tabindex=\"0\"><table");
    if (id)
        str_addf(to, " id=\"%s\"", id);
    str_add(to, ">\n<thead><tr>");
    for (; *columns; columns++)
        html_text("<th scope=\"col\">", *columns, "</th>", to);
    str_add(to, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct str *to)
{
    str_add(to, "</tbody></table></div>\n");
}

void html_cell(const char *text, struct str *to)
{
    html_text("<td>", text, "</td>", to);
}

void html_words(struct words words, struct str *to)
{
    html_text("<td class=\"n\">", words.text, "</td>", to);
}

void html_number(uint64_t number, struct str *to)
{
    str_addf(to, "<td class=\"n\">%" PRIu64 "</td>", number);
}

struct words html_real(double number, int digits)
{
    return isnan(number) ? (struct words){"-"} : words_number(number, digits);
}

struct words html_time(int64_t us)
{
    return us < 0 ? (struct words){"-"} : words_time(us);
}

/* ---- data ---- */

/* No text in it may end the element. */
void html_json(const char *id, json_t *data, struct str *to)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(7));

    str_addf(to, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *c = text; *c;) {
        size_t plain = strcspn(c, "<>&");
        str_add_bytes(to, c, plain);
        c += plain;
        if (*c)
            str_addf(to, "\\u%04x", (unsigned)*c++);
    }
    str_add(to, "</script>\n");
    mem_free(text);
    json_decref(data);
}

static void add_packed(const char *name, uint32_t number, const struct str *packed, struct str *to)
{
    str_addf(to, "<script type=\"text/plain\" id=\"%s-%u\">", name, number);
    str_add_bytes(to, packed->text, packed->length);
    str_add(to, "</script>\n");
}

void html_run(struct read_run *r, uint32_t number, struct str *to)
{
    struct str columns = {0}, stories = {0};
    char id[24];

    snprintf(id, sizeof id, "data-%u", number);
    html_json(id, page_data(r, &columns), to);
    page_data_stories(r, &stories);
    add_packed("columns", number, &columns, to);
    add_packed("stories", number, &stories, to);
    str_free(&columns);
    str_free(&stories);
}

int html_save(const char *path, const struct str *page, struct err *err)
{
    if (pack_load(err) < 0) /* it lacks what was to be packed */
        return -1;
    if (strcmp(path, "-") == 0) {
        fwrite(page->text, 1, page->length, stdout);
        return 0;
    }
    if (fresh_file_write(path, 0666, page->text, page->length) == 0)
        return 0;
    return err_system(err, "cannot write %s: %s", path, strerror(errno));
}
