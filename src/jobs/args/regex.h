/* regex.h - regular expressions as users of Perl's write them, in those of POSIX. */
#ifndef JOBS_ARGS_REGEX_H
#define JOBS_ARGS_REGEX_H

#include <regex.h>

#include "base/err.h"

/* Compiles an extended regular expression in which \t \n \s \S \d \w mean what they do in Perl
 * and a dot does not match a newline; `what` names the option it came with. 0, or -1 with *err.
 * Free with regfree. */
int regex_compile(regex_t *regex, const char *perl, const char *what, struct err *err);

#endif
