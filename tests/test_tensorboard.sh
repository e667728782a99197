#!/bin/sh
# Reads our event files with the package tensorboard, where PYTHON (python3) has it: every scalar is
# that of log.jsonl, also of a run that was taken up again after its files had gone further.
set -u
python=${PYTHON:-python3}
if ! "$python" -c 'import tensorboard.backend.event_processing.event_accumulator' 2> /dev/null; then
    echo "skipped: tensorboard is not installed (pip install tensorboard)"
    exit 77
fi
. tests/support.sh
awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    for (i = 0; i < 200; i++)
        printf "the %s sees the %s.\n<|endoftext|>\n", noun[i * 7 % 8 + 1], noun[i * 5 % 8 + 1] }' > "$work/text.txt"
cat > "$work/config.json" << 'END'
{"family": "gpt2", "vocab_size": 60, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2}
END
run() { # options
    "$PROGRAM" train -o "$work/run" --threads 1 "$@" > "$work/out" 2>&1 || {
        cat "$work/out"
        exit 1
    }
}
run --config "$work/config.json" --data "$work/text.txt" --batch 2 --length 16 --steps 30 --eval-every 5 --save-every 10
"$python" tests/compare_tensorboard.py "$work/run" loss held_out_loss gradient_norm learning_rate tokens_per_second || exit 1
sleep 1.1 # a file's name has the second
run --resume-from 20 --steps 2000 --eval-every 100
"$python" tests/compare_tensorboard.py "$work/run" loss held_out_loss
