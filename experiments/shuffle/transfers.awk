# In: journal lines of job_submitted and fetch_done. Out, for every phase that read something:
#   job phase bin seconds
# where seconds is the mean, over the readers of the phase, of the reader's longest fetch. A reader
# fetches from all its sources at once, so its longest fetch is its whole transfer, without the time
# it waited for a source. Jobs that arrived before `warm` minutes are left out.
function num(key,   i, rest) {
    i = index($0, "\"" key "\":")
    rest = substr($0, i + length(key) + 3)
    return rest + 0
}
/"job_submitted"/ {
    if (num("arrived_us") < warm * 6e7)
        next
    rest = $0
    tasks = 0
    while ((i = index(rest, "\"tasks\":")) > 0) {
        rest = substr(rest, i + 8)
        tasks += rest + 0
    }
    bin[num("job")] = tasks <= 10 ? 1 : tasks <= 50 ? 2 : tasks <= 150 ? 3 : tasks <= 500 ? 4 : 5
    next
}
{
    job = num("job")
    if (!(job in bin))
        next
    phase = job " " num("phase")
    reader = phase " " num("task") " " num("attempt")
    took = num("took_us") / 1e6
    if (!(reader in longest))
        readers[phase]++
    if (took > longest[reader]) {
        sum[phase] += took - longest[reader]
        longest[reader] = took
    }
}
END {
    for (phase in readers) {
        split(phase, id, " ")
        print phase, bin[id[1]], sum[phase] / readers[phase]
    }
}
