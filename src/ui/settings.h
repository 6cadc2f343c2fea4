/* settings.h - applies `--set key=value` to several policies, and makes policies for real
 * processes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct policy;

/* Applies "key=value" to every policy that has the key. "key=@FILE" takes the lines of a file as
 * the value, joined by commas, without comments (from # on). Returns -1 with *err if the text does
 * not have that form, if no part of any policy knows the key (suggests the nearest one), if none of
 * the chosen policies has it, or if the value is invalid. */
int settings_apply(const char *text, struct policy *const *policies, uint32_t count,
                   struct err *err);

/* The policy of runs that name none. */
#define SETTINGS_POLICY "shepherd"

/* Its settings on one machine, for a simulation of that. */
#define SETTINGS_POLICY_HERE SETTINGS_POLICY ";network=none;cap=1"

/* Budget of dolly's clones, unless `text` or settings set it. On one machine: all idle slots.
 * Several machines are shared with others: a share of them at most, but at least one clone. There a
 * run is one large job, which no budget admits as a whole, so clones start as far as the budget
 * allows. */
#define SETTINGS_ONE_MACHINE ";dolly.budget=idle"
#define SETTINGS_SEVERAL ";dolly.budget=cluster;dolly.admit=fcfs;dolly.least=1"

/* Makes the policy of a run of real processes from `text`, which names one policy, and "key=value"
 * settings. `cloning` is one of the two above, or NULL: as in a simulation. Mantri's delta and
 * scan follow progress reports, which arrive more often here than in its cluster: unless text or
 * settings set them, delta is the time between two reports and scan half of it. So does shepherd's
 * scan; on one machine its copies take all that is idle, and have no network in their way. Returns
 * NULL with *err on failure. */
struct policy *settings_policy(const char *text, const char *cloning, const char *const *settings,
                               uint32_t count, struct err *err);

/* Returns true if extra attempts of a run have taken only resources that no first attempt wanted:
 * by its policy, in the words of the journal, and the number of its backups. */
bool settings_took_idle(const char *policy, uint64_t backups);
