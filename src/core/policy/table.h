/* table.h - the one static table of parts and recipes. */
#pragma once

#include "core/brain/seam.h"
#include "core/policy/policy.h"

struct table_seam {
    const char *name;
    const struct policy_part *const *parts;
    uint32_t count;
};

extern const struct table_seam table_seams[SEAM_COUNT];
extern const struct recipe table_recipes[];
extern const uint32_t table_recipe_count;
