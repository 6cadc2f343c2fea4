#include "jobs/args/template.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static const struct template_place third = {3, 12, 2, 100};

static bool expands_for(const char *text, const struct template_options *options,
                        struct fields fields, unsigned flags, const char *want)
{
    struct err err;
    struct str out = {0};
    struct template *t = template_parse(text, options, &err);

    if (!t)
        return false;
    template_expand(t, fields, &third, flags, &out);
    bool same = strcmp(out.text ? out.text : "", want) == 0;
    if (!same)
        fprintf(stderr, "  %s gives %s, not %s\n", text, out.text ? out.text : "", want);
    str_free(&out);
    template_destroy(t);
    return same;
}

static bool expands(const char *text, const char *argument, const char *want)
{
    struct template_options none = {0};
    return expands_for(text, &none, (struct fields){&argument, 1}, TEMPLATE_QUOTE, want);
}

TEST(template_replaces_parts_of_the_argument)
{
    expect(expands("x {} y", "dir/file.tar.gz", "x dir/file.tar.gz y"));
    expect(expands("{.}", "dir/file.tar.gz", "dir/file.tar"));
    expect(expands("{/}", "dir/file.tar.gz", "file.tar.gz"));
    expect(expands("{//}", "dir/sub/file.gz", "dir/sub"));
    expect(expands("{/.}", "dir/file.tar.gz", "file.tar"));
    expect(expands("{//}|{//}", "file", ".|."));
    expect(expands("{//}", "/file", "/") && expands("{//}", "a//b/", "a"));
    expect(expands("{.}", "a.b/c", "a.b/c") && expands("{.}", "a.", "a"));
    expect(expands("{/}", "a/", "''"));
}

TEST(template_quotes_for_the_shell)
{
    expect(expands("echo {}", "a b", "echo 'a b'"));
    expect(expands("echo {//}", "a b/c", "echo 'a b'"));
    expect(expands("echo {}", "", "echo ''"));
    const char *argument = "a b";
    struct template_options none = {0};
    expect(expands_for("{}:", &none, (struct fields){&argument, 1}, 0, "a b:"));
}

TEST(template_knows_sequence_slot_and_number_of_tasks)
{
    expect(expands("{#}/{##} {%}", "a", "3/12 2"));
}

TEST(template_picks_positions_and_names)
{
    const char *const args[] = {"a.x", "d/b.y", "c"}, *const names[] = {"one", "two"};
    struct fields f = {args, 3};
    struct template_options none = {0}, named = {.names = {names, 2}};

    expect(expands_for("{1} {2.} {3}", &none, f, 0, "a.x d/b c"));
    expect(expands_for("{2/.}{-1}{-3.}", &none, f, 0, "bca"));
    expect(expands_for("[{4}{-4}]", &none, f, 0, "[]"));
    expect(expands_for("{}", &none, f, 0, "a.x d/b.y c"));
    expect(expands_for("{two/} {one.} {three}", &named, f, 0, "b.y a {three}"));
}

TEST(template_leaves_other_braces_alone)
{
    expect(expands("awk '{print $1}' {a,b} ${x} {0} {", "v", "awk '{print $1}' {a,b} ${x} {0} {"));
    expect(expands("{{}}", "v", "{v}"));
}

TEST(template_repeats_the_word_around_the_arguments)
{
    const char *const args[] = {"a", "b"};
    struct template_options none = {0};

    expect(expands_for("x pre-{}.z  y", &none, (struct fields){args, 2},
                       TEMPLATE_QUOTE | TEMPLATE_CONTEXT, "x pre-a.z pre-b.z  y"));
    expect(
        expands_for("x pre-{}.z", &none, (struct fields){args, 2}, TEMPLATE_QUOTE, "x pre-a b.z"));
}

TEST(template_takes_another_string_for_the_braces)
{
    const char *argument = "v";
    const char *const comma[REPLACES] = {",,"};
    struct template_options other = {.replaces = comma};
    expect(expands_for("{} ,,", &other, (struct fields){&argument, 1}, 0, "{} v"));
    expect(expands_for("{1.} ,,", &other, (struct fields){&argument, 1}, 0, "v v"));
}

TEST(template_takes_other_strings_for_the_rest)
{
    const char *argument = "d/v.x";
    const char *const all[REPLACES] = {NULL, ",", "B", "D", ",,", "S", "T"};
    struct template_options other = {.replaces = all};
    expect(
        expands_for(", B D ,, S T", &other, (struct fields){&argument, 1}, 0, "d/v v.x d v 3 2"));
    expect(expands_for("{.} {#} {1.}", &other, (struct fields){&argument, 1}, 0, "{.} {#} d/v"));
}

TEST(template_has_more_parts_with_plus)
{
    const char *argument = "d/v.x.y";
    struct template_options plus = {.plus = true};
    expect(expands_for("{..} {1+.} {0#} {0%} {%.y} {#}", &plus, (struct fields){&argument, 1}, 0,
                       "d/v y 03 002 d/v.x 3"));
    expect(expands("{..} {0#}", "a", "{..} {0#}"));
}

TEST(template_refuses_perl)
{
    struct err err;
    struct template_options none = {0};
    expect(!template_parse("echo {= s/a/b/ =}", &none, &err) && strstr(err.text, "Perl"));
}

TEST(template_says_whether_it_replaces_anything)
{
    struct err err;
    struct template_options none = {0};
    struct template *with = template_parse("echo {#}", &none, &err);
    struct template *without = template_parse("echo {x} $y", &none, &err);
    expect(template_replaces(with) && !template_replaces(without));
    template_destroy(with);
    template_destroy(without);
}

TEST(template_is_steady_if_its_text_hangs_on_nothing_but_arguments)
{
    static const struct {
        const char *text;
        bool steady;
    } cases[] = {{"echo", true},
                 {"echo {} {.} {2}", true},
                 {"echo {} {%}", false},
                 {"{#} {}", false},
                 {"{} of {##}", false}};
    struct template_options none = {0};
    struct err err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct template *t = template_parse(cases[i].text, &none, &err);
        expect(t && template_is_steady(t) == cases[i].steady);
        template_destroy(t);
    }
}

static bool words_expand(struct fields words, const struct template_options *options,
                         const char *argument, const char *want)
{
    struct err err;
    struct str out = {0};
    struct template *t = template_parse_words(words, options, &err);

    template_expand(t, (struct fields){&argument, 1}, &third, TEMPLATE_QUOTE, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        fprintf(stderr, "  have %s\n", out.text);
    str_free(&out);
    template_destroy(t);
    return same;
}

#define WORDS(...)                                                                                 \
    (struct fields)                                                                                \
    {                                                                                              \
        (const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)      \
    }

TEST(template_words_mean_nothing_to_the_shell)
{
    const char *const quote[REPLACES] = {"'"};
    struct template_options none = {0}, other = {.replaces = quote};

    expect(words_expand(WORDS("awk", "{print $1}", "{}"), &none, "f", "awk '{print $1}' f"));
    expect(words_expand(WORDS("echo", "{$(touch INJ)}"), &none, "x", "echo '{$(touch INJ)}'"));
    expect(words_expand(WORDS("printf", "%s|", "", "x"), &none, "y", "printf '%s|' '' x"));
    expect(words_expand(WORDS("a {}b", "{2}", "{#}{x}"), &none, "p q", "'a ''p q'b '' 3'{x}'"));
    expect(words_expand(WORDS("{{}}", "{1"), &none, "p", "'{'p'}' '{1'"));
    expect(words_expand(WORDS("a'b c", "{}"), &other, "p", "ap'b c' '{}'"));
}

TEST(template_words_refuse_what_the_whole_text_refuses)
{
    struct template_options none = {0};
    struct err err;

    expect(!template_parse_words(WORDS("echo", "{= uc =}"), &none, &err));
    expect(!strcmp(err.text, "the Perl expression in '{= uc =}' is not supported; let the command "
                             "do it, or use --plus"));
}

/* Positions count from both ends; those that no argument has are nothing, and those that are no
 * positions are text. */
TEST(template_positions_have_bounds)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l"};
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{1}", "a"},        {"{2}", "b"},       {"{10}", "j"},        {"{12}", "l"},
        {"{-1}", "l"},       {"{-2}", "k"},      {"{-10}", "c"},       {"{-12}", "a"},
        {"<{13}>", "<>"},    {"<{-13}>", "<>"},  {"<{999999}>", "<>"}, {"<{-999999}>", "<>"},
        {"{0}", "{0}"},      {"{-0}", "{-0}"},   {"{01}", "{01}"},     {"{1000000}", "{1000000}"},
        {"{-1000000}", "{-1000000}"},            {"{3/}", "c"},        {"{-3.}", "j"},
    };
    struct template_options none = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(expands_for(rows[i].text, &none, (struct fields){letters, 12}, 0, rows[i].want));
}
