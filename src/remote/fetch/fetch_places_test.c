#include "remote/fetch/fetch_places.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tests/unit/test.h"

TEST(fetch_places_are_those_that_were_told)
{
    struct fetch_places p = {.first = 4, .count = 3};
    struct packet m = {.type = PACKET_PLACE,
                       .u.place = {.task = 5, .attempt = 1, .output = 9, .where = "/kept/9"}};
    struct err err;

    expect(!fetch_places_find(&p, 5, 1, &err));
    expect(fetch_places_take(&p, &m, &err) == 0);
    const struct fetch_place *at = fetch_places_find(&p, 5, 1, &err);
    expect(at && at->output == 9 && fetch_place_is_here(at));
    expect(fetch_places_find(&p, 5, UINT32_MAX, &err) == at);
    expect(!fetch_places_find(&p, 5, 0, &err) && !fetch_places_find(&p, 4, 1, &err));
    m.u.place.where = "127.0.0.1:9";
    expect(fetch_places_take(&p, &m, &err) == 0);
    expect(!fetch_place_is_here(fetch_places_find(&p, 5, 1, &err)));
    m.u.place.task = 7;
    expect(fetch_places_take(&p, &m, &err) < 0);
    m = (struct packet){.type = PACKET_KEY, .u.key = {"short", 5}};
    expect(fetch_places_take(&p, &m, &err) < 0);
    fetch_places_fini(&p);
}

/* What an attempt reads goes to a file of its own that has no name. */
TEST(fetch_places_need_room_for_what_they_get)
{
    static char far[PATH_MAX];
    struct fetch_places p = {.scratch = far};
    struct fetch_place at = {.where = "127.0.0.1:1"};
    struct fetched what;
    struct err err;

    memset(far, 'x', sizeof far - 1);
    expect(fetch_places_get(&p, &at, PACKET_WHOLE, &what, &err) < 0 && what.fd < 0);
    expect(what.found.error == ENAMETOOLONG);
    p.scratch = "/no/such/folder";
    expect(fetch_places_get(&p, &at, PACKET_WHOLE, &what, &err) < 0 && what.fd < 0);
    expect(what.found.error == ENOENT && strstr(err.text, "/no/such/folder: No such file"));
}
