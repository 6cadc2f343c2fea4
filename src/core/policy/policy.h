/* policy.h - putting a policy together from its parts by name, and telling which parts there are.
 *
 * A policy is one implementation per seam. A recipe names a combination; `seam=name` replaces a
 * part. */
#ifndef CORE_POLICY_POLICY_H
#define CORE_POLICY_POLICY_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "core/brain/seam.h"
#include "core/parts/param.h"

/* Makes a policy from a recipe name, parts, or both, separated by commas:
 *     "dolly"    "dolly,order=fifo"    "order=fair,mitigate=dolly"    "late,cap=0.02"
 * optionally followed by settings, each behind a semicolon: "dolly;beta=0.1;eps=0.01".
 * NULL with *err that names what is unknown and the nearest name. Destroy with policy_destroy. */
struct policy *policy_create(const char *text, struct err *err);
void policy_destroy(struct policy *p); /* NULL is fine */

/* Sets a parameter of whichever chosen parts have it: "beta" or, for one part, "dolly.beta". -1
 * with *err when no part of this policy has it (the nearest valid one is suggested) or the value is
 * bad. */
int policy_set(struct policy *p, const char *key, const char *value, struct err *err);

/* Whether any registered part has a parameter of this name, chosen or not. */
bool policy_knows(const char *key);

/* Whether this policy has it: policy_set would accept the key. */
bool policy_has(const struct policy *p, const char *key);

/* Whether any of its parts looks at progress reports; bodies need not make any otherwise. */
bool policy_reads_progress(const struct policy *p);

/* Whether any of its parts asks of each phase whether it is to be cloned. */
bool policy_may_clone(const struct policy *p);

/* Whether any of its parts looks at link samples. */
bool policy_reads_links(const struct policy *p);

/* Appends text that policy_create turns into the same policy again, parameters included. */
void policy_describe(const struct policy *p, struct str *out);

/* Appends the shortest such text: the recipe nearest to it and what differs, "dolly,order=fifo". A
 * text that this program makes no policy of is appended as it is. */
void policy_shorten(const char *text, struct str *out);

/* Splits "none,dolly,order=fifo" into the policies "none" and "dolly,order=fifo": a bare name
 * begins a new policy, seam=name belongs to the one before it. Returns how many; *list and its
 * strings are owned by the caller (free each, then the list, with mem_free). */
uint32_t policy_split(const char *text, char ***list);

/* The tables behind `dolly policies`. */
struct recipe {
    const char *name, *help;
    const char *parts; /* what differs from the recipe "none" */
};
const struct recipe *policy_recipes(uint32_t *count);
/* Parameters that every policy has, whatever its parts. */
const struct field *policy_common_params(void);
const char *policy_seam_name(enum seam seam);
/* The parts registered for a seam, in the order in which they are listed. */
const struct policy_part *const *policy_parts(enum seam seam, uint32_t *count);

#endif
