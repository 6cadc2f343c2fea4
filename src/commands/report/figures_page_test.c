#include "commands/report/figures_page.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/command.h"

#define N(text) "<td class=\"n\">" text "</td>"
#define T(text) "<td>" text "</td>"

static const char papers[] =
    "[{\"paper\": \"one\", \"title\": \"A & B\", \"seeds\": 2,"
    "  \"rows\": [{\"id\": \"r1\", \"what\": \"saved\", \"paper_text\": \"46\", \"ours\": 44.56,"
    "              \"lo\": 43.21, \"hi\": 47.25, \"difference\": -1.534, \"tuned\": 45.12,"
    "              \"unit\": \"%\", \"basis\": \"text\"},"
    "             {\"id\": \"r2\"}],"
    "  \"figures\": [{\"id\": \"f1\", \"kind\": \"bars\", \"title\": \"small jobs\","
    "                 \"points\": [{\"series\": \"dolly\", \"x\": \"1-10\", \"paper\": 46.123,"
    "                               \"ours\": 44.567, \"lo\": 43.213, \"hi\": 47.256},"
    "                              {\"series\": \"late\"}]}]}]";

/* Reads the page; free it with mem_free. */
static char *page_of(const char *path)
{
    enum { BYTES = 1 << 20 };
    char *page = mem_zalloc(1, BYTES);
    FILE *f = fopen(path, "r");

    expect(f && fread(page, 1, BYTES - 1, f) > 0 && feof(f));
    if (f)
        fclose(f);
    return page;
}

TEST(figures_page_has_each_number_as_a_cell)
{
    struct command_folder f;
    struct err err;
    json_t *all = json_loads(papers, 0, NULL);

    command_begin(&f);
    expect(all && figures_page(all, "page.html", &err) == 0);
    char *page = page_of("page.html");
    expect(strstr(page, "<h1>published numbers, and ours</h1>\n"));
    expect(strstr(page, "<th scope=\"col\">published</th>"));
    expect(strstr(page, "<details><summary>numbers</summary>\n<div"));
    expect(strstr(page, "</table></div>\n</details>\n</section>\n</div>\n<div"));
    expect(strstr(page, "id=\"papers\">[{\"paper\":\"one\""));
    expect(strstr(page, "</html>"));
    expect(strstr(page, "<h2>one: A &amp; B</h2>"));
    expect(strstr(page, "data-paper=\"one\" data-figure=\"f1\">\n<h3>small jobs</h3>\n"));
    expect(strstr(page, "<tr>" T("dolly") T("1-10") N("46.12") N("44.57") N("43.21") N("47.26")
                            "</tr>\n"));
    expect(strstr(page, "<tr>" T("late") T("") N("-") N("-") N("-") N("-") "</tr>\n"));
    expect(strstr(page, "<tr>" T("r1") T("saved") T("46") N("44.6") N("43.2") N("47.2") N("-1.53")
                            N("45.1") T("%") T("text") "</tr>\n"));
    expect(strstr(page, "<tr>" T("r2") T("") T("") N("-") N("-") N("-") N("-") N("-") T("") T("")
                            "</tr>\n"));
    mem_free(page);
    expect(figures_page(all, "no/page.html", &err) == -1 && strstr(err.text, "no/page.html"));
    json_decref(all);
    command_end(&f);
}
