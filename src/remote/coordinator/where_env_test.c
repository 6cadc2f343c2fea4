#include "remote/coordinator/where_env.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static char *here[] = {"FOO=bar",
                       "FOOT=no",
                       "EMPTY=",
                       "DOLLY_X=1",
                       "BASH_FUNC_go%%=() {  :\n}",
                       "BASH_FUNC_gone%%=() {  :\n}",
                       NULL};

/* What is sent for the names: its strings with bars between them. */
static const char *takes(const char *first, const char *second)
{
    static char text[512];
    struct field_list names = {0};
    struct where_env e = {0};
    struct err err;

    vec_push(&names.texts, first);
    if (second)
        vec_push(&names.texts, second);
    if (where_env_take(&e, &names, here, &err) < 0) {
        snprintf(text, sizeof text, "%s", err.text);
    } else {
        expect(e.bytes.count < sizeof text && e.bytes.at[e.bytes.count - 1] == 0);
        memcpy(text, e.bytes.at, e.bytes.count);
        for (uint32_t i = 0; i + 1 < e.bytes.count; i++)
            text[i] = text[i] ? text[i] : '|';
    }
    where_env_fini(&e);
    vec_free(&names.texts);
    return text;
}

TEST(where_env_takes_what_is_named)
{
    expect(strcmp(takes("FOO", NULL), "FOO=bar") == 0);
    expect(strcmp(takes("EMPTY", "FOO"), "EMPTY=|FOO=bar") == 0);
    expect(strcmp(takes("FOO,EMPTY", NULL), "FOO=bar|EMPTY=") == 0);
    expect(strcmp(takes("go", NULL), "BASH_FUNC_go%%=() {  :\n}") == 0);
}

TEST(where_env_refuses_what_it_cannot_send)
{
    expect(strstr(takes("FOO", "FO"), "--env FO: not a variable of this shell"));
    expect(strstr(takes("", NULL), "not a variable"));
    expect(strstr(takes("_", NULL), "by name"));
    expect(strstr(takes("DOLLY_X", NULL), "set by dolly"));
}

TEST(where_env_has_an_end)
{
    static char most[WHERE_ENV_BYTES_MAX + 1] = "BIG=";
    char *environment[] = {most, NULL};
    struct field_list names = {0};
    struct where_env e = {0};
    struct err err;

    vec_push(&names.texts, "BIG");
    memset(most + 4, 'x', WHERE_ENV_BYTES_MAX - 5);
    expect(where_env_take(&e, &names, environment, &err) == 0 &&
           e.bytes.count == WHERE_ENV_BYTES_MAX);
    where_env_fini(&e);
    e = (struct where_env){0};
    most[WHERE_ENV_BYTES_MAX - 1] = 'x';
    expect(where_env_take(&e, &names, environment, &err) < 0 && strstr(err.text, "in all"));
    where_env_fini(&e);
    vec_free(&names.texts);
}
