#!/bin/sh
# Support vectors, their weights and decision values as libsvm's own svm-train and svm-predict have them on the same
# points; what cannot be fitted or is not there ends in a sentence.
set -u
. tests/support.sh
[ -f "$(dirname "$PROGRAM")/attend-svm.so" ] || { echo "skipped: attend-svm.so was not built (package libsvm-dev)"; exit 77; }

refused() { # words of the sentence, arguments
    words=$1
    shift
    "$PROGRAM" "$@" > "$work/out" 2>&1 && fail "$* was not refused"
    grep -q "$words" "$work/out" || fail "$*: $(cat "$work/out")"
    [ "$(wc -l < "$work/out")" = 1 ] || fail "$*: more than a sentence: $(cat "$work/out")"
}
refused 'lie in the same place, 0.5,0.5' trace --model svm-gaussian --input '0.5,0.5 0.1,0.2 0.5,0.5' --target 'inner inner outer'
refused 'one --input and its --target' trace --model svm-polynomial --input '0.5,0.5 0.1,0.2'
refused 'one --input and its --target' trace --model svm-polynomial --ids '5,6;7,8' --target-ids '0,1;0,1'
refused 'no point has a class' trace --model svm-polynomial --ids '5,6' --target-ids '-1,-1'
refused 'id 5 is no class, expected 0 to 1' trace --model points-linear --ids '5,6' --target-ids '0,5'
refused 'id 1 is no point, expected 2 to 1682' trace --model points-linear --ids '5,1' --target-ids '0,1'
refused 'expected 2 labels, one for each point, found 1' trace --model points-linear --input '0.5,0.5 0.1,0.2' --target inner
refused 'writes no text' generate --model points-linear --prompt '0.5,0.5'
refused 'writes no text' train --preset svm-gaussian --data README.md -o "$work/run"
refused 'writes no text' eval --model points-features --data README.md

# Points of one class: everything is of that class.
"$PROGRAM" trace --model svm-gaussian --input '0.5,0.5 0.1,0.2' --target 'outer outer' --stage decision > "$work/out" 2>&1 || fail "one class: $(cat "$work/out")"
[ "$(grep -c ' 1$' "$work/out")" = 2 ] || fail "one class: $(cat "$work/out")"

# Without the plugin everything else works.
mkdir "$work/alone"
cp "$PROGRAM" "$work/alone/attend"
ATTEND_ASSETS=$PWD "$work/alone/attend" trace --model points-features > "$work/out" 2>&1 || fail "without attend-svm.so: $(cat "$work/out")"
ATTEND_ASSETS=$PWD "$work/alone/attend" trace --model svm-gaussian > "$work/out" 2>&1 && fail "it was fitted without attend-svm.so"
grep -q 'attend-svm.so: expected beside the program' "$work/out" || fail "without attend-svm.so: $(cat "$work/out")"

for tool in svm-train svm-predict; do
    command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed (package libsvm-tools)"; exit 77; }
done
python3 tests/compare_svm.py "$PROGRAM" "$work" || fail "other numbers than those of libsvm's own programs"
[ "$failed" = 0 ]
