#!/bin/sh
# What is given to a command and has no effect there is refused, or named where only the model tells.
set -u
. tests/support.sh

idle() { # the option, then the command that it has no effect on
    name=$1
    shift
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null
    found=$?
    [ "$found" = 2 ] || fail "attend $*: expected exit 2, found $found"
    grep -q -- "$name has no effect on" "$work/err" || fail "attend $*: expected that $name has no effect, found: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "attend $*: wrote to standard output"
}

named() { # the option, then the command
    name=$1
    shift
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null || fail "attend $*: failed: $(cat "$work/err")"
    grep -q -- "$name has no effect" "$work/err" || fail "attend $*: expected that $name has no effect, found: $(cat "$work/err")"
}

silent() {
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null || fail "attend $*: failed: $(cat "$work/err")"
    ! grep -q 'no effect' "$work/err" || fail "attend $*: $(cat "$work/err")"
}

echo 'the cat sees the dog' > "$work/text.txt"
echo '{"text": "the cat sees the dog"}' > "$work/text.jsonl"
printf 'the girl\tla fille\n' > "$work/pairs.tsv"
for option in '--field x' '--beam 3' '--length-penalty 3' '--bleu' '--no-bleu'; do
    # shellcheck disable=SC2086 # words of their own
    idle "$(echo "${option%% *}" | sed 's/--no-/--/')" eval --model story-gpt2 --data "$work/text.txt" $option
done
for option in '--separator X' '--paragraphs' '--beam 3' '--length-penalty 3' '--bleu'; do
    # shellcheck disable=SC2086
    idle "${option%% *}" eval --model story-gpt2 --data "$work/text.jsonl" $option
done
for option in '--separator X' '--paragraphs' '--field x' '--length 3'; do
    for data in translate "$work/pairs.tsv"; do
        # shellcheck disable=SC2086
        idle "${option%% *}" eval --model toy-translate --data "$data" $option
    done
done
idle --beam eval --model toy-translate --data translate --no-bleu --beam 2
named --seed eval --model toy-translate --data translate --limit 2 --seed 5
idle --length-penalty eval --model toy-translate --data translate --limit 2 --length-penalty 3
idle --length-penalty translate --model toy-translate 'the man sleeps' --length-penalty 3
silent translate --model toy-translate 'the man sleeps' --length-penalty 3 --explain
silent translate --model toy-translate 'the man sleeps' --length-penalty 3 --beam 2
silent eval --model toy-translate --data translate --limit 2 --beam 2 --length-penalty 1

for option in '--format pieces' '--steps' '--special text' '--pattern gpt2' '--whole'; do
    # shellcheck disable=SC2086
    idle "${option%% *}" tokenize --tokenizer assets/tokenizers/plane.tokenizer --decode $option 4
done
idle --whole tokenize --tokenizer assets/tokenizers/plane.tokenizer cat --whole
idle --top-k generate --model story-gpt2 --prompt the -t 0 -k 4
idle --top-p generate --model story-gpt2 --prompt the -t 0 --top-p .3
named --seed generate --model story-gpt2 --prompt the -t 0 --tokens 2 --seed 3
silent generate --model story-gpt2 --prompt the --tokens 2 --seed 3
idle --lr explain --model toy-copy --ids 1,5,4 'memory[0,0,0]' --lr 5
idle --lang explain --model toy-copy --ids 1,5,4 'memory[0,0,0]' --lang zh
idle --all explain softmax --all
idle --lr explain --terms --lr 1
named --steps tokenize --tokenizer assets/tokenizers/plane.tokenizer --steps inner
idle --input explain softmax --input dog
silent explain --model toy-copy --ids 1,5,4 'update.generator.bias[0]' --lr 1
named --seed explain --model toy-copy --ids 1,5,4 'memory[0,0,0]' --seed 4
named --seed trace --model toy-copy --input 'dog run' --seed 4
silent trace --model toy-copy --input 'dog run' --seed 4 --untrained
named --seed heatmap --model toy-copy --input 'dog run' --seed 4 -o "$work/out.csv"
named --seed translate --model toy-copy 'dog run' -s 3
for command in lessons version devices; do
    "$PROGRAM" "$command" foo > "$work/out" 2> "$work/err"
    [ $? = 2 ] || fail "$command takes a word that it does not read"
done
[ "$failed" = 0 ]
