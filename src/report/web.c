#include "report/web.h"

#define WEB_FILE(name, path)                                                                       \
    __asm__(".section .rodata\n"                                                                   \
            ".global " #name "\n" #name ":\n"                                                      \
            ".incbin \"" path "\"\n"                                                               \
            ".global " #name "_end\n" #name "_end:\n"                                              \
            ".byte 0\n"                                                                            \
            ".previous\n")

WEB_FILE(web_report_css, "web/report.css");
WEB_FILE(web_report_js, "web/report.js");
