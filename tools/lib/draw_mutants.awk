# draw_mutants.awk - mutants of the files given, drawn by chance: tools/mutants --draw.
#
#     awk -v seed=N -v count=N -f tools/lib/draw_mutants.awk FILE...
#
# A line is drawn first, each as likely as any other that an operator of the table fits, then one of
# its operators, then the place in the line. Lines that stand in their file twice are left out, and so are
# comments, declarations without a value, lines of the preprocessor, labels and check(...). Words in
# quotation marks are never changed. The generator is our own, so that the same seed and the same
# files give the same list with any awk.

# The table of operators: what is looked for (surroundings included), and what it becomes. A tilde
# stands for the first number of the text found.
function operator(pattern, text) { patterns[++operators] = pattern; texts[operators] = text }
BEGIN {
    operator(" == ", " != ")
    operator(" != ", " == ")
    operator(" < ", " <= ")
    operator(" < ", " >= ")
    operator(" <= ", " < ")
    operator(" <= ", " > ")
    operator(" > ", " >= ")
    operator(" > ", " <= ")
    operator(" >= ", " > ")
    operator(" >= ", " < ")
    operator(" && ", " || ")
    operator(" [|][|] ", " && ")
    operator(" [+] ", " - ")
    operator(" - ", " + ")
    operator(" [*] ", " / ")
    operator(" / ", " * ")
    operator(" [+]= ", " -= ")
    operator(" -= ", " += ")
    operator("[+][+]", "--")
    operator("--", "++")
    operator("![a-z(]", "NEGATION")
    operator("[^a-zA-Z0-9_]true[^a-zA-Z0-9_]", "false")
    operator("[^a-zA-Z0-9_]false[^a-zA-Z0-9_]", "true")
    operator("return -1;", "return 0;")
    operator("[^-a-zA-Z0-9_.][0-9]+[^a-zA-Z0-9_.]", "NUMBER")
    operator("^(} else )?if [(].*[)]( [{])?$", "NEVER")
    operator("^(} else )?if [(].*[)]( [{])?$", "ALWAYS")
    operator("^while [(].*[)]( [{])?$", "NEVER")
    operator("^return .*;$", "NEGATED")
    operator("^[^ ].*;$", "NOTHING")
}

function trim(line) { sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line); return line }
function blanks(text) { gsub(/./, "\001", text); return text } # as long as the text

# The line with comments and what stands in quotation marks blanked out, every column where it was.
function code_of(line,    out, rest) {
    out = ""
    while (line != "") {
        if (in_comment) {
            if (!match(line, /\*\//))
                return out blanks(line)
            in_comment = 0
        } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^'([^'\\]|\\.)+'/)) {
            out = out substr(line, 1, 1) blanks(substr(line, 2, RLENGTH - 2)) substr(line, 1, 1)
            line = substr(line, RLENGTH + 1)
            continue
        } else if (line ~ /^\/\//) {
            return out blanks(line)
        } else if (line ~ /^\/\*/) {
            in_comment = 1
            out = out "\001\001"
            line = substr(line, 3)
            continue
        } else {
            out = out substr(line, 1, 1)
            line = substr(line, 2)
            continue
        }
        out = out blanks(substr(line, 1, RSTART + 1))
        line = substr(line, RSTART + 2)
    }
    return out
}

function depth(code,    copy) { copy = code; return gsub(/[(]/, "", copy) - gsub(/[)]/, "", copy) }

# Column of the first character that may be changed, or 0: declarations may in their value only.
function start_of(code) {
    if (code ~ /^#/ || code ~ /^(case|default|goto|static_assert|_Static_assert|check|typedef)[ (:;]/ ||
        code ~ /^[}{);]*$/ || code ~ /^[(]void[)][a-z_]+[,;]/ || code ~ /^[{]0[}],$/ || code ~ /^[a-z_0-9]+:$/ || code ~ /(^|[^a-z_])check[(]/)
        return 0
    if (is_declaration(code))
        return index(code, " = ") && code !~ /= [{]0[}];$/ ? index(code, " = ") + 1 : 0
    return 1
}
function is_declaration(code) {
    return code ~ /^[a-z_][a-zA-Z_0-9]* [*(]*[a-z_][a-zA-Z_0-9]*/ && code !~ /^(return|else|do) / ||
        code ~ /^(static|const|struct|enum|union|extern) / || code ~ /^[A-Z_]+[(].*[)] [*]*[a-z_]+/
}

# Whether a statement begins and ends in this line, so that it can be left out.
function is_statement(code) {
    return !is_declaration(code) && code !~ /^(return|for|while|if|else|do|})( |$)/ && depth(code) == 0 &&
        code !~ /^[?:|&"+.-]/ && before ~ /([;{}:]|^else|^(if|while|for|} else if|else if) .*[)])$/
}

# The line after operator o at the n-th place that fits, or "".
function changed(line, code, o, n, from,    at, text, found, number) {
    at = from
    while (match(substr(code, at), patterns[o])) {
        if (--n == 0)
            break
        at += RSTART
    }
    if (n != 0 || patterns[o] ~ /^\^/ && (at != 1 || RSTART != 1))
        return ""
    at += RSTART - 1
    found = substr(line, at, RLENGTH)
    text = texts[o]
    if (text == "NEVER" || text == "ALWAYS") {
        if (depth(code) != 0)
            return ""
        number = index(line, "(")
        rest = line ~ /[{]$/ ? " {" : ""
        return substr(line, 1, number) (text == "NEVER" ? "0 && " : "1 || ") \
            substr(line, number, length(line) - length(rest) - number + 1) ")" rest
    }
    if (text == "NOTHING")
        return is_statement(code) ? ";" : ""
    if (text == "NEGATED")
        return code ~ / (==|!=|<|<=|>|>=|&&|[|][|]) / && code !~ /[?]/ && depth(code) == 0 \
            ? "return !(" substr(line, 8, length(line) - 8) ");" : ""
    if (text == "NEGATION")
        text = substr(found, 2)
    else if (text == "NUMBER")
        text = substr(found, 1, 1) (found ~ /^.0[0-9]/ ? "0" : "") (substr(found, 2, length(found) - 2) + 1) \
            substr(found, length(found))
    else if (text == "true" || text == "false")
        text = substr(found, 1, 1) text substr(found, length(found))
    return substr(line, 1, at - 1) text substr(line, at + length(found))
}

# All that can be done to the line, as `new line` SUBSEP `new line` ...
function candidates(line, code,    from, o, n, new, all) {
    from = start_of(code)
    for (o = 1; from && o <= operators; o++)
        for (n = 1; (new = changed(line, code, o, n, from)) != ""; n++)
            all = all (all == "" ? "" : SUBSEP) o SUBSEP new
    return all
}

FNR == 1 { in_comment = continued = 0; before = "" }
{
    was_continued = continued
    continued = $0 ~ /\\$/ # of a macro
    code = code_of($0)
    match($0, /^[ \t]*/)
    line = trim($0)
    code = trim(substr(code, RSTART + RLENGTH))
    stands[FILENAME, line]++
    if (code ~ /^\001*$/)
        next
    if (!was_continued && !continued && (can = candidates(line, code)) != "") {
        files[++lines] = FILENAME
        old[lines] = line
        news[lines] = can
    }
    gsub(/\001+$/, "", code)
    before = trim(code)
}

function random(below) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * below) }
END {
    state = seed % 2147483646 + 1
    for (i = 0; i < 20; i++)
        random(1)
    for (left = lines; left > 0 && count > 0; left--) {
        i = random(left) + 1
        if (stands[files[i], old[i]] == 1) {
            # each operator is as likely as any other that fits, whatever the places it fits
            n = split(news[i], can_be, SUBSEP)
            kinds = 0
            for (k = 1; k < n; k += 2)
                if (k == 1 || can_be[k] != can_be[k - 2])
                    first[kinds++] = k
            first[kinds] = n + 1
            kind = random(kinds)
            place = first[kind] + 2 * random((first[kind + 1] - first[kind]) / 2)
            printf "@ %s\n- %s\n+ %s\n\n", files[i], old[i], can_be[place + 1]
            count--
        }
        files[i] = files[left]; old[i] = old[left]; news[i] = news[left]
    }
}
