# In: the journal of a run as JSON lines, or those lines of it that matter here. Out: a line `job NUMBER RECOMPUTES SECONDS`
# for every finished job, and one line `all RECOMPUTES REPLICAS MET SPARES NEEDED COPIED READ`.
# RECOMPUTES: tasks that were run again after their output was found to be lost. REPLICAS made, and those of which a reader MET the
# other copy lost; SPARES: pre-computations, and those that were NEEDED (their output was committed); bytes COPIED and READ.
function num(key,   i) {
    i = index($0, "\"" key "\":")
    return substr($0, i + length(key) + 3) + 0
}
function name() { return num("job") " " num("phase") " " num("task") " " num("attempt") }
/"type":"job_submitted"/ { from[num("job")] = num("arrived_us") }
/"type":"launch"/ && /"code":"output_lost"/ { recomputes++; of[num("job")]++ }
/"type":"launch"/ && /"code":"precompute"/ { spares++; spare[name()] = 1 }
/"type":"committed"/ { if (name() in spare) needed++ }
/"type":"replicate"/ { bytes[name()] = num("bytes") }
/"type":"replica_done"/ { replicas++; there[name()] = 1; copied += bytes[name()] }
/"type":"replica_failed"/ { if (name() in there) met++; delete there[name()] }
/"type":"fetch_done"/ { read += num("bytes") }
/"type":"job_done"/ { print "job", num("job"), of[num("job")] + 0, (num("t_us") - from[num("job")]) / 1e6 }
END { print "all", recomputes + 0, replicas + 0, met + 0, spares + 0, needed + 0, copied + 0, read + 0 }
