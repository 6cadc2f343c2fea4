#include "commands/report/verdict_words.h"

#include "commands/explain/explain.h"

const char *verdict_words(uint16_t code)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_TOO_MANY_FAILURES] = "a task was given up: it had failed as often as it may",
        [WHY_TOO_MANY_LAUNCHES] = "a task was given up: it had been launched as often as it may",
        [WHY_OMEGA] = "how long readers wait for an output of their own was chosen anew",
        [WHY_SPECULATION_CAP] = "a task was slow, but the maximum number of backups was running",
        [WHY_OFFERED] = "clones were offered, for when nothing else can start",
        [WHY_WATCHED] = "tasks were to be copied as far as that pays",
        [WHY_NO_IDLE_CORE] = "the machine had no idle core for clones",
        [WHY_PRESSURE] = "the disk or the memory of a node was busy, so clones kept away from it",
        [WHY_PROTECTED] = "outputs of a phase were copied to other nodes as far as that paid",
    };

    if (story_job_is_cloned(code))
        return "clones were asked for";
    return words[code] ? words[code] : explain_cloning_refusal(code);
}
