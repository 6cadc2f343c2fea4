# In: journal lines of job_submitted, committed and kill. Out: window bin omega_s kills
# Omega is not in the journal; what it does is. An attempt of a task that somebody reads is killed
# omega after the task was won, so the most frequent distance is omega (to 0.1 s) of that window and
# bin. `window` is in minutes.
function num(key,   i, rest) {
    i = index($0, "\"" key "\":")
    rest = substr($0, i + length(key) + 3)
    return rest + 0
}
/"job_submitted"/ {
    job = num("job")
    rest = $0
    tasks = 0
    while ((i = index(rest, "\"tasks\":")) > 0) {
        rest = substr(rest, i + 8)
        tasks += rest + 0
        phases[job]++
    }
    bin[job] = tasks <= 10 ? 1 : tasks <= 50 ? 2 : 3
    next
}
/"committed"/ {
    won[num("job") " " num("phase") " " num("task")] = num("t_us")
    next
}
{
    job = num("job")
    task = job " " num("phase") " " num("task")
    if (bin[job] > 2 || num("phase") == phases[job] - 1 || !(task in won))
        next
    gap = int((num("t_us") - won[task]) / 1e5 + 0.5) / 10
    cell = int(num("t_us") / (window * 6e7)) " " bin[job]
    if (++seen[cell " " gap] > most[cell]) {
        most[cell] = seen[cell " " gap]
        omega[cell] = gap
    }
}
END {
    for (cell in most)
        print cell, omega[cell], most[cell]
}
