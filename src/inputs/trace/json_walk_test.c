#include "inputs/trace/json_walk.h"

#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/test.h"

static void visit(void *ctx, const struct json_walk_item *i)
{
    struct str *out = ctx;
    if (i->kind == JSON_WALK_VALUE)
        str_addf(out, "%s=%.*s ", i->path, (int)i->text.length, i->text.at);
    else
        str_addf(out, "%s%s ", i->path, i->kind == JSON_WALK_OPEN ? "<" : ">");
}

TEST(json_walk_names_the_way_to_each_value)
{
    static const char text[] = "{\"a\": {\"b c\": [1, {\"d\": \"x\"}]}, \"e\": null} [true]";
    for (size_t block = 1; block <= sizeof text; block += 7) {
        struct str out = {0};
        struct json_walk *w = json_walk_create(visit, &out);
        for (size_t at = 0; at < sizeof text - 1; at += block)
            expect(json_walk_feed(w, text + at,
                                  sizeof text - 1 - at < block ? sizeof text - 1 - at : block));
        expect(json_walk_is_whole(w));
        expect(!strcmp(out.text, "< /a< /a/b c< /a/b c[]=1 /a/b c[]< /a/b c[]/d=x /a/b c[]> "
                                 "/a/b c> /a> /e=null > < []=true > "));
        json_walk_destroy(w);
        str_free(&out);
    }
}

/* A text that goes on and on is refused, one that comes at once is not. What follows is read. */
TEST(json_walk_bounds_texts_of_many_feeds)
{
    enum { LONG = JSON_WALK_TEXT_MAX + 100 };
    struct str out = {0};
    struct json_walk *w = json_walk_create(visit, &out);
    char *text = mem_zalloc(LONG, 1);
    memset(text, 'x', LONG);
    text[0] = '"';
    expect(json_walk_feed(w, text, LONG / 2));
    expect(!json_walk_feed(w, text + 1, LONG - 1));
    json_walk_skip(w, 7);
    uint64_t from = json_walk_byte(w);
    text[LONG - 1] = '"';
    expect(json_walk_feed(w, text, LONG) && json_walk_byte(w) == from + LONG);
    str_cut(&out, 0);
    expect(json_walk_feed(w, " 1 ", 3) && !strcmp(out.text, "=1 "));
    mem_free(text);
    json_walk_destroy(w);
    str_free(&out);
}

TEST(json_walk_bounds_depth_and_keys)
{
    struct str out = {0};
    struct json_walk *w = json_walk_create(visit, &out);
    bool fine = true;
    for (int i = 0; i < 10000 && fine; i++)
        fine = json_walk_feed(w, "[", 1);
    expect(!fine);
    json_walk_restart(w);
    str_cut(&out, 0);
    char key[2000];
    memset(key, 'k', sizeof key);
    memcpy(key, "{\"a\":1,\"", 8);
    expect(json_walk_feed(w, key, sizeof key));
    expect(json_walk_feed(w, "\":{\"b\":2},\"c\":3}", 16) && json_walk_is_whole(w));
    expect(!strcmp(out.text, "< /a=1 /c=3 > "));
    json_walk_destroy(w);
    str_free(&out);
}

/* Arrays in a path that has no room for one more: they are not visited, what follows them is. */
TEST(json_walk_leaves_out_arrays_whose_path_is_too_long)
{
    for (int spare = 0; spare < 4; spare++) {
        struct str out = {0}, want = {0};
        struct json_walk *w = json_walk_create(visit, &out);
        char key[JSON_WALK_PATH_BYTES];
        int length = JSON_WALK_PATH_BYTES - 3 - spare; /* "/" and two spare bytes, as keys have */
        memset(key, 'k', sizeof key);
        expect(json_walk_feed(w, "{\"", 2) && json_walk_feed(w, key, (size_t)length));
        expect(json_walk_feed(w, "\":[7],\"c\":3}", 12) && json_walk_is_whole(w));
        str_addf(&want, "< /%.*s< ", length, key);
        if (spare >= 2)
            str_addf(&want, "/%.*s[]=7 ", length, key);
        str_addf(&want, "/%.*s> /c=3 > ", length, key);
        expect(!strcmp(out.text, want.text));
        json_walk_destroy(w);
        str_free(&out);
        str_free(&want);
    }
}
