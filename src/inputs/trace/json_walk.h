/* json_walk.h - JSON as a walk over its values, without a tree: documents of any size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inputs/trace/row.h"

enum json_walk_kind { JSON_WALK_OPEN, JSON_WALK_CLOSE, JSON_WALK_VALUE };

struct json_walk_item {
    enum json_walk_kind kind; /* of an object or array: open, close; else a value */
    /* The path to it: "/workflow/tasks[]/id". Keys are unchanged. */
    const char *path;
    struct row_text text; /* of a value: the string, the number, "true", "false", or "null" */
    bool is_string;
};

typedef void json_walk_visit(void *ctx, const struct json_walk_item *item);

struct json_walk;

struct json_walk *json_walk_create(json_walk_visit *visit, void *ctx);
void json_walk_destroy(struct json_walk *w); /* NULL is fine */

/* Reads the next bytes of one document or of several. Returns false once they are not JSON, are
 * nested deeper than JSON_WALK_DEPTH_MAX, or have a text that spans more than JSON_WALK_TEXT_MAX
 * bytes of several feeds. Values deeper than JSON_WALK_PATH_MAX are not visited. */
bool json_walk_feed(struct json_walk *w, const char *at, size_t length);
enum {
    JSON_WALK_DEPTH_MAX = 2000,
    JSON_WALK_TEXT_MAX = 16 << 20,
    JSON_WALK_PATH_MAX = 16,
    JSON_WALK_PATH_BYTES = 512,
};

/* Returns true if nothing is open: the bytes so far are complete documents. */
bool json_walk_is_whole(const struct json_walk *w);

/* The number of bytes read; in a visit, up to the item. */
uint64_t json_walk_byte(const struct json_walk *w);

/* Begins a new document. Call after an error, or in the middle of a document. */
void json_walk_restart(struct json_walk *w);

/* Begins a new document after `length` bytes that were not fed. */
void json_walk_skip(struct json_walk *w, size_t length);
