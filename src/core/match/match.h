/* match.h - tasks and nodes, matched: the door to this folder. No other header of it is included
 * from outside; tools/tidy has the rule.
 *
 * Each question has one answer, which does not depend on how it is found: the unit tests compare
 * every search with a loop over all (tests/unit/match_naive.h).
 *
 *   Which node has room for a demand?               fit_index_find, fit_index_any     (fit_index.h)
 *   Which node suits a demand best?                 match_nodes_best (match_nodes.h) Which waiting
 * member is next?                   demand_queues_next                (demand_queues.h) Which
 * waiting entry suits a node best?          match_list_best                   (match_list.h) Which
 * nodes are worth asking that?              node_walk_next                    (node_walk.h) Which
 * attempts must end so that a task fits?    evict_make                         (evict.h)
 *
 * The world owns the index of what nodes have free; the queues, the walks over nodes and the scores
 * of nodes belong to the brain. fit_index_set is called after every change of a node. A member
 * joins with demand_queues_put (or node_walk_add, where nodes choose) and leaves with
 * demand_queues_take (node_walk_remove). */
#pragma once

#include "core/match/demand_queues.h"
#include "core/match/evict.h"
#include "core/match/fit_index.h"
#include "core/match/match_nodes.h"
#include "core/match/match_score.h"
#include "core/match/node_set.h"
#include "core/match/node_walk.h"
