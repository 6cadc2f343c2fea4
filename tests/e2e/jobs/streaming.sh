#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of dolly streaming: tests/e2e/jobs/streaming.sh DOLLY
#
# Results are held to pipelines of sort, uniq and awk. Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/jobs/streaming.sh DOLLY}")
tmp=$(realpath "$(mktemp -d)") || exit 2
. "$(dirname "$0")/../../../tests/lib/checks.sh"
export TMPDIR=$tmp LC_ALL=C
cd "$tmp" || exit 2

run() { # -options...: the output folder is `out`
    rm -rf out
    timeout -k 1 120 "$dolly" streaming -output out "$@" >stdout 2>err </dev/null
    status=$?
}
all() { local one; for one; do eval "$one" || { echo "not: $one"; cat err; return 1; }; done; }
lacks() { [ -s "$2" ] && ! grep -q "$1" "$2"; } # WORDS FILE
done_well() { [ "$status" = 0 ] && [ -e out/_SUCCESS ] && [ ! -e out/_temporary ] && [ ! -s stdout ]; }
gives() { sort out/part-* | cmp - "$1"; } # whatever the partitions
refused() { # 'what err must have': one line, status 2, nothing left
    [ "$status" = 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e out ] && grep -qF -- "$1" err
}
failed_run() { # 'what err must have'
    [ "$status" = 1 ] && [ ! -e out/_SUCCESS ] && [ -z "$(ls -A out | grep -v '^_temporary$')" ] && grep -qF -- "$1" err
}

# Words with skew, blank lines, a last line without a newline.
awk 'BEGIN { srand(1); for (i = 0; i < 30000; i++) { n = 1 + int(rand() * 6); l = "";
    for (j = 0; j < n; j++) l = l "w" int(1000 * rand() * rand()) " "; print l; if (i % 50 == 0) print "" }
    printf "the end" }' >words
words="tr -s ' ' '\\n' | grep -v '^\$'"
count='awk -F "\t" "{ n[\$1]++ } END { for (w in n) print w \"\t\" n[w] }"'
tr -s ' ' '\n' <words | grep -v '^$' | sort | uniq -c | awk '{ print $2 "\t" $1 }' | sort >counts

run -input words -mapper "$words" -reducer "$count" -numReduceTasks 3 -D mapreduce.input.fileinputformat.split.maxsize=50000
ok 'words are counted' all done_well 'gives counts' '[ "$(ls out/part-* | wc -l)" = 3 ]' 'grep -q " 3 x reduce" err'
ok 'each partition has words' all '[ -s out/part-00000 ]' '[ -s out/part-00001 ]' '[ -s out/part-00002 ]'
run -input words -mapper "$words" -reducer 'cut -f1 | tee /dev/stderr | uniq -c' -D mapreduce.input.fileinputformat.split.maxsize=50000
ok 'a reducer reads keys in order of their bytes' all done_well 'sort -c <(awk "{ print \$2 }" out/part-00000)' \
    'awk "{ print \$2 \"\t\" \$1 }" out/part-00000 | sort | cmp - counts'
sum='awk -F "\t" "{ if (NR > 1 && \$1 != k) { print k \"\t\" n; n = 0 } k = \$1; n += \$2 } END { if (NR) print k \"\t\" n }"'
ones="$words | sed 's/\$/\t1/'"
run -input words -mapper "$ones" -combiner "$sum" -reducer "$sum" -numReduceTasks 2
ok 'a combiner changes nothing but the work' all done_well 'gives counts'
run -input words -mapper "$ones" -combiner "$sum" -reducer "$sum" -D mapreduce.task.io.sort.mb=1 -slots 1
ok 'nor does little memory' all done_well 'gives counts'
for codec in Lz4Codec org.apache.hadoop.io.compress.ZStandardCodec; do
    run -input words -mapper "$ones" -combiner "$sum" -reducer "$sum" -D mapreduce.task.io.sort.mb=1 \
        -D mapreduce.map.output.compress=true -D mapreduce.map.output.compress.codec=$codec
    ok "nor does ${codec##*.}" all done_well 'gives counts'
done
run -input words -mapper "$ones" -reducer "$sum" -D mapreduce.map.output.compress=true \
    -D mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.SnappyCodec
ok 'nor does another codec, which is told' all done_well 'gives counts' 'grep -q "lz4 is used in the place of SnappyCodec" err'
run -input words -mapper "$ones" -combiner 'sort -r' -reducer "$sum" -D mapreduce.task.io.sort.mb=1
ok 'nor does the order in which it prints' all done_well 'gives counts'

# ---- inputs ----

mkdir folder folder/deeper
split -n l/5 words folder/part.
echo hidden >folder/.hidden
echo hidden >folder/_logs
echo deep >folder/deeper/file
run -input folder -mapper "$words" -reducer "$count"
ok 'a folder in a folder is not left out without a word' refused 'folder/deeper: this is a folder in a folder'
run -input folder -mapper cat -reducer NONE -D mapreduce.input.fileinputformat.input.dir.recursive=true
ok 'it is read on demand' all done_well 'cat out/part-* | sort | cmp - <(cat words <(echo) <(echo deep) | sort)'
run -input 'folder/*' -mapper cat -reducer NONE
ok 'a pattern finds it, and nothing that is hidden' all done_well 'cat out/part-* | sort | cmp - <(cat words <(echo) <(echo deep) | sort)'
run -input 'folder/_logs' -mapper cat -reducer NONE
ok 'unless it is written out' all done_well '[ "$(cat out/part-*)" = hidden ]'
run -input 'folder/{_logs,nothing}' -mapper cat -reducer NONE
ok 'in a pattern, too' all done_well '[ "$(cat out/part-*)" = hidden ]'
rm -r folder/deeper
run -input folder -mapper "$words" -reducer "$count"
ok 'a folder: its files, not what is hidden' all done_well 'gives counts'
run -input 'folder/part.a[ab]' -input 'folder/part.{ac,ad,ae}' -mapper "$words" -reducer "$count"
ok 'patterns, and several inputs' all done_well 'gives counts'
rm -r folder && mkdir folder
split -n l/3 words folder/part.
gzip folder/part.aa && xz folder/part.ab
run -input folder -mapper "$words" -reducer "$count" -D mapreduce.input.fileinputformat.split.maxsize=1000
ok 'files that have to be unpacked are one piece each' all done_well 'gives counts'
: >empty
run -input empty -mapper cat -reducer 'wc -l' -numReduceTasks 2
ok 'an empty input' all done_well '[ "$(cat out/part-*)" = "$(printf "0\n0")" ]'
run -input words -mapper 'cat' -reducer NONE -D mapreduce.input.fileinputformat.split.maxsize=50000
ok 'no reducers: what mappers print, piece by piece, whole lines' all done_well 'cat out/part-* | cmp - <(cat words <(echo))'
printf 'a\0b\tc\377\n\t\n\nlong\t%s' "$(head -c 300000 /dev/zero | tr '\0' x)" >binary
run -input binary -mapper cat -reducer cat
ok 'bytes of any kind, lines of any length, none lost' all done_well \
    'sed "/\t/! s/\$/\t/" binary | sort | cmp - <(sort out/part-00000)'
run -input words -mapper 'cut -d" " -f1 | sed "s/\$/\tx/"' -reducer 'head -n 1' -numReduceTasks 2
ok 'a reducer that stops reading' all done_well '[ "$(cat out/part-* | wc -l)" = 2 ]'
printf '%s\n' a.1.x a.2.x b.1.x a.1.y b.2.y >fields
run -input fields -mapper cat -reducer cat -numReduceTasks 4 -partitioner KeyFieldBasedPartitioner \
    -D stream.map.output.field.separator=. -D stream.num.map.output.key.fields=2 -D num.key.fields.for.partition=1 \
    -D map.output.key.field.separator=.
ok 'keys of several fields, partitions by the first' all done_well '[ "$(cat out/part-* | wc -l)" = 5 ]' \
    '[ "$(grep -l "^a" out/part-* | wc -l)" = 1 ]' '[ "$(cat $(grep -l "^a" out/part-*) | grep "^a" | xargs)" = "a.1 x a.1 y a.2 x" ]'

# ---- what commands see ----

printf '#!/bin/sh\nsed "s/^/$PREFIX/"\n' >my-mapper
chmod +x my-mapper
run -input fields -mapper my-mapper -files "my-mapper,words#other" -cmdenv PREFIX=p: -reducer 'cat; ls'
ok '-files and -cmdenv' all done_well 'grep -q "^p:a.1.x" out/part-00000' 'grep -qx my-mapper out/part-00000' 'grep -qx other out/part-00000'
run -input fields -reducer NONE -D my.own=setting \
    -mapper 'echo $mapreduce_map_input_file $map_input_start $mapreduce_task_ismap $mapreduce_task_partition $mapred_reduce_tasks $my_own; cat >/dev/null'
ok 'settings and the names of Hadoop' all done_well '[ "$(cat out/part-00000)" = "$tmp/fields 0 true 0 0 setting" ]'

# ---- stragglers and trouble ----

run -input words -mapper "$words" -reducer "$count" -numReduceTasks 2 -slots 6 -chaos slow=0.4x5,kill=0.1 \
    -D mapreduce.input.fileinputformat.split.maxsize=50000
ok 'slowed and killed attempts, the same result' all done_well 'gives counts'
run -input words -mapper 'cat >/dev/null; echo reporter:status:half way >&2; echo why >&2; exit 3' -reducer cat
ok 'a mapper that fails, and what it said' all 'failed_run "exited with status 3"' 'grep -qx "dolly: its last line on stderr: why" err' \
    'grep -qx "dolly: its last status: half way" err'
run -input words -mapper cat -reducer 'cat >/dev/null; exit 4'
ok 'a reducer that fails' failed_run 'exited with status 4'
cp words changing
run -input changing -mapper "cat; echo more >>$tmp/changing" -reducer cat
ok 'an input that changes meanwhile' all 'failed_run failed' 'grep -rqF "this input has changed since the job began" out/_temporary/run/attempts'
run -input words -mapper "$words" -reducer cat -D mapreduce.task.io.sort.mb=1 -slots 1
before=$(cksum out/part-00000)
run -input words -mapper "$words" -reducer cat -slots 4 -D mapreduce.input.fileinputformat.split.maxsize=50000
ok 'memory and pieces do not change the order of keys' all done_well '[ "$before" = "$(cksum out/part-00000)" ]'

# ---- bad input ----

run -input nowhere -mapper cat
ok 'no such input' refused "nowhere: no input matches"
run -input words
ok 'no mapper' refused '-mapper is missing'
run -input words -mapper cat -policy nonsense
ok 'no such policy' refused nonsense
mkdir folder/none
run -input folder/none -mapper 'wc -l' -reducer cat
ok 'a folder without files: no mapper runs' all done_well '[ ! -s out/part-00000 ]'
mkdir out2
timeout 60 "$dolly" streaming -input words -output out2 -mapper cat 2>err
[ $? -eq 2 ] && grep -q 'out2 already exists' err
report $? 'an output that exists is left alone' "$(cat err)"
"$dolly" streaming -help >stdout && grep -q 'usage: dolly streaming' stdout
report $? 'help'
# ---- what Hadoop's classes do ----

comparator='-D mapreduce.job.output.key.comparator.class=org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator'
awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) print "k" int(20 * rand()) "." int(1000 * rand()) - 500 "." i }' >keyed
# shellcheck disable=SC2086
run -input keyed -mapper cat -D mapreduce.input.fileinputformat.split.maxsize=9000 -D stream.num.map.output.key.fields=2 \
    -D stream.map.output.field.separator=. -D mapreduce.map.output.key.field.separator=. -D mapreduce.job.reduces=3 \
    $comparator -D 'mapreduce.partition.keycomparator.options=-k1,1 -k2,2nr' \
    -partitioner org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner \
    -D mapreduce.partition.keypartitioner.options=-k1,1
ok 'keys in an order of numbers' all done_well 'sort keyed | cmp - <(cat out/part-* | tr "\t" . | sort)'
in_order() { local part; for part in out/part-*; do [ -e "$part" ] && tr '\t' . <"$part" | sort -c -s -t . -k1,1 -k2,2nr || return; done; }
ok 'as sort has it' in_order
[ "$(for part in out/part-*; do cut -d. -f1 "$part" | sort -u; done | sort | uniq -d | wc -l)" = 0 ] && cat out/part-* | grep -q .
report $? 'and a field of the key says the partition'
# shellcheck disable=SC2086
run -input words -mapper "$ones" -combiner "$sum" -reducer "$sum" $comparator -D mapreduce.partition.keycomparator.options=-r
ok 'a combiner reads and prints that order' all done_well 'sort -r counts | cmp - out/part-00000'

seq 10 19 >ten
run -input ten -mapper cat -reducer NONE -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat \
    -D mapreduce.input.lineinputformat.linespermap=4
ok 'so many lines to a mapper' all done_well '[ "$(wc -l out/part-* | awk "{ printf \"%s \", \$1 }")" = "4 4 2 10 " ]' \
    'awk "{ print (NR - 1) * 3 \"\t\" \$0 }" ten | cmp - <(cat out/part-*)'
run -input ten -mapper cat -reducer NONE -inputformat NLineInputFormat -D stream.map.input.ignoreKey=true
ok 'one by default, and without keys on demand' all done_well '[ "$(ls out/part-* | wc -l)" = 10 ]' 'cat out/part-* | cmp - ten'
gzip -k ten
run -input ten.gz -mapper cat -reducer NONE -D stream.map.input.ignoreKey=false
ok 'records of lines that get offsets' grep -qP '^\t\tMap input records=10$' err
ok 'a packed input has offsets, too' all done_well 'awk "{ print (NR - 1) * 3 \"\t\" \$0 }" ten | cmp - out/part-00000'

run -input words -mapper "$words | sed 's/.*/LongValueSum:&\t1/'" -reducer aggregate -numReduceTasks 2
ok 'aggregate sums up' all done_well 'gives counts' 'grep -qx "dolly: Counters: 4" err'
run -input words -mapper "$words" -reducer aggregate
ok 'what is no aggregation fails the job' failed_run 'the combiner ended with status'
grep -rqF 'does not begin with LongValueSum:' out/_temporary/run/attempts
report $? 'and why is kept'

mkdir -p packed/dir
echo 1 >packed/dir/one
tar -C packed -czf some.tgz dir
run -input ten -mapper 'cat some.tgz/dir/one a/dir/one' -reducer NONE -archives "some.tgz,some.tgz#a"
ok 'archives are unpacked' all done_well '[ "$(cat out/part-00000 | xargs)" = "1 1" ]'
echo nothing >bad.zip
run -input ten -mapper cat -archives bad.zip
ok 'what is no archive' refused 'bad.zip: cannot unpack'
ln -s /nowhere packed/out
tar -C packed -cf evil.tar out
rm packed/out
mkdir packed/out
echo >packed/out/x
tar -C packed -rf evil.tar out/x
run -input ten -mapper cat -archives evil.tar
ok 'an archive that leaves its folder' refused 'evil.tar: cannot unpack'

# ---- beside Hadoop ----
#
# What Hadoop Streaming 3.3.5 gives for these, to the byte (but for a TAB at the end of lines without one).

hadoop() { # TITLE INPUT WANT OPTION...: bytes as printf has them; -output and -input are said
    local title=$1
    # shellcheck disable=SC2059
    printf "$2" >given
    # shellcheck disable=SC2059
    printf "$3" >wanted
    shift 3
    run -input given "$@"
    ok "$title" all done_well 'cat out/part-* | cmp - wanted'
}
numbers="-D mapreduce.job.output.key.comparator.class=KeyFieldBasedComparator -D mapreduce.partition.keycomparator.options"

hadoop 'a last line without a newline is read' 'a\nb\nc' 'a\nb\nc\n' -mapper 'while read x; do echo "$x"; done' -reducer NONE
hadoop 'and counted' 'a\nb\nc' '3\n' -mapper 'wc -l' -reducer NONE
hadoop 'what a mapper prints without one gets it' 'a\n' 'x\n' -mapper 'printf x' -reducer NONE
hadoop 'what a reducer prints, too' 'a\n' 'x\n' -mapper cat -reducer 'printf x'
hadoop 'a plain copy ends so' 'a\nb' 'a\nb\n' -mapper cat -reducer NONE
printf 'a\nb' >two1
printf 'c\nd' >two2
gzip -kf two1
run -input 'two1.gz,two2' -mapper 'wc -l' -reducer NONE
ok 'in packed files, and with commas' all done_well '[ "$(cat out/part-* | xargs)" = "2 2" ]'
hadoop 'lines one by one' 'a\nb' '0\ta\n2\tb\n' -mapper cat -reducer NONE -inputformat NLineInputFormat
hadoop 'CR LF ends lines of inputs' '1\tx\r\n2\ty\r\n' '1\tx$\n2\ty$\n' -mapper cat -reducer "sed 's/\$/\\\$/'"
hadoop 'offsets count CR' 'a\r\nb\r\n' '0\ta\n3\tb\n' -mapper cat -reducer NONE -inputformat NLineInputFormat
hadoop 'lines that mappers print' 'a\n' 'k\tv$\n' -mapper "printf 'k\tv\r\n'" -reducer "sed 's/\$/\\\$/'"
hadoop 'and reducers' 'a\n' 'k\tv\n' -mapper cat -reducer "printf 'k\tv\r\n'"

hadoop 'reducers read TAB' 'a:1\nb:2\na:3\n' 'a\t1\na\t3\nb\t2\n' -D stream.map.output.field.separator=: -mapper cat -reducer cat
hadoop 'or what they are to read' 'a\t1\n' 'a+1\n' -D stream.reduce.input.field.separator=+ -mapper cat -reducer cat
hadoop 'separators of more than a character' 'a@#@1\nb@#@2\n' 'a\t1\nb\t2\n' -D stream.map.output.field.separator=@#@ -mapper cat -reducer cat
hadoop 'without reducers, too' 'a:1\nb\n' 'a\t1\nb\n' -D stream.map.output.field.separator=: -mapper cat -reducer NONE
hadoop 'separators of what reducers print' 'a\t1\n' 'a:1\tx\n' -D stream.reduce.output.field.separator=: \
    -D stream.num.reduce.output.key.fields=2 -mapper cat -reducer 'echo a:1:x'
hadoop 'separators of results' 'a\t1\n' 'a;1\n' -D mapreduce.output.textoutputformat.separator=';' -mapper cat -reducer cat
hadoop 'no fields are one' 'a\t1\tx\n' 'a\t1\tx\n' -D stream.num.map.output.key.fields=0 -mapper cat -reducer cat
hadoop 'a combiner reads TAB and prints it' 'a:1\na:2\n' 'a\t2\n' -D stream.map.output.field.separator=: -mapper cat \
    -combiner "awk -F '\t' '{ n[\$1]++ } END { for (k in n) print k \"\t\" n[k] }'" -reducer cat
# shellcheck disable=SC2086
{
    hadoop 'keys in another order get TAB' '3\n10\n2\n' '2\t\n3\t\n10\t\n' $numbers=-n -mapper cat -reducer cat
    hadoop 'an empty number comes first' 'b\n\n-5\n3\n0\n' '\t\n-5\t\n0\t\nb\t\n3\t\n' $numbers=-n -mapper cat -reducer cat
    hadoop 'last in reverse' '\n-5\n3\n' '3\t\n-5\t\n\t\n' $numbers=-nr -mapper cat -reducer cat
    hadoop 'blanks are no part of numbers' '2\n 5\n1\n' ' 5\t\n1\t\n2\t\n' $numbers=-k1,1n -mapper cat -reducer cat
    hadoop 'field 0 is the first' 'b\na\n' 'a\t\nb\t\n' $numbers=-k0,1 -mapper cat -reducer cat
}

hadoop 'NONE wins' '3\n10\n2\n' '3\n10\n2\n' -reducer NONE -jobconf mapred.reduce.tasks=4 -mapper cat
ok 'in one part' [ "$(ls out | xargs)" = '_SUCCESS _counters.json part-00000' ]
run -input words -mapper cat -numReduceTasks 2 -jobconf mapred.reduce.tasks=3
ok 'the option wins over settings' all done_well '[ "$(ls out/part-* | wc -l)" = 2 ]'

hadoop 'quotes of commands are those of Hadoop' 'a b\nc d\n' 'b\nd\n' -mapper 'awk "{print $2}"' -reducer NONE
hadoop 'backslashes reach programs' 'beta\nalphabeta\n' 'beta\n' -mapper 'grep \bbeta\b' -reducer NONE
hadoop 'quotes end words' 'a b\n' 'x b\n' -mapper "sed 's/a/x/'" -reducer NONE
hadoop 'a pipe has a shell' 'b\na\n' 'a\nb\n' -mapper 'cat | sort' -reducer NONE
hadoop 'any status' 'a\n' 'a\n' -D stream.non.zero.exit.is.failure=false -mapper 'sh -c "cat; exit 3"' -reducer NONE
run -input ten -mapper 'grep 12' -reducer NONE -lazyOutput -inputformat NLineInputFormat -D stream.map.input.ignoreKey=true \
    -D stream.non.zero.exit.is.failure=false
ok 'parts that are empty may be left out' all done_well '[ "$(ls out | xargs)" = "_SUCCESS _counters.json part-00002" ]'
hadoop 'reducers that start early' 'b\na\n' 'a\t\nb\t\n' -D mapreduce.job.reduce.slowstart.completedmaps=0.05 -mapper cat -reducer cat
hadoop 'at once' 'b\na\n' 'a\t\nb\t\n' -D mapred.reduce.slowstart.completed.maps=0 -mapper cat -reducer cat
hadoop 'keys and values of inputs' 'a\t1\nb\n' 'a\t1\nb\t\n' -inputformat org.apache.hadoop.mapred.KeyValueTextInputFormat \
    -mapper cat -reducer NONE
identity=org.apache.hadoop.mapred.lib.Identity
hadoop 'offsets, which are numbers' 'aa\nb\nccccccc\nd\n' '0\taa\n3\tb\n5\tccccccc\n13\td\n' -mapper ${identity}Mapper -reducer ${identity}Reducer
hadoop 'lines for a command' 'b\na\n' 'a\t\nb\t\n' -mapper ${identity}Mapper -reducer cat
hadoop 'sums as Java prints them' '1e10\n' 'a\t1.0E10\n' -mapper 'sed s/^/DoubleValueSum:a\t/' -reducer aggregate
hadoop 'no zero below zero' '0.0\n' 'a\t0.0\n' -mapper 'sed s/^/DoubleValueSum:a\t-/' -reducer aggregate
hadoop 'small ones' '0.00001\n' 'a\t1.0E-5\n' -mapper 'sed s/^/DoubleValueSum:a\t/' -reducer aggregate
hadoop 'and others' '1234567.5\n0.5\n' 'a\t1234568.0\n' -mapper 'sed s/^/DoubleValueSum:a\t/' -reducer aggregate
hadoop 'a combiner may print keys in any order' 'c\nb\na\n' 'a\tx\nb\tx\nc\tx\n' -mapper cat -combiner "sort -r | sed 's/\$/x/'" -reducer cat

mkdir -p lib
printf '#!/bin/sh\nsed s/^/m:/\n' >lib/m.sh
printf 'import sys\nfor l in sys.stdin: sys.stdout.write("p:" + l)\n' >lib/m.py
chmod +x lib/m.sh
hadoop 'a program goes by the name that it is shipped under' 'a\n' 'm:a\n' -file lib/m.sh -mapper lib/m.sh -reducer NONE
hadoop 'and is found where dolly was started' 'a\n' 'm:a\n' -mapper lib/m.sh -reducer NONE
ok 'which is told' grep -q 'lib/m.sh is taken from where dolly was started' err
hadoop 'one in a folder that is shipped stays there' 'a\n' 'm:a\n' -files lib/ -mapper lib/m.sh -reducer NONE
ok 'and nothing else is shipped' lacks 'taken from where' err
hadoop 'one that goes by its name alone is found in it' 'a\n' 'm:a\n' -file lib -mapper m.sh -reducer NONE
ok 'which is told as well' grep -q 'm.sh is taken for lib/m.sh' err
hadoop 'also for an interpreter' 'a\n' 'p:a\n' -file lib -mapper 'python3 m.py' -reducer NONE
hadoop 'the folder of the job may be shipped, output and all' 'a\n' 'm:a\n' -file . -mapper "${tmp##*/}/lib/m.sh" -reducer NONE
hadoop 'a script, too' 'a\n' 'p:a\n' -mapper 'python3 lib/m.py' -reducer NONE
hadoop 'with a PATH of its own' 'a\n' 'm:a\n' -file lib/m.sh -mapper m.sh -reducer NONE -cmdenv PATH=/usr/bin:/bin
hadoop 'older names of options' 'a\n' 'm:a\n' -cacheFile "file://$tmp/lib/m.sh#n.sh" -mapper n.sh -reducer NONE
run -input "hdfs://namenode:8020$tmp/ten" -mapper cat -reducer NONE
ok 'URIs are local paths' all done_well 'cmp ten out/part-00000' 'grep -q "is taken for the local path $tmp/ten" err'
printf '#!/bin/sh\nsed s/^/u:/\n' >lib/u.sh
hadoop 'a program by a URI, which needs no x bit' 'a\n' 'u:a\n' -mapper "s3://bucket$tmp/lib/u.sh" -reducer NONE
ok 'which is told, too' grep -q "is taken for the local path $tmp/lib/u.sh" err
hadoop 'a comma behind the last file' 'a\n' 'm:a\n' -files lib/m.sh, -mapper m.sh -reducer NONE
hadoop 'an empty reducer where there are none' 'a\n' 'm:a\n' -mapper lib/m.sh -reducer '' -D mapred.reduce.tasks=0
run -input ten -mapper cat -reducer ''
ok 'and where there are' refused '-reducer: the command is empty; expected NONE for no reducers'
mkdir -p some
printf 'a\n' >some/1
printf 'b\n' >some/2
run -input some/* -mapper cat -reducer cat
ok 'a pattern that the shell has read' all done_well '[ "$(cut -f 1 out/part-00000 | xargs)" = "a b" ]'
run -input ten -mapper cat -reducer NONE -D mapred.output.compress=true
ok 'that results are not packed is told' all done_well 'cmp ten out/part-00000' 'grep -q "results are not compressed" err'
run -input hdfs:///nowhere/x -mapper cat
[ "$status" = 2 ] && grep -q '/nowhere/x: no input matches' err && grep -q 'dolly reads no other files' err
report $? 'and that is said if there is none' "$(cat err)"
rm -rf deep
timeout 60 "$dolly" streaming -input ten -output deep/er/out -mapper cat -reducer NONE 2>err && cmp ten deep/er/out/part-00000
report $? 'folders above the output are made' "$(cat err)"
timeout 60 "$dolly" streaming -input ten -output deep/other// -mapper cat -reducer NONE 2>err && cmp ten deep/other/part-00000
report $? 'a slash behind its name is nothing' "$(cat err)"
cat >conf.xml <<'X'
<?xml version="1.0"?>
<configuration>
<!-- <property><name>no</name><value>comment</value></property> -->
<property><name>stream.map.output.field.separator</name><value>&lt;</value></property>
<property>
  <name>mapreduce.job.reduces</name>
  <value>9</value>
</property>
</configuration>
X
hadoop 'a file of settings, over which others win' 'a<1\n' 'a\t1\n' -conf conf.xml -D mapreduce.job.reduces=1 -mapper cat -reducer cat
tar -cf ten.tar ten
run -input ten.tar -mapper cat -reducer NONE
ok 'tar files are unpacked' all done_well 'cmp ten out/part-00000'
run -input ten.gz -mapper cat -reducer NONE -inputformat NLineInputFormat
ok 'that packed inputs are not cut is told' all done_well 'grep -q "1 packed input was read by one task" err'
mkdir -p one other
echo >one/x
echo more >other/x
run -input ten -mapper cat -files one/x,other/x
ok 'two files of one name' refused 'have the same name'
run -input ten -mapper cat -archives 'some.tgz#.'
ok 'no name' refused "'.' is not a valid file name"
hadoop 'one file twice' 'a\n' 'a\n' -files one/x,one/x -mapper cat -reducer NONE
run -input ten -reducer NONE -mapper 'echo $mapreduce_job_id $mapreduce_output_fileoutputformat_outputdir $mapreduce_input_fileinputformat_inputdir; cat >/dev/null'
ok 'the job, its input and output in the environment' all done_well '[ "$(cat out/part-00000)" = "job_0_0000 out ten" ]'
run -input ten -mapper cat -D textinputformat.record.delimiter=x
ok 'what would change results is refused' refused 'textinputformat.record.delimiter=x is not supported: records are lines here'

run -input words -mapper "$words | sed 's/.*/LongValueSum:&\t1/'" -reducer aggregate -numReduceTasks 2 -on local:2 -pull -slots 1
ok 'on agents that share no folder' all done_well 'gives counts'
run -input ten -mapper cat -pull
ok 'nothing to pull from' refused '--pull is for runs with --on'
run -input ten -mapper cat -archives some.tgz -on local:2 -pull
ok 'archives that nodes do not see' refused 'nodes do not see unpacked files'

closing
