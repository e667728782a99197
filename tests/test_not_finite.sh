#!/bin/sh
# Numbers that are not finite, or that float32 or a narrower type cannot hold, are told in a sentence.
set -u
. tests/support.sh
says() { # exit status, a part of the line, the command
    status=$1 line=$2
    shift 2
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null
    found=$?
    [ "$found" = "$status" ] || fail "attend $*: status $found, expected $status: $(cat "$work/err")"
    grep -qF -- "$line" "$work/err" || fail "attend $*: expected \"$line\", found: $(cat "$work/err")"
}

nan="$work/nan"
"$PROGRAM" convert story-gpt2 "$nan" --dtype f32 2> "$work/err" || fail "convert: $(cat "$work/err")"
! grep -q 'written as' "$work/err" || fail "nothing is lost: $(cat "$work/err")"
printf 'Lily had a flute. Tom had a kite. She lost her\tflute\tkite\n' > "$work/clozes"
for value in nan inf; do
    python3 tests/set_weight.py "$nan/model.safetensors" transformer.ln_f.bias 3 $value
    says 1 'the loss is not a finite number' eval --model "$nan" --data "$work/clozes" --data-format text
    says 1 'the loss is not a finite number' heads --model "$nan" --sentences "$work/clozes"
    [ ! -s "$work/out" ] || fail "heads prints numbers: $(cat "$work/out")"
    says 0 "1 number not finite, written as they are; the first, number 3 of transformer.ln_f.bias, is $value" \
        convert "$nan" "$work/bf16-$value" --dtype bf16
done
python3 tests/set_weight.py "$nan/model.safetensors" transformer.ln_f.bias 3 nan
"$PROGRAM" explain --model "$nan" --ids 1,5,4 'loss[]' > "$work/out" || fail 'explain of NaN'
! grep -q -e '-nan' "$work/out" || fail "NaN has no sign: $(cat "$work/out")"
says 0 'some of its numbers are NaN' heatmap --model "$nan" --ids 1,5,4 --stage ln_f -o "$work/x.csv"
! grep -q -e '-nan' "$work/x.csv" || fail 'NaN has no sign in a .csv'

python3 tests/set_weight.py "$nan/model.safetensors" transformer.ln_f.bias 3 3e-9
says 0 'too small for f16 (below 3e-8), written as 0; the first, number 3 of transformer.ln_f.bias, is 3e-09' \
    convert "$nan" "$work/f16" --dtype f16

# The learning screen keeps a number that is typed, or says that it cannot.
edit() { # language, number, what is said
    printf 'open toy-copy\ngo src.input\ncell src.input[0,0,0]\nedit %s\n' "$2" |
        "$PROGRAM" learn 13 --plain --lang "$1" > "$work/out" 2>&1
    grep -qF -- "$3" "$work/out" || fail "edit $2: expected \"$3\", found: $(tail -5 "$work/out")"
}
for number in 1e39 -1e39 1e-46 -1e-60; do
    edit en $number "float32 cannot hold $number"
    edit zh $number "float32 存不下 $number"
done
edit en 1e-45 'is now 1e-45'
edit en 0 'is now 0'
[ "$failed" = 0 ]
