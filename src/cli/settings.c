#include "cli/settings.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "policy/policy.h"

/* No part at all knows the key. */
static int unknown(const char *key, struct err *err)
{
    VEC(const char *) names = {0};

    for (const struct param *p = policy_common_params(); p->name; p++)
        vec_push(&names, p->name);
    for (int seam = 0; seam < SEAM_COUNT; seam++) {
        uint32_t count;
        const struct part *const *parts = policy_parts((enum seam)seam, &count);
        for (uint32_t i = 0; i < count; i++)
            for (const struct param *p = parts[i]->params; p && p->name; p++)
                vec_push(&names, p->name);
    }
    const char *nearest = text_nearest(key, names.at, names.count);
    vec_free(&names);
    if (nearest)
        return err_set(err, "--set %s: no policy has such a parameter, did you mean %s?", key,
                       nearest);
    return err_set(err, "--set %s: no policy has such a parameter; `dolly policies` lists them",
                   key);
}

static int apply(const char *key, const char *value, struct policy *const *policies, uint32_t count,
                 struct err *err)
{
    bool used = false;

    if (!policy_knows(key))
        return unknown(key, err);
    for (uint32_t i = 0; i < count; i++)
        if (policy_has(policies[i], key)) {
            used = true;
            if (policy_set(policies[i], key, value, err) < 0)
                return -1;
        }
    if (!used)
        return err_set(err, "--set %s: none of the chosen policies has this parameter", key);
    return 0;
}

int settings_apply(const char *text, struct policy *const *policies, uint32_t count,
                   struct err *err)
{
    const char *equal = strchr(text, '=');

    if (!equal || equal == text)
        return err_set(err, "--set %s: want KEY=VALUE", text);
    char *key = mem_strdup(text);
    key[equal - text] = '\0';
    int result = apply(key, equal + 1, policies, count, err);
    mem_free(key);
    return result;
}
