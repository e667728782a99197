#!/bin/sh
# Two processes train like one: the same losses, the same bits from run to run, and a dead one ends
# the job.
set -u
: "${PROGRAM:=./attend}" "${BUILD:=build}"
case $PROGRAM in /*) ;; *) PROGRAM=$PWD/$PROGRAM ;; esac
command -v mpirun > /dev/null || { echo "skipped: mpirun is missing"; exit 77; }
[ -f "$(dirname "$PROGRAM")/attend-mpi.so" ] || { echo "skipped: attend-mpi.so was not built"; exit 77; }
case $BUILD in *sanitize*)
    # A sanitized plugin cannot be opened before its runtime, and Open MPI leaks.
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:detect_odr_violation=0" ;;
esac
work=$(mktemp -d) || exit 1
job=
clean() {
    [ -z "$job" ] || kill "$job" 2> /dev/null
    rm -rf "$work"
}
trap clean EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}
run_two="mpirun --oversubscribe --bind-to none -np 2"
[ "$(id -u)" != 0 ] || run_two="$run_two --allow-run-as-root"
export OMPI_MCA_btl_vader_single_copy_mechanism=none

awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    for (i = 0; i < 150; i++)
        printf "the %s sees the %s and the %s.<|endoftext|>\n", noun[i % 8 + 1], noun[(i * 3 + 1) % 8 + 1], noun[(i * 5 + 2) % 8 + 1]
}' > "$work/text.txt"
cat > "$work/config.json" << 'END'
{"family": "gpt2", "vocab_size": 50, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2}
END
options="--config $work/config.json --data $work/text.txt --batch 4 --accumulate 2 --length 16
    --steps 20 --warmup 5 --dropout 0.2 --eval-every 5 --save-every 10 --threads 1"

# shellcheck disable=SC2086 # options are words
"$PROGRAM" train $options -o "$work/one" > "$work/out" 2>&1 || fail "one process: $(cat "$work/out")"
for name in two again; do
    # shellcheck disable=SC2086
    $run_two "$PROGRAM" train $options -o "$work/$name" > "$work/out" 2>&1 || {
        cat "$work/out"
        fail "two processes"
        exit 1
    }
done
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
same_losses one two "two processes have the losses of one"
same_losses two again "two runs have the same losses"
cmp -s "$work/two.losses" "$work/again.losses" || fail "two runs have the same losses"
cmp -s "$work/two/last/model.safetensors" "$work/again/last/model.safetensors" || fail "two runs have the same bits"

# However the eight sequences of a step are cut and shared, what dropout takes away is the same. Pairs
# are batched by length, and their rounds do not end with a whole step.
awk 'BEGIN { for (i = 0; i < 53; i++) {
    for (k = 0; k <= i % 9; k++) printf "w%d ", (i + k) % 7
    printf "\t"
    for (k = 0; k <= i * 5 % 11; k++) printf "v%d ", (i + k * k) % 7
    print "" } }' > "$work/pairs.tsv"
cat > "$work/pairs.json" << 'END'
{"family": "encoder-decoder", "vocab_size": 40, "d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32, "pad_id": 0, "bos_id": 1, "eos_id": 2}
END
pairs="--config $work/pairs.json --data $work/pairs.tsv --length 16 --steps 20 --warmup 5 --dropout 0.2
    --label-smoothing 0.1 --eval-every 5 --held-out 10 --threads 1"
# shellcheck disable=SC2086
"$PROGRAM" train $pairs --batch 8 -o "$work/whole" > "$work/out" 2>&1 || fail "pairs, one process: $(cat "$work/out")"
# shellcheck disable=SC2086
"$PROGRAM" train $pairs --batch 2 --accumulate 4 -o "$work/parts" > "$work/out" 2>&1 || fail "pairs, accumulated: $(cat "$work/out")"
# shellcheck disable=SC2086
$run_two "$PROGRAM" train $pairs --batch 4 --accumulate 2 -o "$work/shared" > "$work/out" 2>&1 || fail "pairs, two processes: $(cat "$work/out")"
same_losses whole parts "accumulated batches of pairs have the losses of one"
same_losses whole shared "two processes have the losses of one on pairs"

# What two have begun, one can go on with, and the other way round.
"$PROGRAM" train --resume --steps 24 --threads 1 -o "$work/two" > "$work/out" 2>&1 || fail "one goes on: $(cat "$work/out")"
# shellcheck disable=SC2086
$run_two "$PROGRAM" train --resume --steps 28 --threads 1 -o "$work/two" > "$work/out" 2>&1 || fail "two go on: $(cat "$work/out")"

# A batch that cannot be split is refused by all, with a sentence.
# shellcheck disable=SC2086
$run_two "$PROGRAM" train $options --batch 3 -o "$work/odd" > "$work/out" 2>&1 && fail "a batch of 3 is refused"
grep -q 'a batch of 3 sequences cannot be split among 2 processes' "$work/out" || fail "with a sentence: $(cat "$work/out")"

# A dead process ends the job, and the checkpoint stays.
# shellcheck disable=SC2086
$run_two "$PROGRAM" train $options --steps 1000000 -o "$work/dead" > "$work/out" 2>&1 & job=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -f "$work/dead/last/state.json" ] && break
    sleep 0.25
done
victim=$(ps -o pid= --ppid "$job" | tail -1)
kill -9 $victim
wait "$job" 2> /dev/null
status=$?
job=
[ "$status" != 0 ] || fail "a dead process ends the job with a failure"
grep -q -i 'signal 9\|killed' "$work/out" || fail "with a message: $(cat "$work/out")"
step=$(sed -n 's/.*"step": \([0-9]*\),.*/\1/p' "$work/dead/last/state.json")
"$PROGRAM" train --resume --steps "$((step + 2))" --threads 1 -o "$work/dead" > "$work/out" 2>&1 || fail "the checkpoint stays: $(cat "$work/out")"

# Slurm's tasks without PMIx would each be a run of one, in one folder.
# shellcheck disable=SC2086
SLURM_NTASKS=2 "$PROGRAM" train $options -o "$work/alone" > "$work/out" 2>&1 && fail "SLURM_NTASKS=2 alone is refused"
grep -q 'SLURM_NTASKS is 2 but this process was started alone' "$work/out" || fail "with a sentence: $(cat "$work/out")"
[ "$failed" = 0 ]
