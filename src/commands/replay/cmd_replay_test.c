#include "commands/commands.h"

#include "record/journal/journal.h"
#include "record/journal/journal_play.h"
#include "tests/unit/command.h"

/* Writes the journal of the run again, as if it had run under this policy. */
static void copy_run(const char *to, const char *policy)
{
    struct journal_options options = {.path = to};
    struct err err;
    struct journal *j = journal_create(&options, 1, policy, "sim", &err);
    struct tap tap = journal_tap(j);
    struct journal_play play = {.taps = &tap, .tap_count = 1};

    expect(journal_play("run", &play, NULL, &err) == 0 && journal_close(j, true, &err) == 0);
}

TEST(replay_refuses_a_run_under_a_policy_that_is_unknown)
{
    struct command_folder f;

    command_begin(&f);
    command_file("w", "job a\n  phase p tasks=2 size=1s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 1x1 --policy none --journal run", NULL,
                       NULL) == 0);
    copy_run("known", "none");
    expect(command_run(cmd_replay, "replay known --policy none", NULL, NULL) == 0);
    copy_run("other", "nosuch");
    expect(command_fails(cmd_replay, "replay other --policy none", 2,
                         "the run was recorded under a policy that this dolly does not have "
                         "(unknown policy 'nosuch'"));
    expect(command_fails(cmd_replay, "replay other --policy none", 2,
                         "); use the dolly that recorded it"));
    command_end(&f);
}
