# One round of page rank on what belongs to each page; with last=1, prints ranks instead of dealing them out.
function flush(    i, n, rank, to) {
    if (page == "")
        return
    rank = 0.15 + 0.85 * sum
    if (last) {
        printf "%s\t%.4f\n", page, rank
    } else {
        print page "\tL" links
        n = split(links, to, " ")
        for (i = 1; i <= n; i++)
            printf "%s\tR %.6f\n", to[i], rank / n
    }
    sum = 0
    links = ""
}
$1 != page { flush(); page = $1 }
substr($2, 1, 1) == "L" { links = substr($2, 2) }
substr($2, 1, 1) == "R" { sum += substr($2, 3) }
END { flush() }
