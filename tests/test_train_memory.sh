#!/bin/sh
# What `attend train --dry-run` says is what a run takes, and it grows with the length alone.
set -u
. tests/support.sh
case $BUILD in
*sanitize*)
    echo "skipped: a sanitizer's memory is not the program's"
    exit 77
    ;;
esac

# Text of about 200 kB.
awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    split("sees likes finds hides", verb, " ")
    for (i = 0; i < 1200; i++) {
        for (k = 0; k < 6; k++)
            printf "the %s %s the %s. ", noun[(i * 7 + k * 3) % 8 + 1], verb[(i + k) % 4 + 1], noun[(i * 5 + k * i) % 8 + 1]
        print "<|endoftext|>"
    } }' > "$work/text.txt"
cat > "$work/long.json" << 'END'
{"family": "gpt2", "vocab_size": 64, "n_positions": 2048, "n_embd": 256, "n_head": 4, "n_layer": 3}
END

# In KiB: what was said and what was found.
said() {
    "$PROGRAM" train "$@" --dry-run | awk '/^peak/ { print int($5 / 1024) }'
}
found() {
    rm -rf "$work/run"
    "$PROGRAM" train "$@" -o "$work/run" > "$work/out" 2>&1 || cat "$work/out" >&2
    sed -n 's/.*peak memory \([0-9.]*\) MiB.*/\1/p' "$work/out" | awk '{ kib = int($1 * 1024) } END { print kib + 0 }'
}
tenth() { # arguments of train
    plan=$(said "$@")
    peak=$(found "$@")
    echo "$*: said $plan KiB, found $peak KiB"
    [ "$((peak * 10))" -le "$((plan * 11))" ] && [ "$((peak * 10))" -ge "$((plan * 9))" ] ||
        fail "$*: --dry-run said $plan KiB, the run's peak was $peak KiB"
}

tenth --preset toy-copy
tenth --preset toy-translate --steps 800
tenth --preset gpt2-tiny --data "$work/text.txt" --steps 500
tenth --preset gpt2-tiny --data "$work/text.txt" --steps 80 --batch 32 --length 128 --accumulate 2 --threads 1
# Attention weights that are dropped are stored, and the plan says how many bytes of the tape they are.
dropped="--preset gpt2-tiny --data $work/text.txt --steps 60 --batch 16 --length 256 --dropout 0.1"
# shellcheck disable=SC2086 # options are words
tenth $dropped
# shellcheck disable=SC2086
weights=$("$PROGRAM" train $dropped --dry-run | sed -n 's/^  attention weights *\([0-9]*\) bytes.*/\1/p')
stored=$((2 * 3 * 16 * 3 * 256 * 256 * 4)) # weights and dropped ones, of each layer
{ [ "${weights:-0}" -ge $stored ] && [ "$weights" -le $((stored * 11 / 10)) ]; } || fail "attention weights: \"$weights\" bytes"
"$PROGRAM" train --preset gpt2-tiny --dry-run | grep -q '^  attention' && fail 'none are stored without dropout'
tenth --preset story-single-small --data "$work/text.txt" --steps 80
cp -rL "$work/run/last" "$work/tokenizer"
tenth --preset story-single-small --data "$work/text.txt" --steps 80 --tokenizer "$work/tokenizer"

# Pairs of many lengths: the plan is of the longest batch that their file has.
cat > "$work/pairs.json" << 'END'
{"family": "encoder-decoder", "vocab_size": 64, "d_model": 64, "n_heads": 4, "n_layers": 2, "d_ff": 256,
 "pad_id": 0, "bos_id": 1, "eos_id": 2}
END
awk 'BEGIN { for (i = 0; i < 2000; i++) {
    for (k = 0; k < 1 + i % 17; k++) printf "w%d ", (i + k * k) % 9
    printf "\t"
    for (k = 0; k < 1 + i * 7 % 17; k++) printf "v%d ", (i * k) % 9
    print "" } }' > "$work/pairs.tsv"
for length in 14 40; do
    tenth --config "$work/pairs.json" --data "$work/pairs.tsv" --batch 64 --length $length --steps 150 --warmup 5
done

# Twice the length adds as much as there was: nothing of the square of the length is kept.
long="--config $work/long.json --data $work/text.txt --batch 1 --steps 2 --threads 2"
# shellcheck disable=SC2086 # options are words
{
    one=$(found $long --length 512)
    two=$(found $long --length 1024)
    four=$(found $long --length 2048)
}
echo "1 x 512, 1024, 2048: $one, $two, $four KiB"
[ "$((four - two))" -le "$(((two - one) * 22 / 10))" ] && [ "$((four - two))" -ge "$(((two - one) * 17 / 10))" ] ||
    fail "the peak does not grow with the length alone: $one, $two, $four KiB"
[ "$failed" = 0 ]
