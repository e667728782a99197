#!/bin/sh
# Two processes train like one: the same losses, the same bits from run to run; they fail with one
# sentence, and a dead one ends the job.
set -u
command -v mpirun > /dev/null || { echo "skipped: mpirun is missing"; exit 77; }
. tests/support_processes.sh
mpirun="mpirun --oversubscribe --bind-to none"
[ "$(id -u)" != 0 ] || mpirun="$mpirun --allow-run-as-root"
run_two="$mpirun -np 2"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# shellcheck disable=SC2086 # options are words
train_two() { # options
    $run_two "$PROGRAM" train "$@" > "$work/out" 2>&1
}

# shellcheck disable=SC2086
"$PROGRAM" train $options -o "$work/one" > "$work/out" 2>&1 || fail "one process: $(cat "$work/out")"
for name in two again; do
    # shellcheck disable=SC2086
    train_two $options -o "$work/$name" || {
        cat "$work/out"
        fail "two processes"
        exit 1
    }
done
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
train_two $pairs --batch 4 --accumulate 2 -o "$work/shared" || fail "pairs, two processes: $(cat "$work/out")"
same_losses whole parts "accumulated batches of pairs have the losses of one"
same_losses whole shared "two processes have the losses of one on pairs"

# What two have begun, one can go on with, and the other way round.
"$PROGRAM" train --resume --steps 24 --threads 1 -o "$work/two" > "$work/out" 2>&1 || fail "one goes on: $(cat "$work/out")"
train_two --resume --steps 28 --threads 1 -o "$work/two" || fail "two go on: $(cat "$work/out")"

# What all see, what one sees, and what is wrong with the command: one sentence.
# shellcheck disable=SC2086
{
    one_sentence 'a batch of 3 sequences cannot be split among 2 processes' $run_two "$PROGRAM" train $options --batch 3 -o "$work/odd"
    one_sentence 'missing.txt: No such file' $run_two "$PROGRAM" train $settings --data "$work/missing.txt" -o "$work/odd"
    one_sentence 'missing.txt: No such file' $mpirun -np 1 "$PROGRAM" train $options -o "$work/odd" : -np 1 "$PROGRAM" train $settings --data "$work/missing.txt" -o "$work/odd"
    one_sentence 'unknown option "--no-such"' $run_two "$PROGRAM" train $options --no-such -o "$work/odd"
    one_sentence 'the loss is not a finite number' $run_two "$PROGRAM" train $options --optimizer sgd --lr 1e6 --clip 0 --warmup 0 -o "$work/odd"
}

# What is learned is decided by all alike.
for other in "--lr 0.5" "--steps 30" "--batch 8"; do
    # shellcheck disable=SC2086
    one_sentence 'process 1 of 2 has other settings than the first' \
        $mpirun -np 1 "$PROGRAM" train $options -o "$work/odd" : -np 1 "$PROGRAM" train $options $other -o "$work/odd"
done

# SIGUSR1 saves and goes on; SIGTERM saves and leaves: both reach the processes through mpirun.
# shellcheck disable=SC2086
$run_two --mca odls_base_sigkill_timeout 4 "$PROGRAM" train $settings --data "$work/text.txt" --save-every 0 --steps 1000000 -o "$work/signals" > "$work/out" 2>&1 & job=$!
wait_for "$work/signals/log.jsonl"
kill -USR1 "$job"
wait_for "$work/signals/last/state.json"
saved=$(last_step "$work/signals")
kill -TERM "$job"
wait "$job" && fail "a job that is ended is no success"
job=
[ "$(last_step "$work/signals")" -gt "$saved" ] || fail "SIGTERM saves: $(cat "$work/out")"
grep -q '^stopped after step' "$work/out" || fail "and leaves: $(cat "$work/out")"

# A dead process ends the job at whatever instant, and the checkpoint stays.
for delay in 0 0.3 1.1; do
    rm -rf "$work/dead"
    # shellcheck disable=SC2086
    $run_two "$PROGRAM" train $settings --data "$work/text.txt" --save-every 3 --steps 1000000 -o "$work/dead" > "$work/out" 2>&1 & job=$!
    wait_for "$work/dead/last/state.json"
    sleep "$delay"
    victim=$(ps -o pid= --ppid "$job" | tail -1)
    kill -9 $victim
    wait "$job" 2> /dev/null && fail "a dead process ends the job with a failure"
    job=
    grep -q -i 'signal 9\|killed' "$work/out" || fail "with a message: $(cat "$work/out")"
    step=$(last_step "$work/dead")
    "$PROGRAM" train --resume --steps "$((step + 2))" --threads 1 -o "$work/dead" > "$work/out" 2>&1 || fail "the checkpoint stays: $(cat "$work/out")"
done

# Launchers that Open MPI cannot use would start runs of one, in one folder: the first task says so.
for task in 0 1; do
    # shellcheck disable=SC2086
    SLURM_NTASKS=2 SLURM_PROCID=$task "$PROGRAM" train $options -o "$work/alone" > "$work/out.$task" 2>&1 && fail "SLURM_NTASKS=2 alone is refused"
done
grep -q 'SLURM_NTASKS is 2 but this process was started alone' "$work/out.0" || fail "with a sentence: $(cat "$work/out.0")"
[ -s "$work/out.1" ] && fail "the others are silent: $(cat "$work/out.1")"
[ "$failed" = 0 ]
