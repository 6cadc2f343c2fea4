#include "jobs/args/regex.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Perl's \t, \s and \d, which people write, in words that POSIX knows. */
static void regex_translate(const char *perl, struct str *posix)
{
    static const char letters[] = "tnsSdw";
    static const char *const words[] = {"\t",           "\n",    "[[:space:]]",
                                        "[^[:space:]]", "[0-9]", "[[:alnum:]_]"};

    for (; *perl; perl++) {
        bool escaped = *perl == '\\' && perl[1];
        const char *letter = escaped ? strchr(letters, perl[1]) : NULL;
        if (letter)
            str_add(posix, words[letter - letters]);
        else
            str_add_bytes(posix, perl, escaped ? 2 : 1);
        perl += escaped;
    }
}

/* Whether the library can be asked to compile it: it writes out what is repeated, and repetitions
 * of repetitions until no memory is left. */
static bool regex_is_tame(const char *regex)
{
    enum { COPIES_MAX = 4096 };
    unsigned long copies = 1;

    for (const char *c = regex; *c && copies <= COPIES_MAX; c++) {
        if (*c == '\\' && c[1]) {
            c++;
        } else if (*c == '+') {
            copies *= 2;
        } else if (*c == '{') {
            const char *most = c + 1 + strspn(c + 1, "0123456789");
            unsigned long n = strtoul(*most == ',' ? most + 1 : c + 1, NULL, 10);
            copies *= n > COPIES_MAX ? COPIES_MAX + 1 : n > 0 ? n : 1;
        }
    }
    return copies <= COPIES_MAX;
}

int regex_compile(regex_t *regex, const char *perl, const char *what, struct err *err)
{
    struct str posix = {0};

    if (!regex_is_tame(perl))
        return err_set(err, "%s '%s' repeats too often", what, perl);
    regex_translate(perl, &posix);
    int failed = regcomp(regex, posix.text ? posix.text : "", REG_EXTENDED | REG_NEWLINE);
    str_free(&posix);
    return failed ? err_set(err, "%s '%s' is no regular expression", what, perl) : 0;
}
