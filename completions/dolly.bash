# Completion of dolly for bash; made by tools/completions.
_dolly() {
    local cur=${COMP_WORDS[COMP_CWORD]} options=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'map run streaming exec resume explain report top watch journal sim policies replay advise whatif workload trace model reproduce agents agent help' -- "$cur"))
        return
    fi
    case ${COMP_WORDS[1]} in
    map) options='--jobs -j -P --arg-file -a --null -0 --delimiter -d -E --eof -e --trim --colsep -C --header --link --arg-sep --arg-file-sep --max-args -n --max-replace-args -N -L --max-lines -l --max-chars -s -m -X --xargs --no-run-if-empty -r -I --replace -i --extensionreplace --basenamereplace --dirnamereplace --basenameextensionreplace --seqreplace --slotreplace --plus --quote -q --shuf --array --pipe --pipepart --block --recend --recstart --regexp --remove-rec-sep --round-robin --tee --cat --keep-order -k --no-keep-order --group -g --line-buffer --ungroup -u --tag --tagstring --files --results --output --error --joblog --resume --resume-failed --retry-failed --dry-run -v --verbose -t --bar --eta --progress --retries --timeout --halt --delay --load --memfree --nice --workdir --env --clone --pure --policy --set --cpus --mem --nodes --on --scratch --linger --lease --listen --slurm --grow --idle --drain --munge --pull --lost --chaos --seed --dir --tmpdir --summary --no-history --json --help -h --version -V' ;;
    run) options='--output --policy --set --slots --nodes --on --scratch --linger --lease --listen --slurm --grow --idle --drain --munge --pull --chaos --seed --journal --json --help' ;;
    streaming) options='-input -output -mapper -reducer -combiner -numReduceTasks -files -archives -cmdenv -D -partitioner -inputformat -slots -policy -on -pull -scratch -slurm -chaos' ;;
    exec) options='--dir --cluster --policy --set --seed --grace --chaos --on --scratch --linger --lease --listen --slurm --grow --idle --drain --munge --pull --json --help' ;;
    resume) options='--json --once --retry-failed --help' ;;
    explain) options='--json --help' ;;
    report) options='-o --output --compare --trace --trace-max --nextflow --csv --help' ;;
    top) options='--once --json --help' ;;
    watch) options='--http --open --token-file --help' ;;
    journal) options='--verify --stats --json --warmup --jobs --help' ;;
    sim) options='--workload --trace --policy --cluster --jobs --seeds --report --scale --variation --window --format --assume --memory --strict --sort --seed --parallel --expect --expect-error --set --warmup --baseline --yardstick --estimates --journal --phases --detail --wide --json --help' ;;
    policies) options='--all --json --help' ;;
    replay) options='--policy --variation --set --seed --seeds --parallel --baseline --journal --wide --json --help' ;;
    advise) options='--policy --cluster --seed --seeds --format --assume --memory --strict --sort --json --help' ;;
    whatif) options='--no-stragglers --policy --workload --variation --cluster --jobs --seed --format --assume --memory --strict --sort --json --help' ;;
    workload) options='--jobs --scale --seed --stats --json --help' ;;
    trace) options='--format --assume --memory --strict --sort --variation --cluster --json --help' ;;
    model) options='--p --n --c --eps --mean --dev --alpha --json --help' ;;
    reproduce) options='--quick --json --csv --plots --report --fresh --store --parallel --experiments --list --help' ;;
    agents) options='--json --tasks --help' ;;
    agent) options='--connect --connect-file --tunnel --key-fd --key-file --name --scratch --linger --munge --cores --help' ;;
    esac
    COMPREPLY=()
    [[ $cur != -* ]] || COMPREPLY=($(compgen -W "$options" -- "$cur"))
}
complete -o default -F _dolly dolly
