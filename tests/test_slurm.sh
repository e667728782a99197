#!/bin/sh
# `srun --mpi=pmix` starts processes that train like one and answer Slurm's signals; srun without PMIx
# is refused with one sentence.
set -u
command -v srun > /dev/null || { echo "skipped: srun is missing"; exit 77; }
timeout 5 srun -n 1 true > /dev/null 2>&1 || { echo "skipped: srun -n 1 true does not work here"; exit 77; }
srun --mpi=list 2>&1 | grep -q pmix || { echo "skipped: this Slurm has no PMIx"; exit 77; }
. tests/support_processes.sh
run_two="srun -Q -n 2 --overcommit --mpi=pmix"
step_of_job() { # the job that srun has begun
    squeue -h -s -o %i -n attend | tail -1
}

# shellcheck disable=SC2086 # options are words
{
    "$PROGRAM" train $options -o "$work/one" > "$work/out" 2>&1 || fail "one process: $(cat "$work/out")"
    $run_two "$PROGRAM" train $options -o "$work/two" > "$work/out" 2>&1 || fail "two processes: $(cat "$work/out")"
}
same_losses one two "srun's two processes have the losses of one"

# shellcheck disable=SC2086
{
    for mpi in none pmi2; do
        one_sentence 'SLURM_NTASKS is 2 but this process was started alone' srun -Q -n 2 --overcommit --mpi=$mpi "$PROGRAM" train $options -o "$work/odd"
        [ ! -e "$work/odd" ] || fail "nothing is written"
    done
    one_sentence 'missing.txt: No such file' $run_two "$PROGRAM" train $settings --data "$work/missing.txt" -o "$work/odd"
}

# scancel: USR1 saves and goes on, TERM (a time limit's, too) saves and leaves.
# shellcheck disable=SC2086
$run_two "$PROGRAM" train $settings --data "$work/text.txt" --save-every 0 --steps 1000000 -o "$work/signals" > "$work/out" 2>&1 & job=$!
wait_for "$work/signals/log.jsonl"
scancel --signal=USR1 "$(step_of_job)"
wait_for "$work/signals/last/state.json"
saved=$(last_step "$work/signals")
scancel --signal=TERM "$(step_of_job)"
wait "$job"
status=$?
job=
[ "$status" = 143 ] || fail "the exit status says so: $status"
[ "$(last_step "$work/signals")" -gt "$saved" ] || fail "SIGTERM saves: $(cat "$work/out")"

# A dead process ends the job, and the checkpoint stays.
# shellcheck disable=SC2086
$run_two "$PROGRAM" train $settings --data "$work/text.txt" --save-every 3 --steps 1000000 -o "$work/dead" > "$work/out" 2>&1 & job=$!
wait_for "$work/dead/last/state.json"
victim=$(scontrol listpids "$(step_of_job)" | awk '$5 == 1 { print $1 }')
kill -9 "$victim" || fail "no process of that rank"
wait "$job" && fail "a dead process ends the job with a failure"
job=
"$PROGRAM" train --resume --steps "$(($(last_step "$work/dead") + 2))" --threads 1 -o "$work/dead" > "$work/out" 2>&1 || fail "the checkpoint stays: $(cat "$work/out")"
[ "$failed" = 0 ]
