#!/bin/sh
# test_awkward.sh - the program on a device whose memory nobody may touch but its queue: training with
# checkpoints, generation, translation, traces and edits in the learning screen have the CPU's bits.
set -u
. tests/support.sh
mkdir -p "$work/bin"
cp "$PROGRAM" "$work/bin/attend"
cp "$BUILD/tests/attend-awkward.so" "$work/bin/"
attend=$work/bin/attend

"$attend" trace --model toy-copy --ids 1,5,4 --device auto > "$work/out" 2> "$work/err" || fail "auto goes on with the CPU"
grep -q 'the CPU computes' "$work/err" || fail "auto says that the CPU computes: $(cat "$work/err")"
"$attend" trace --model toy-copy --ids 1,5,4 --device cuda > "$work/out" 2> "$work/err"
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] || fail "cuda without a plugin is one sentence: $(cat "$work/err")"

"$attend" bench --device auto trace > "$work/out" 2> "$work/err" || fail "bench --device auto goes on with the CPU"
[ "$(grep -c 'the CPU computes' "$work/err")" = 1 ] || fail "bench says once that the CPU computes: $(cat "$work/err")"
"$attend" bench --device awkward toy > "$work/out" 2>&1 || fail "bench on the awkward device: $(cat "$work/out")"
echo quit | "$attend" learn 13 --plain --lang en --device auto > "$work/out" 2>&1 || fail "learn --device auto goes on"
tr '\n' ' ' < "$work/out" | grep -q 'the CPU computes' || fail "learn says that the CPU computes"
for command in 'learn 13 --plain' 'bench toy'; do
    echo quit | "$attend" $command --device cuda > "$work/out" 2> "$work/err"
    [ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] || fail "$command: cuda without a plugin is one sentence: $(cat "$work/err")"
    "$attend" $command --device ../abacus > "$work/out" 2> "$work/err" < /dev/null
    [ $? = 2 ] || fail "$command: what names no device is a wrong option"
done

same() { # what, files of the two devices
    cmp -s "$work/cpu.$2" "$work/awkward.$2" || fail "$1: other bits than the CPU's"
}

stories 60 6 > "$work/text.txt"
for device in cpu awkward; do
    run=$work/run.$device
    "$attend" train --preset gpt2-tiny --data "$work/text.txt" --steps 6 --batch 2 --accumulate 3 --length 32 --clip 0.05 \
        --dropout 0.1 --eval-every 3 --sample-every 3 --save-every 3 --device $device -o "$run" > "$work/out" 2>&1 ||
        fail "train on $device: $(tail -3 "$work/out")"
    "$attend" train --resume --steps 9 --device $device -o "$run" > "$work/out" 2>&1 ||
        fail "resume on $device: $(tail -3 "$work/out")"
    cat "$run"/step-*/model.safetensors "$run"/step-*/optimizer.safetensors > "$work/$device.weights"
    grep -o '"\(loss\|norm\|held_out[a-z_]*\)":[^,}]*' "$run/log.jsonl" > "$work/$device.losses"
    for weights in f32 int8; do
        "$attend" generate --model "$run" --prompt 'the cat sees' --prompt 'the dog' --tokens 12 --temperature 0.8 --seed 3 \
            --weights $weights --device $device 2>&1 | grep -v 'tokens/s' >> "$work/$device.generated"
    done
    "$attend" translate --model toy-translate --beam 3 --device $device 'the dog sees the cat' > "$work/$device.translated" 2>&1
    "$attend" eval --model "$run" --data "$work/text.txt" --device $device 2>&1 | grep -v 'tokens/s' > "$work/$device.eval"
    "$attend" trace --model toy-copy --ids '1,5,4;1,3,6' --grad --format json --device $device -o "$work/$device.json" 2>&1 ||
        fail "trace on $device"
    "$attend" explain --model toy-copy --ids '1,5,4;1,3,6' --device $device 'encoder.0.self_attn.weights[0,1,2,0]' > "$work/$device.explained" 2>&1
    printf '%s\n' 'go encoder.0.self_attn.scores' 'cell encoder.0.self_attn.scores[0,1,2,0]' 'edit 2.5' 'L' 'undo' 'train 5' \
        'go update.generator.weight' 'mask off' 'decode' quit > "$work/commands"
    { echo 'open toy-copy --ids "1,5,4;1,3,6" --seed 1 --untrained'; cat "$work/commands"; } |
        "$attend" learn 13 --plain --lang en --device $device 2>&1 | sed 's/--device [a-z]*//; s/[0-9,.]* tokens\/s//' > "$work/$device.plain"
    "$attend" learn --picture "$work/$device.png" --at "13@1|open toy-copy --seed 1 --device $device|go encoder.0.self_attn.scores|cell encoder.0.self_attn.scores[0,1,2,0]|edit 2.5|go loss" \
        > "$work/out" 2>&1 < /dev/null || fail "an edit in the learning screen on $device: $(cat "$work/out")"
done
for test in test_reference test_generate test_beam test_checkpoint test_playground; do
    ATTEND_TEST_DEVICE=awkward "$BUILD/tests/$test" > "$work/out" 2>&1 ||
        fail "$test on awkward: $(grep -a FAILED "$work/out" | head -3)"
done
[ -s "$work/cpu.weights" ] && [ -s "$work/cpu.losses" ] && [ -s "$work/cpu.plain" ] || fail "something was compared"
same 'a training run with accumulation and checkpoints' weights
same 'its losses and norms' losses
same generation generated
same translation translated
same evaluation eval
same 'a trace with gradients' json
same 'an explanation' explained
same 'the learning screen without a terminal' plain
same 'the picture of an edit in the learning screen' png
[ "$failed" = 0 ]
