/* policy.h - makes a policy from named parts, and lists the parts.
 *
 * A policy is one implementation per seam. A recipe names a combination; `seam=name` replaces a
 * part. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "core/brain/seam.h"
#include "core/parts/param.h"

/* Makes a policy from a recipe name, parts, or both, separated by commas:
 *
 *     "dolly"    "dolly,order=fifo"    "order=fair,mitigate=dolly"    "late,cap=0.02"
 *
 * optionally followed by settings, each after a semicolon: "dolly;beta=0.1;eps=0.01". Returns NULL
 * with *err that names the unknown word and the nearest name. Destroy with policy_destroy. */
struct policy *policy_create(const char *text, struct err *err);
void policy_destroy(struct policy *p); /* NULL is fine */

/* Sets a parameter of every chosen part that has it: "beta" or, for one part, "dolly.beta". Returns
 * -1 with *err if no part of this policy has it (suggests the nearest valid one) or the value is
 * bad. */
int policy_set(struct policy *p, const char *key, const char *value, struct err *err);

/* Returns true if any registered part has a parameter of this name, chosen or not. */
bool policy_knows(const char *key);

/* Returns true if this policy has the parameter: policy_set would accept the key. */
bool policy_has(const struct policy *p, const char *key);

/* Returns true if any part reads progress reports; otherwise bodies need not make any. */
bool policy_reads_progress(const struct policy *p);

/* Returns true if any part decides for each phase whether it is cloned. */
bool policy_may_clone(const struct policy *p);

/* Returns true if any part reads link samples. */
bool policy_reads_links(const struct policy *p);

/* Appends text from which policy_create makes the same policy again, parameters included. */
void policy_describe(const struct policy *p, struct str *out);

/* Appends the shortest such text: the nearest recipe and the differences, "dolly,order=fifo". A
 * text from which policy_create makes no policy is appended unchanged. */
void policy_shorten(const char *text, struct str *out);

/* Splits "none,dolly,order=fifo" into the policies "none" and "dolly,order=fifo": a bare name
 * begins a new policy, seam=name belongs to the one before it, and a missing name becomes " ".
 * Returns how many, 1 at least; the caller owns *list and its strings (free each, then the list,
 * with mem_free). */
uint32_t policy_split(const char *text, char ***list);

/* A named combination of parts, as `dolly policies` lists it. */
struct recipe {
    const char *name, *help;
    const char *overrides; /* differences from the recipe "none" */
};
/* The recipes, in the order in which they are listed. */
const struct recipe *policy_recipes(uint32_t *count);
/* The parameters that every policy has, whatever its parts. */
const struct field *policy_common_params(void);
/* The name of a seam. */
const char *policy_seam_name(enum seam seam);
/* The parts registered for a seam, in the order in which they are listed. */
const struct policy_part *const *policy_parts(enum seam seam, uint32_t *count);
