#include "core/model/event.h"

#include <string.h>

#include "tests/unit/test.h"

/* Each predicate against the names, which the journal prints. */
TEST(event_kinds_are_as_their_names)
{
    for (uint8_t type = 1; type < EV_TYPE_END; type++) {
        const char *name = event_name(type);
        bool ending = !strcmp(name, "attempt_finished") || !strcmp(name, "attempt_failed") ||
                      !strcmp(name, "attempt_killed") || !strcmp(name, "attempt_lost");
        expect(event_is_ending(type) == ending);
        expect(event_is_end(type) == (ending || !strcmp(name, "attempt_launch_failed")));
        expect(event_is_node(type) == !strncmp(name, "node_", 5));
    }
    expect(!event_is_node(0) && !event_is_end(0) && !event_is_end(EV_TYPE_END));
}
