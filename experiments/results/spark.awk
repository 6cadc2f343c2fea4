# spark.awk - stages and tasks, a row each, put back into the lines of a Spark event log that they came from.
#
#     awk -v app=NAME -f spark.awk stages.tsv tasks.tsv
#
# Columns are found by their names in the first line; a log without jobs is one job.
BEGIN { FS = "\t"; print_event("ApplicationStart", "\"App ID\":\"" app "\",\"App Name\":\"" app "\"") }
function print_event(name, rest) { print "{\"Event\":\"SparkListener" name "\"," rest "}" }
# Those that it reads come first, or they would pass for skipped.
function submit_stage(stage,   k, n, list) {
    n = split(parents[stage], list, ",")
    for (k = 1; k <= n; k++)
        if (list[k] in parents && !(list[k] in done))
            return
    if (!(stage in done))
        print_event("StageSubmitted", "\"Stage Info\":{\"Stage ID\":" stage ",\"Parent IDs\":[" parents[stage] "]}")
    done[stage] = 1
}
function column(name) { return name in at ? $at[name] : "" }
FNR == 1 {
    file++
    delete at
    sub(/^#/, "")
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
file == 1 {
    stage = column("stage")
    if (stage in parents)
        next
    job = column("job") == "" ? 0 : column("job")
    if (job == "-1" || column("tasks") == "-1")
        next
    parents[stage] = column("parents") == "-" || column("parents") == "-1" ? "" : column("parents")
    order[++count] = stage
    job_of[stage] = job
    stages[job] = stages[job] (stages[job] == "" ? "" : ",") stage
    submitted = column("submit_ms") == "" ? 0 : column("submit_ms")
    if (submitted >= 0 && (!(job in submit) || submitted + 0 < submit[job] + 0))
        submit[job] = submitted
    next
}
file == 2 && !begun {
    for (job in stages)
        print_event("JobStart", "\"Job ID\":" job ",\"Submission Time\":" submit[job] + 0 ",\"Stage IDs\":[" stages[job] "]")
    for (round = 1; round <= count; round++)
        for (i = 1; i <= count; i++)
            submit_stage(order[i])
    begun = 1
}
{
    stage = column("stage")
    if (!(stage in parents))
        next
    reason = "end" in at ? column("end") : column("status")
    reason = reason == "OK" || reason == "SUCCESS" ? "Success" : reason
    begin = "launch_ms" in at ? column("launch_ms") : column("start_ms")
    finish = "finish_ms" in at ? column("finish_ms") : column("end_ms")
    number = "index" in at ? column("index") : column("tid")
    print_event("TaskEnd", "\"Stage ID\":" stage ",\"Task End Reason\":{\"Reason\":\"" reason "\"},\"Task Info\":{\"Task ID\":" \
        ++ids ",\"Index\":" number ",\"Launch Time\":" begin ",\"Finish Time\":" finish ",\"Host\":\"" column("host") "\"}")
}
