#include "commands/report/verdict_words.h"

#include <string.h>

#include "core/model/reason.h"
#include "tests/unit/test.h"

TEST(verdict_words_are_plain)
{
    expect(strcmp(verdict_words(WHY_CLONED), "clones were asked for") == 0);
    expect(strstr(verdict_words(WHY_NO_IDLE_CORE), "idle core"));
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        expect(verdict_words(code) && *verdict_words(code));
}
