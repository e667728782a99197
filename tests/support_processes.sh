# support_processes.sh - what the tests of several processes share: a small model and its data, and
# comparisons of runs. Sourced; the script that does so has set -u.
# shellcheck shell=sh
. tests/support.sh
[ -f "$(dirname "$PROGRAM")/attend-mpi.so" ] || { echo "skipped: attend-mpi.so was not built"; exit 77; }
case $BUILD in *sanitize*)
    # A sanitized plugin cannot be opened before its runtime, and Open MPI leaks.
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:detect_odr_violation=0" ;;
esac
job= # an mpirun or srun, which ends its processes
clean() {
    [ -z "$job" ] || kill "$job" 2> /dev/null
    rm -rf "$work"
}

awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    for (i = 0; i < 150; i++)
        printf "the %s sees the %s and the %s.<|endoftext|>\n", noun[i % 8 + 1], noun[(i * 3 + 1) % 8 + 1], noun[(i * 5 + 2) % 8 + 1]
}' > "$work/text.txt"
cat > "$work/config.json" << 'END'
{"family": "gpt2", "vocab_size": 50, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2}
END
settings="--config $work/config.json --batch 4 --accumulate 2 --length 16 --warmup 5 --dropout 0.2
    --eval-every 5 --save-every 10 --threads 1"
options="$settings --data $work/text.txt --steps 20"

losses() { # step, loss, held-out loss
    sed 's/.*"step":\([0-9]*\),"loss":\([^,]*\),\("held_out_loss":\([^,]*\)\)*.*/\1 \2 \4/' "$1/log.jsonl"
}
same_losses() { # two runs, what they are
    for name in "$1" "$2"; do losses "$work/$name" > "$work/$name.losses"; done
    [ "$(wc -l < "$work/$2.losses")" = 20 ] || fail "$3: one process writes the log, a line a step"
    paste -d ' ' "$work/$1.losses" "$work/$2.losses" | awk '
        NF != 4 && NF != 6 || $1 != $(NF / 2 + 1) { bad = 1 }
        { for (i = 2; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > 1e-5 || d < -1e-5) bad = 1 } }
        END { exit bad }' || fail "$3 within 1e-5: $(paste "$work/$1.losses" "$work/$2.losses" | tail -3)"
}

# A job of several processes that fails as one: with one sentence of ours, and a failure.
one_sentence() { # the sentence, then the command
    sentence=$1
    shift
    "$@" > "$work/out" 2>&1 && fail "expected a failure: $*"
    grep -q "$sentence" "$work/out" || fail "expected \"$sentence\": $(cat "$work/out")"
    [ "$(grep -c '^attend train: ' "$work/out")" = 1 ] || fail "one sentence: $(cat "$work/out")"
}
wait_for() { # a file, for ten seconds
    for tenth in $(seq 100); do
        [ -e "$1" ] && return
        sleep 0.1
    done
    fail "$1 did not come: $(cat "$work/out")"
}
last_step() {
    sed -n 's/.*"step": \([0-9]*\),.*/\1/p' "$1/last/state.json"
}
