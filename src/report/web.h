/* web.h - the parts of a page that do not depend on the run: files of web/, put into the program.
 */
#ifndef REPORT_WEB_H
#define REPORT_WEB_H

extern const char web_report_css[], web_report_css_end[];
extern const char web_report_js[], web_report_js_end[];

#endif
