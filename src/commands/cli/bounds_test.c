/* The bounds of options: each is in the line that refuses a value, which is compared whole. That
 * the bounds themselves are accepted, and the values beside them are not, is for their types:
 * src/base/field_test.c. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/cmd_run.h"
#include "tests/unit/command.h"

#define NOT_BELOW " must be a whole number, 0 or more, not "
#define TIME " must be a time such as 5, 250ms or 1m, not "
#define WHOLE " must be a whole number from 1 to "
#define MEMORY " must be a size from 1M to 976562500000K, such as 64M or 1G, not "
#define MAP_TIME ": expected a time such as 5, 250ms or 1m, not "

TEST(bounds_of_options_are_in_what_refuses_a_value)
{
    static const struct {
        int (*command)(int argc, char **argv);
        const char *words, *why; /* what follows the option */
    } rows[] = {
        {cmd_sim, "sim --jobs 0", WHOLE "1000000000, not '0'"},
        {cmd_sim, "sim --jobs 1000000001", WHOLE "1000000000, not '1000000001'"},
        {cmd_sim, "sim --seeds 0", WHOLE "10000, not '0'"},
        {cmd_sim, "sim --seeds 10001", WHOLE "10000, not '10001'"},
        {cmd_sim, "sim --memory 1023K", MEMORY "'1023K'"},
        {cmd_sim, "sim --seed -1", NOT_BELOW "'-1'"},
        {cmd_sim, "sim --parallel 0", WHOLE "10000, not '0'"},
        {cmd_sim, "sim --parallel 10001", WHOLE "10000, not '10001'"},
        {cmd_sim, "sim --expect-error -0.1",
         " must be a number from 0 to 1000000000, not '-0.1'"},
        {cmd_sim, "sim --warmup x", " must be a time such as 90, 250ms or 2h, not 'x'"},
        {cmd_replay, "replay --seed -1", NOT_BELOW "'-1'"},
        {cmd_replay, "replay --seeds 0", WHOLE "10000, not '0'"},
        {cmd_replay, "replay --seeds 10001", WHOLE "10000, not '10001'"},
        {cmd_replay, "replay --parallel 0", WHOLE "10000, not '0'"},
        {cmd_advise, "advise --seed -1", NOT_BELOW "'-1'"},
        {cmd_advise, "advise --seeds 0", WHOLE "10000, not '0'"},
        {cmd_advise, "advise --memory x", MEMORY "'x'"},
        {cmd_whatif, "whatif --jobs 0", WHOLE "1000000000, not '0'"},
        {cmd_whatif, "whatif --seed -1", NOT_BELOW "'-1'"},
        {cmd_whatif, "whatif --memory x", MEMORY "'x'"},
        {cmd_workload, "workload --jobs 0", WHOLE "100000000, not '0'"},
        {cmd_workload, "workload --scale load=0.009",
         " must be load=F with F from 0.01 to 100, not 'load=0.009'"},
        {cmd_workload, "workload --scale load=100.1",
         " must be load=F with F from 0.01 to 100, not 'load=100.1'"},
        {cmd_workload, "workload --seed -1", NOT_BELOW "'-1'"},
        {cmd_trace, "trace --memory x", MEMORY "'x'"},
        {cmd_trace, "trace --variation x", " must be size, luck or bytes, not 'x'"},
        {cmd_model, "model --p 1.01", " must be a number from 0 to 1, not '1.01'"},
        {cmd_model, "model --n 0", WHOLE "1000000000000000, not '0'"},
        {cmd_model, "model --c 0", WHOLE "10000, not '0'"},
        {cmd_model, "model --mean -1", " must be a number, 0 or more, not '-1'"},
        {cmd_model, "model --dev -1", " must be a number, 0 or more, not '-1'"},
        {cmd_model, "model --alpha 1", " must be a number above 1, not '1'"},
        {cmd_exec, "exec --seed -1", NOT_BELOW "'-1'"},
        {cmd_exec, "exec --grace x", TIME "'x'"},
        {cmd_exec, "exec --grow x", TIME "'x'"},
        {cmd_exec, "exec --idle x", TIME "'x'"},
        {cmd_exec, "exec --drain x", TIME "'x'"},
        {cmd_run, "run --slots 0", WHOLE "100000, not '0'"},
        {cmd_run, "run --slots 100001", WHOLE "100000, not '100001'"},
        {cmd_run, "run --grow x", TIME "'x'"},
        {cmd_run, "run --idle x", TIME "'x'"},
        {cmd_run, "run --drain x", TIME "'x'"},
        {cmd_run, "run --seed 0", WHOLE "1000000000000000, not '0'"},
        {cmd_map, "map --trim x", ": expected n, l, r or lr, not 'x'"},
        {cmd_map, "map --block 0", ": expected a size such as 64K or 10M, not '0'"},
        {cmd_map, "map --retries 0", ": expected a whole number from 1 to 100, not '0'"},
        {cmd_map, "map --retries 101", ": expected a whole number from 1 to 100, not '101'"},
        {cmd_map, "map --timeout 0%",
         ": expected a time such as 30, 1.5m, or 200% of the median, not '0%'"},
        {cmd_map, "map --halt now,fail=0",
         ": expected never, or now or soon with fail, success or done = N or N%, such as "
         "now,fail=1, not 'now,fail=0'"},
        {cmd_map, "map --delay x", MAP_TIME "'x'"},
        {cmd_map, "map --load x", ": expected a number such as 4 or 100%, not 'x'"},
        {cmd_map, "map --memfree x", ": expected a size such as 64K or 10M, not 'x'"},
        {cmd_map, "map --nice -1", ": expected a whole number, 0 or more, not '-1'"},
        {cmd_map, "map --cpus 0", ": expected a number from 0.001 to 1000000, not '0'"},
        {cmd_map, "map --cpus 1000001",
         ": expected a number from 0.001 to 1000000, not '1000001'"},
        {cmd_map, "map --mem 1025T",
         ": expected 0 or a size from 1M to 1024T, such as 512M or 24G, not '1025T'"},
        {cmd_map, "map --grow x", MAP_TIME "'x'"},
        {cmd_map, "map --idle x", MAP_TIME "'x'"},
        {cmd_map, "map --drain x", MAP_TIME "'x'"},
        {cmd_map, "map --seed -1", ": expected a whole number, 0 or more, not '-1'"},
        {cmd_journal, "journal --warmup x", TIME "'x'"},
        {cmd_journal, "journal --jobs 0", " must be a whole number, 1 or more, not '0'"},
        {cmd_report, "report --trace-max 0",
         " must be a size from 1 to 976562500000K, such as 64M or 1G, not '0'"},
        {cmd_reproduce, "reproduce --parallel 0", WHOLE "1000, not '0'"},
        {cmd_agent, "agent --key-fd -1", NOT_BELOW "'-1'"},
        {cmd_agent, "agent --linger x", TIME "'x'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[16], option[32], want[400], *said;
        expect(sscanf(rows[i].words, "%15s %31s", command, option) == 2);
        snprintf(want, sizeof want, "dolly %s: %s%s (see `dolly %s --help`)\n", command, option,
                 rows[i].why, command);
        int status = command_run(rows[i].command, rows[i].words, NULL, &said);
        bool same = status != 0 && strcmp(said, want) == 0;
        if (!same)
            printf("%s: %d, %s", rows[i].words, status, said);
        expect(same);
        mem_free(said);
    }
}
