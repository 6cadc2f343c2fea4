# rumen.awk - attempts of Hadoop jobs, a row each, put back into the JSON of Rumen that they came from.
#
#     awk -f rumen.awk topology.tsv jobs.tsv attempts.tsv
BEGIN { FS = "\t" }
FNR == 1 { file++ }
/^#/ { next }
file == 1 { rack[$2] = $1; next }
file == 2 { user[$1] = $2; submit[$1] = $3; next }
{
    task = $1 SUBSEP $2 SUBSEP $3
    if (!(task in attempts)) {
        list = $1 SUBSEP $2
        tasks[list] = tasks[list] " " $3
        places[task] = places_of($18)
    }
    if ($7 < 0 || $8 < 0)
        next
    attempts[task] = attempts[task] (attempts[task] == "" ? "" : ",") sprintf( \
        "{\"attemptID\":\"attempt_%s_%s\",\"startTime\":%s,\"finishTime\":%s,\"result\":\"%s\",\"hostName\":\"/%s/%s\",\"hdfsBytesRead\":%s," \
        "\"hdfsBytesWritten\":%s,\"mapOutputBytes\":%s,\"reduceShuffleBytes\":%s}", \
        $3, $4, $7, $8, $9, $6 in rack ? rack[$6] : $5, $6, $12, $13, $16, $17)
}
function places_of(hosts,   n, i, names, text) {
    n = split(hosts, names, ",")
    for (i = 1; i <= n; i++)
        if (names[i] != "-")
            text = text (text == "" ? "" : ",") "{\"layers\":[\"" rack[names[i]] "\",\"" names[i] "\"]}"
    return text
}
function list_of(job, type,   n, i, names, text) {
    n = split(tasks[job SUBSEP type], names, " ")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? "," : "") "{\"taskID\":\"" type names[i] "\",\"preferredLocations\":[" \
            places[job SUBSEP type SUBSEP names[i]] "],\"attempts\":[" attempts[job SUBSEP type SUBSEP names[i]] "]}"
    return text
}
END {
    for (job in submit)
        printf "{\"jobID\":\"%s\",\"user\":\"%s\",\"submitTime\":%s,\"mapTasks\":[%s],\"reduceTasks\":[%s]}\n", \
            job, user[job], submit[job], list_of(job, "M"), list_of(job, "R")
}
