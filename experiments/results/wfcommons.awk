# wfcommons.awk - tasks of workflows, a row each, put back into WfCommons JSON: one file for each workflow.
#
#     awk -v folder=DIR -f wfcommons.awk tasks.tsv
BEGIN { FS = "\t" }
/^#/ { next }
function finish() {
    if (name != "")
        printf "{\"name\":\"%s\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[%s]}," \
            "\"execution\":{\"tasks\":[%s]}}}\n", name, spec, run >file
    if (name != "")
        close(file)
}
$1 != name {
    finish()
    name = $1
    file = folder "/" ++files ".json"
    spec = run = ""
}
{
    n = split($11 == "-" || $11 == "-1" ? "" : $11, list, ",")
    parents = ""
    for (i = 1; i <= n; i++)
        parents = parents (i > 1 ? "," : "") "\"" list[i] "\""
    mark = spec == "" ? "" : ","
    spec = spec mark "{\"name\":\"" $3 "\",\"id\":\"" $2 "\",\"parents\":[" parents "]}"
    run = run mark "{\"id\":\"" $2 "\",\"runtimeInSeconds\":" ($4 > 0 ? $4 : 0.001) ",\"command\":{\"program\":\"" $3 "\"}}"
}
END { finish() }
