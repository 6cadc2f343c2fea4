/* settings.h - `--set key=value` for several policies at once, and policies of real processes. */
#ifndef UI_SETTINGS_H
#define UI_SETTINGS_H

#include <stdint.h>

#include "base/err.h"

struct policy;

/* Applies "key=value" to every policy that has the key. -1 with *err when the text has no such
 * form, when no part of any policy knows the key (the nearest one is suggested), when none of the
 * chosen policies has it, or when the value is bad. "key=@FILE" takes the lines of a file as the
 * value, joined by commas, without what stands behind a #. */
int settings_apply(const char *text, struct policy *const *policies, uint32_t count,
                   struct err *err);

/* What dolly's clones may take where `text` and settings do not say it: on one machine all that is
 * idle. Several are shared with others: a share of them at most, be it one clone, and a run is one
 * large job there, of which no budget admits all, so clones start as the budget allows. */
#define SETTINGS_ONE_MACHINE ";dolly.budget=idle"
#define SETTINGS_SEVERAL ";dolly.budget=cluster;dolly.admit=fcfs;dolly.least=1"

/* Makes the policy of a run of real processes from `text`, which names one policy, and "key=value"
 * settings. `cloning` is one of the two above, or NULL: as in a simulation. Mantri's times are
 * those of progress reports, and ours come more often than its cluster's: its delta is the time
 * between two of them and its scan half of it, where text and settings do not say otherwise. NULL
 * with *err. */
struct policy *settings_policy(const char *text, const char *cloning, const char *const *settings,
                               uint32_t count, struct err *err);

#endif
