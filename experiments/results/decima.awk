# decima.awk - measured tasks of TPC-H queries as a Spark event log, a job for each size and query.
#
#     awk -f decima.awk dags.tsv durations.tsv
#
# A job is one run of its query, the one with the executor pool nearest to 40: the tasks of the first wave and of the
# later ones. When queries came is not known; here one comes each minute.
BEGIN { FS = "\t"; print "{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"tpch\",\"App Name\":\"tpch\"}" }
/^#/ { next }
FNR == NR { stages[$1 "-" $2] = $3; edges[$1 "-" $2] = $4; order[++jobs] = $1 "-" $2; next }
$4 == "fresh" { next }
{
    key = $1 "-" $2 SUBSEP $3
    off = $5 > 40 ? $5 - 40 : 40 - $5
    if (!(key in best) || off < best[key]) {
        best[key] = off
        times[key] = ""
    }
    if (off == best[key])
        times[key] = times[key] " " $7
}
function number(stage) { return first + stage }
END {
    for (j = 1; j <= jobs; j++) {
        job = order[j]
        first = j * 1000
        at = j * 60000
        ids = ""
        for (s = 0; s < stages[job]; s++) {
            ids = ids (s ? "," : "") number(s)
            above[s] = ""
        }
        n = split(edges[job], list, ",")
        for (i = 1; i <= n; i++)
            if (split(list[i], edge, ">") == 2)
                above[edge[2]] = above[edge[2]] (above[edge[2]] == "" ? "" : ",") number(edge[1])
        printf "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":%d,\"Submission Time\":%d,\"Stage IDs\":[%s]}\n", j, at, ids
        for (s = 0; s < stages[job]; s++) # parents first, or they would pass for skipped
            waits[s] = 1
        for (round = 0; round < stages[job]; round++)
            for (s = 0; s < stages[job]; s++) {
                if (!waits[s])
                    continue
                ready = 1
                n = split(above[s], list, ",")
                for (i = 1; i <= n; i++)
                    ready = ready && !waits[list[i] - first]
                if (!ready)
                    continue
                waits[s] = 0
                printf "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":{\"Stage ID\":%d,\"Parent IDs\":[%s]}}\n", \
                    number(s), above[s]
                n = split(times[job SUBSEP s], list, " ")
                for (i = 1; i <= n; i++)
                    printf "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":%d,\"Task End Reason\":{\"Reason\":\"Success\"}," \
                        "\"Task Info\":{\"Task ID\":%d,\"Index\":%d,\"Launch Time\":%d,\"Finish Time\":%.0f}}\n", \
                        number(s), ++id, i - 1, at, at + list[i]
            }
    }
}
