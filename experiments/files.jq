# files.jq - the files of `dolly reproduce`, as {name: content}, from the numbers of a paper: {paper, rows, figures}.

# ---- --csv ----

def table(head; rows): head + "\n" + ([rows | @csv + "\n"] | add // "");

def csv:
    .paper as $paper
    | {"\($paper).csv":
          table("experiment,id,what,unit,paper,paper_text,ours,lo,hi,difference,tuned,tuned_lo,tuned_hi,basis,source";
                .rows[] | [.experiment, .id, .what, .unit, .paper, .paper_text // "", .ours, .lo, .hi, .difference,
                           .tuned, .tuned_lo, .tuned_hi, .basis // "aside", .explains // .source])}
      + ([.figures[]
          | {"\($paper)-\(.id).csv": table("series,x,paper,ours,lo,hi"; .points[] | [.series, .x, .paper, .ours, .lo, .hi])}]
         | add // {});

# ---- --plots: programs for gnuplot, one for each figure ----

def quoted: "'" + gsub("'"; "''") + "'";
def distinct: reduce .[] as $x ([]; if any(.[]; . == $x) then . else . + [$x] end);

# The points of a series as a named block: group "x" ours lo hi paper. All taste is in the scripts.
def block($number; $name; $groups):
    "name_\($number) = \($name | quoted)\n$S\($number) << EOD\n"
    + ([.[] | select(.series == $name) | .x as $x
        | "\($groups | map(. == $x) | index(true)) \"\($x)\" \([.ours, .lo, .hi, .paper] | map(. // "NaN" | tostring) | join(" "))\n"]
       | add) + "EOD\n";

def plots($folder; $scripts):
    .paper as $paper
    | [.figures[] | (.points | map(.series) | distinct) as $series | (.points | map(.x) | distinct) as $groups
       | {"\($paper)-\(.id).svg":
             ("picture = \("\($folder)/\($paper)-\(.id).svg" | quoted)\ntitle = \(.title | quoted)\n"
              + "x_label = \(.x_label | quoted)\ny_label = \(.y_label | quoted)\n"
              + (.points as $points | [range($series | length) | . as $i | $points | block($i + 1; $series[$i]; $groups)] | add)
              + "series = \($series | length)\nload \("\($scripts)/\(.kind).gp" | quoted)\n")}]
    | add // {};
