#include "remote/coordinator/where_env.h"

#include <string.h>

/* Whether the entry is that of the variable, or of the function that bash exports by that name. */
static bool env_is(const char *entry, const char *name, size_t length)
{
    static const char function[] = "BASH_FUNC_", behind[] = "%%";
    size_t before = sizeof function - 1;

    if (strncmp(entry, name, length) == 0 && entry[length] == '=')
        return true;
    if (strncmp(entry, function, before) != 0 || strncmp(entry + before, name, length) != 0)
        return false;
    entry += before + length;
    return strncmp(entry, behind, sizeof behind - 1) == 0 && entry[sizeof behind - 1] == '=';
}

static int env_take(struct where_env *e, const char *name, size_t length, char *const *environment,
                    struct err *err)
{
    bool there = false;

    if (length == 1 && *name == '_')
        return err_set(err, "--env _: over ssh variables are sent by name: --env NAME");
    if (strncmp(name, "DOLLY_", 6) == 0)
        return err_set(err, "--env %.*s: names with DOLLY_ are set by dolly for each task",
                       (int)length, name);
    for (; *environment; environment++)
        if (env_is(*environment, name, length)) {
            there = true;
            vec_append(&e->bytes, *environment, strlen(*environment) + 1);
        }
    if (!there)
        return err_set(err,
                       "--env %.*s: not a variable of this shell's environment: export it first",
                       (int)length, name);
    if (e->bytes.count > WHERE_ENV_BYTES_MAX)
        return err_set(err, "--env %.*s: variables for hosts by ssh may have %d bytes in all",
                       (int)length, name, WHERE_ENV_BYTES_MAX);
    return 0;
}

int where_env_take(struct where_env *e, const struct field_list *names, char *const *environment,
                   struct err *err)
{
    for (uint32_t i = 0; i < names->texts.count; i++) {
        const char *at = names->texts.at[i];
        for (;;) {
            size_t length = strcspn(at, ",");
            if (env_take(e, at, length, environment, err) < 0)
                return -1;
            if (!at[length])
                break;
            at += length + 1;
        }
    }
    return 0;
}

void where_env_fini(struct where_env *e)
{
    vec_free(&e->bytes);
}
