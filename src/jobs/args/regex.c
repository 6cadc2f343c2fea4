#include "jobs/args/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/lazy.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(pcre2_code_free_8) F(pcre2_compile_8) F(pcre2_get_error_message_8) \
    F(pcre2_get_ovector_pointer_8) F(pcre2_match_8) F(pcre2_match_data_create_from_pattern_8) \
    F(pcre2_match_data_free_8)
/* clang-format on */

static struct {
    FUNCTIONS(LAZY_MEMBER)
} pcre;

static struct lazy_library library = {.file = "libpcre2-8.so.0",
                                      .names = LAZY_NAMES(FUNCTIONS),
                                      .linked = LAZY_LINKED(FUNCTIONS),
                                      .functions = &pcre};

struct regex {
    pcre2_code *code;
    pcre2_match_data *match;
    char *text;
};

struct regex *regex_compile(const char *perl, const char *what, struct err *err)
{
    int number;
    PCRE2_SIZE at;
    PCRE2_UCHAR why[128];

    if (lazy_load(&library, err) < 0)
        return NULL;
    pcre2_code *code = pcre.pcre2_compile_8((PCRE2_SPTR)perl, PCRE2_ZERO_TERMINATED,
                                            PCRE2_MULTILINE, &number, &at, NULL);
    if (!code) {
        pcre.pcre2_get_error_message_8(number, why, sizeof why);
        err_set(err, "%s: not a valid regular expression: '%s': %s", what, perl, (char *)why);
        return NULL;
    }
    struct regex *r = mem_zalloc(1, sizeof *r);
    r->code = code;
    r->match = pcre.pcre2_match_data_create_from_pattern_8(code, NULL);
    r->text = mem_strdup(perl);
    if (!r->match)
        mem_out(1, sizeof *r);
    return r;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre.pcre2_match_data_free_8(r->match);
    pcre.pcre2_code_free_8(r->code);
    mem_free(r->text);
    mem_free(r);
}

bool regex_find(const struct regex *r, const char *text, size_t length, size_t start,
                struct regex_span *all, struct regex_span *group)
{
    int found = pcre.pcre2_match_8(r->code, (PCRE2_SPTR)text, length, start, 0, r->match, NULL);

    if (found == PCRE2_ERROR_NOMATCH)
        return false;
    if (found < 0) {
        PCRE2_UCHAR why[128];
        pcre.pcre2_get_error_message_8(found, why, sizeof why);
        fprintf(stderr, "dolly: the regular expression '%s' cannot be matched: %s\n", r->text,
                (char *)why);
        exit(1);
    }
    const PCRE2_SIZE *at = pcre.pcre2_get_ovector_pointer_8(r->match);
    *all = (struct regex_span){at[0], at[1]};
    if (group)
        *group = found > 1 ? (struct regex_span){at[2], at[3]} : *all;
    return true;
}
