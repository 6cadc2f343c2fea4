#include "commands/report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/capture.h"
#include "tests/unit/test.h"

TEST(html_headings_and_folds)
{
    struct str to = {0};
    html_heading("h2", "a & b", &to);
    expect(text_was(&to, "<h2>a &amp; b</h2>\n"));
    html_fold("f", "<1", &to);
    html_fold_end(&to);
    expect(text_was(&to, "<details id=\"f\"><summary>&lt;1</summary>\n</details>\n"));
    str_free(&to);
}

TEST(html_tables)
{
    static const char *const columns[] = {"a<b", "c", NULL};
    struct str to = {0};
    html_table("t", columns, &to);
    expect(text_was(&to, "<div class=\"scroll\" tabindex=\"0\"><table id=\"t\">\n<thead><tr>"
                         "<th scope=\"col\">a&lt;b</th><th scope=\"col\">c</th></tr></thead>\n"
                         "<tbody>\n"));
    html_table(NULL, columns + 2, &to);
    html_table_end(&to);
    expect(text_was(&to, "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr></tr></thead>\n"
                         "<tbody>\n</tbody></table></div>\n"));
    html_cell("x>y", &to);
    html_number(7, &to);
    expect(text_was(&to, "<td>x&gt;y</td><td class=\"n\">7</td>"));
    html_words(html_real(0.12345, 2), &to);
    html_words(html_real((double)NAN, 2), &to);
    expect(text_was(&to, "<td class=\"n\">0.12</td><td class=\"n\">-</td>"));
    html_words(html_time(0), &to);
    html_words(html_time(-1), &to);
    html_words(html_time(1500000), &to);
    expect(
        text_was(&to, "<td class=\"n\">0 s</td><td class=\"n\">-</td><td class=\"n\">1.5 s</td>"));
    html_words(words_span(600000000), &to);
    expect(text_was(&to, "<td class=\"n\">10 min</td>"));
    str_free(&to);
}

TEST(html_json_cannot_end_its_element)
{
    struct str to = {0};
    html_json("d", json_pack("{ss si}", "a", "x</script><b>&", "n", 1), &to);
    expect(text_was(&to, "<script type=\"application/json\" id=\"d\">{\"a\":"
                         "\"x\\u003c/script\\u003e\\u003cb\\u003e\\u0026\",\"n\":1}</script>\n"));
    str_free(&to);
}

TEST(html_pages_name_the_scripts_that_may_run)
{
    struct str to = {0};
    html_begin("a <run>", &web_shared[0], &to);
    expect(strncmp(to.text, "<!doctype html>\n", 16) == 0);
    expect(strstr(to.text, "default-src 'none'") &&
           strstr(to.text, "<title>dolly: a &lt;run&gt;<"));
    expect(strstr(to.text, "<body>\n<main>\n") && strstr(to.text, web_style.text));
    const char *at = to.text;
    int hashes = 0;
    for (; (at = strstr(at, "'sha256-")); at++)
        hashes++;
    expect(hashes == 1 + WEB_SHARED + 1); /* the style, what is shared, and its own */
    str_cut(&to, 0);
    html_end(&web_shared[0], &to);
    expect(strncmp(to.text, "</main>\n<footer>dolly ", 22) == 0);
    int scripts = 0;
    for (at = to.text; (at = strstr(at, "<script>")); at++)
        scripts++;
    expect(scripts == WEB_SHARED + 1);
    for (int i = 0; i < WEB_SHARED; i++)
        expect(strstr(to.text, web_shared[i].text));
    expect(strcmp(to.text + to.length - 16, "</body>\n</html>\n") == 0);
    str_free(&to);
}

TEST(html_save_replaces_a_page_or_says_why_not)
{
    struct str page = {0};
    struct err err;
    char folder[TEST_FOLDER], path[TEST_FOLDER + 16], read[16] = "";
    test_folder(folder);
    snprintf(path, sizeof path, "%s/page.html", folder);
    str_add(&page, "first");
    expect(html_save(path, &page, &err) == 0);
    str_cut(&page, 0);
    str_add(&page, "next");
    expect(html_save(path, &page, &err) == 0);
    FILE *f = fopen(path, "re");
    expect(f && fread(read, 1, sizeof read - 1, f) == 4 && strcmp(read, "next") == 0);
    if (f)
        fclose(f);
    unlink(path);
    snprintf(path, sizeof path, "%s/no/page.html", folder);
    expect(html_save(path, &page, &err) == -1 && strstr(err.text, "cannot write"));
    rmdir(folder);
    str_free(&page);
}
