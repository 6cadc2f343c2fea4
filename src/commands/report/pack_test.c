#include "commands/report/pack.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(pack_escapes_what_could_be_markup)
{
    struct str s = {0};

    pack_escaped("<img src=x onerror='a(\"b\")'>&\x01\t", &s);
    expect(!strcmp(s.text, "&lt;img src=x onerror=&#39;a(&quot;b&quot;)&#39;&gt;&amp;"
                           "\xef\xbf\xbd\t"));
    str_free(&s);
}

TEST(pack_hashes_as_browsers_do)
{
    struct str s = {0};

    pack_hash("alert(1)", 8, &s);
    expect(!strcmp(s.text, "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI="));
    str_free(&s);
}

TEST(pack_deflates)
{
    static const char zeros[100000];
    struct str s = {0};

    pack_deflated(zeros, sizeof zeros, &s);
    expect(s.length < 300 && s.length % 4 == 0 && !strncmp(s.text, "eF", 2));
    str_free(&s);
}
