# In: journal lines of launch, fetch_done and committed. Out, for every phase that read something:
#   job phase seconds ratio
# seconds: from the first launch of the phase to its last commit. ratio: the median of its readers'
# throughputs over the slowest one's, as in Mantri's figure 20.
function num(key,   i, rest) {
    i = index($0, "\"" key "\":")
    rest = substr($0, i + length(key) + 3)
    return rest + 0
}
{ phase = num("job") " " num("phase") }
/"type":"launch"/ { if (!(phase in began)) began[phase] = num("t_us") }
/"type":"committed"/ { ended[phase] = num("t_us") }
/"type":"fetch_done"/ {
    took = num("took_us")
    if (took > 0)
        rate[phase, n[phase]++] = num("bytes") / took
}
END {
    for (phase in n) {
        count = n[phase]
        for (i = 1; i < count; i++) {
            x = rate[phase, i]
            for (j = i; j > 0 && rate[phase, j - 1] > x; j--)
                rate[phase, j] = rate[phase, j - 1]
            rate[phase, j] = x
        }
        print phase, (ended[phase] - began[phase]) / 1e6, rate[phase, int((count - 1) / 2)] / rate[phase, 0]
    }
}
