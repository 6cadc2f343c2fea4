# What the jobs of examples/jobs must give, by pipelines without dolly.
#
#     want_of NAME [ROUNDED]    prints it, lines in any order; ROUNDED: how shares of ranks are written on their way

want_of() {
    local in=examples/jobs/in
    case $1 in
    wordcount) tr -cs A-Za-z '\n' <$in/text.txt | tr A-Z a-z | grep . | sort | uniq -c | awk '{ print $2 "\t" $1 }' ;;
    sort) cat $in/text.txt $in/links.txt ;;
    grep) grep -h slow $in/*.txt ;;
    join)
        awk 'NR == FNR { u[$1] = $2; next } { print $2 "\t" ($2 in u ? u[$2] : "nobody") "\t" $3 }' $in/users.txt $in/orders.txt
        ;;
    pagerank)
        awk -v rounded="${2:-%.17g}" '
            { pages[$1]; n[$1] = NF - 1; for (i = 2; i <= NF; i++) { to[$1, i - 1] = $i; sum[$i] += sprintf(rounded, 1 / (NF - 1)) } }
            END { for (round = 1; round <= 3; round++) {
                for (p in pages) { rank[p] = 0.15 + 0.85 * sum[p]; sum[p] = 0 }
                for (p in pages) for (i = 1; i <= n[p]; i++) sum[to[p, i]] += sprintf(rounded, rank[p] / n[p]) }
                for (p in pages) printf "%s\t%.4f\n", p, rank[p] }' $in/links.txt
        ;;
    log)
        tr -d '"' <$in/access.log |
            awk '{ n[$4]++; bad[$4] += $5 >= 500; b[$4] += $6 } END { for (p in n) print p "\t" n[p] "\t" bad[p] "\t" b[p] }'
        ;;
    esac
}
