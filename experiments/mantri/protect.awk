# In: the journal of a run as JSON lines. Out: one line,
#   recomputes killed replicas met spares used copied read
# recomputes: tasks that were run again after their output was found to be lost; killed: readers that
# had to end because input was missing; replicas made, and those of which a reader met the other copy
# lost; pre-computations, and those whose output was needed and committed; bytes copied and bytes read
# by readers.
function num(key,   i, rest) {
    i = index($0, "\"" key "\":")
    rest = substr($0, i + length(key) + 3)
    return rest + 0
}
function name() { return num("job") " " num("phase") " " num("task") " " num("attempt") }
/"type":"launch"/ && /"code":"output_lost"/ { recomputes++ }
/"type":"launch"/ && /"code":"precompute"/ { spares++; spare[name()] = 1 }
/"type":"committed"/ { if (name() in spare) used++ }
/"type":"kill"/ && /"code":"hopeless_input"/ { killed++ }
/"type":"replicate"/ { bytes[name()] = num("bytes") }
/"type":"replica_done"/ { replicas++; there[name()] = 1; copied += bytes[name()] }
/"type":"replica_failed"/ { if (name() in there) met++; delete there[name()] }
/"type":"fetch_done"/ { read += num("bytes") }
END { print recomputes + 0, killed + 0, replicas + 0, met + 0, spares + 0, used + 0, copied + 0, read + 0 }
