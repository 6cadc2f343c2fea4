#include "commands/report/web.h"

#define WEB_FILE(name, path)                                                                       \
    __asm__(".section .rodata\n"                                                                   \
            ".global web_text_" #name "\nweb_text_" #name ":\n"                                    \
            ".incbin \"" path "\"\n"                                                               \
            ".global web_text_" #name "_end\nweb_text_" #name "_end:\n"                            \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char web_text_##name[], web_text_##name##_end[]
#define WEB_TEXT(name)                                                                             \
    {                                                                                              \
        web_text_##name, web_text_##name##_end                                                     \
    }

WEB_FILE(style, "web/report.css");
WEB_FILE(words, "web/words.js");
WEB_FILE(run, "web/run.js");
WEB_FILE(strips, "web/strips.js");
WEB_FILE(axis, "web/axis.js");
WEB_FILE(lanes, "web/lanes.js");
WEB_FILE(rows, "web/rows.js");
WEB_FILE(timeline, "web/timeline.js");
WEB_FILE(story, "web/story.js");
WEB_FILE(address, "web/address.js");
WEB_FILE(filters, "web/filters.js");
WEB_FILE(report, "web/report.js");
WEB_FILE(compare, "web/compare.js");
WEB_FILE(figures, "web/figures.js");
WEB_FILE(live, "web/live.js");
WEB_FILE(login, "web/login.js");

const struct web_file web_style = WEB_TEXT(style);
const struct web_file web_shared[WEB_SHARED] = {
    WEB_TEXT(words), WEB_TEXT(run),      WEB_TEXT(axis),  WEB_TEXT(strips),  WEB_TEXT(lanes),
    WEB_TEXT(rows),  WEB_TEXT(timeline), WEB_TEXT(story), WEB_TEXT(filters), WEB_TEXT(address)};
const struct web_file web_report = WEB_TEXT(report), web_compare = WEB_TEXT(compare),
                      web_figures = WEB_TEXT(figures);
const struct web_file web_live = WEB_TEXT(live), web_login = WEB_TEXT(login);
