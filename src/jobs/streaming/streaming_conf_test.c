#include "jobs/streaming/streaming_conf.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/unit/command.h"

/* Returns true if a file with this text gives these settings, each with a bar behind it, or fails
 * with this. */
static bool gives(const char *text, const char *want)
{
    struct streaming_args a = {0};
    struct str got = {0};
    struct err err;

    command_file("conf.xml", text);
    str_add(&got, "");
    int result = streaming_conf_read(&a, "conf.xml", &err);
    for (uint32_t i = 0; i < a.settings[FROM_FILE].count; i++)
        str_addf(&got, "%s|", a.settings[FROM_FILE].at[i]);
    if (result < 0)
        str_add(&got, err.text);
    bool same = strcmp(got.text, want) == 0;
    str_free(&got);
    streaming_args_fini(&a);
    return same;
}

TEST(streaming_conf_has_properties)
{
    struct command_folder f;
    struct streaming_args a = {0};
    struct err err;

    command_begin(&f);
    expect(gives("<configuration/>", ""));
    expect(gives("<?xml version=\"1.0\"?>\n<configuration>\n"
                 "<property><name>a.b</name>\n<value>1 &lt;&gt;&amp;&quot;&apos; &x</value>\n"
                 "<final>true</final></property>\n"
                 "<!-- <property><name>no</name><value>no</value></property> -->\n"
                 "<property><value></value><!-- x --><name>c</name></property></configuration>\n",
                 "a.b=1 <>&\"' &x|c=|"));
    expect(gives("<property/>", "-conf conf.xml: expected <configuration> with <property>"));
    expect(gives("<configuration><property><name>a</name><value>1</value></property>"
                 "<property><value>2</value></property>"
                 "<property><name>c</name><value>3</value></property>",
                 "a=1|-conf conf.xml: a property without a name or a value"));
    expect(gives("<configuration><property><name>a</name></property>",
                 "-conf conf.xml: a property without a name or a value"));
    expect(gives("<configuration><property><name>a</name><value>1</value>",
                 "-conf conf.xml: a property without a name or a value"));
    expect(gives("<configuration><!-- <property><name>a</name>", ""));
    expect(streaming_conf_read(&a, "nosuch", &err) < 0 &&
           strcmp(err.text, "-conf nosuch: No such file or directory") == 0);
    expect(streaming_conf_read(&a, ".", &err) < 0 &&
           strcmp(err.text, "-conf .: Is a directory") == 0);
    command_file("zero", "<configuration/>");
    expect(truncate("zero", 17) == 0 && streaming_conf_read(&a, "zero", &err) < 0);
    expect(!strcmp(err.text, "-conf zero: has a zero byte; expected a text file"));
    struct str longest = {0};
    str_addf(&longest, "%-*s", (1 << 22) - 1, "<configuration/>");
    command_file("long", longest.text);
    expect(streaming_conf_read(&a, "long", &err) == 0);
    str_add(&longest, " ");
    command_file("long", longest.text);
    str_free(&longest);
    expect(streaming_conf_read(&a, "long", &err) < 0);
    expect(err.kind == ERR_INPUT && strcmp(err.text, "-conf long: File too large") == 0);
    expect(a.settings[FROM_FILE].count == 0);
    streaming_args_fini(&a);
    command_end(&f);
}
