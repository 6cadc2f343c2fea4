/* json_walk.c - yajl, with the way to each value.
 *
 * A visitor that compares paths is short and easy to check against the description of a format,
 * which a state machine over keys is not. The path is kept as one string that grows and shrinks
 * with the walk, so a value costs no more than its own bytes.
 *
 * yajl scans a text that continues in the next feed again from its beginning, so texts of many
 * feeds take the square of their length; hence JSON_WALK_TEXT_MAX. */
#include "inputs/trace/json_walk.h"

#include <yajl/yajl_parse.h>

#include "base/check.h"
#include "base/mem.h"

struct json_walk {
    json_walk_visit *visit;
    void *ctx;
    yajl_handle yajl;
    uint32_t depth; /* objects and arrays that are open */
    char path[JSON_WALK_PATH_BYTES];
    size_t length;                     /* of the path */
    size_t before[JSON_WALK_PATH_MAX]; /* its length without the key or [] of each level */
    uint32_t too_long;                 /* levels from here on have keys that do not fit; 0: none */
    uint64_t bytes;                    /* of earlier feeds */
    bool is_feeding;                   /* a visit may ask where it is */
    uint64_t silent;                   /* bytes of feeds in which nothing began or ended */
};

static bool is_visible(const struct json_walk *w)
{
    return w->depth <= JSON_WALK_PATH_MAX && w->too_long == 0;
}

static int emit(struct json_walk *w, enum json_walk_kind kind, const char *at, size_t length,
                bool is_string)
{
    w->silent = 0;
    if (is_visible(w)) {
        struct json_walk_item item = {kind, w->path, {at, length}, is_string};
        w->visit(w->ctx, &item);
    }
    return 1;
}

static void set_path(struct json_walk *w, size_t from, const char *at, size_t length)
{
    if (from + length + 2 > sizeof w->path) {
        w->too_long = w->depth;
        return;
    }
    if (length)
        memcpy(w->path + from, at, length);
    w->length = from + length;
    w->path[w->length] = '\0';
}

static int open_level(struct json_walk *w, bool is_array)
{
    emit(w, JSON_WALK_OPEN, "", 0, false);
    if (++w->depth > JSON_WALK_DEPTH_MAX)
        return 0;
    if (w->depth > JSON_WALK_PATH_MAX)
        return 1;
    w->before[w->depth - 1] = w->length;
    if (is_array && w->too_long == 0)
        set_path(w, w->length, "[]", 2);
    return 1;
}

static int on_close(void *ctx)
{
    struct json_walk *w = ctx;
    check(w->depth > 0);
    if (w->too_long == w->depth)
        w->too_long = 0;
    w->depth--;
    if (w->depth < JSON_WALK_PATH_MAX) {
        w->length = w->before[w->depth];
        w->path[w->length] = '\0';
    }
    return emit(w, JSON_WALK_CLOSE, "", 0, false);
}

static int on_key(void *ctx, const unsigned char *key, size_t length)
{
    struct json_walk *w = ctx;
    w->silent = 0;
    if (w->depth > JSON_WALK_PATH_MAX)
        return 1;
    if (w->too_long == w->depth)
        w->too_long = 0;
    if (w->too_long)
        return 1;
    size_t from = w->before[w->depth - 1];
    w->path[from] = '/'; /* set_path has left room */
    set_path(w, from + 1, (const char *)key, length);
    return 1;
}

static int on_map(void *ctx)
{
    return open_level(ctx, false);
}

static int on_array(void *ctx)
{
    return open_level(ctx, true);
}

static int on_string(void *ctx, const unsigned char *at, size_t length)
{
    return emit(ctx, JSON_WALK_VALUE, (const char *)at, length, true);
}

static int on_number(void *ctx, const char *at, size_t length)
{
    return emit(ctx, JSON_WALK_VALUE, at, length, false);
}

static int on_boolean(void *ctx, int value)
{
    return emit(ctx, JSON_WALK_VALUE, value ? "true" : "false", value ? 4 : 5, false);
}

static int on_null(void *ctx)
{
    return emit(ctx, JSON_WALK_VALUE, "null", 4, false);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

void json_walk_restart(struct json_walk *w)
{
    if (w->yajl)
        yajl_free(w->yajl);
    w->yajl = yajl_alloc(&callbacks, NULL, w);
    if (!w->yajl)
        mem_out(1, sizeof *w);
    yajl_config(w->yajl, yajl_allow_multiple_values, 1);
    yajl_config(w->yajl, yajl_dont_validate_strings, 1);
    w->depth = w->too_long = 0;
    w->silent = 0;
    w->length = 0;
    w->path[0] = '\0';
}

void json_walk_skip(struct json_walk *w, size_t length)
{
    json_walk_restart(w);
    w->bytes += length;
}

struct json_walk *json_walk_create(json_walk_visit *visit, void *ctx)
{
    struct json_walk *w = mem_zalloc(1, sizeof *w);
    w->visit = visit;
    w->ctx = ctx;
    json_walk_restart(w);
    return w;
}

void json_walk_destroy(struct json_walk *w)
{
    if (!w)
        return;
    yajl_free(w->yajl);
    mem_free(w);
}

bool json_walk_feed(struct json_walk *w, const char *at, size_t length)
{
    w->is_feeding = true;
    w->silent += length; /* until something is seen in it */
    yajl_status status = yajl_parse(w->yajl, (const unsigned char *)at, length);
    w->is_feeding = false;
    w->bytes += yajl_get_bytes_consumed(w->yajl);
    return status == yajl_status_ok && w->silent <= JSON_WALK_TEXT_MAX;
}

bool json_walk_is_whole(const struct json_walk *w)
{
    return w->depth == 0;
}

uint64_t json_walk_byte(const struct json_walk *w)
{
    return w->bytes + (w->is_feeding ? yajl_get_bytes_consumed(w->yajl) : 0);
}
