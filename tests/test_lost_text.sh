#!/bin/sh
# Characters that a vocabulary lacks are counted by every command that reads a text, and a translation
# that is cut says so.
set -u
. tests/support.sh
says() { # how often, a part of the line, the command
    count=$1 line=$2
    shift 2
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null || fail "attend $*: failed: $(cat "$work/err")"
    [ "$(grep -c -- "$line" "$work/err")" = "$count" ] || fail "attend $*: expected \"$line\" $count times, found: $(cat "$work/err")"
}

lost='not in the vocabulary, now <unk>: 1, the first "狗"'
story='--model story-gpt2'
echo '狗 sat.' > "$work/text.txt"
printf 'Lily had a flute. Tom had a 狗 kite. She lost her\tflute\tkite\n' > "$work/clozes"
# shellcheck disable=SC2086 # words of their own
{
    says 1 "$lost" tokenize --tokenizer assets/tokenizers/story.tokenizer '狗'
    says 1 "$lost" generate $story --prompt '狗' --tokens 2
    says 1 'now <unk>: 3, the first "狗"' generate $story --prompt '狗' --prompt '猫狗' --tokens 2
    says 1 "$lost" trace $story --input '狗'
    says 1 "$lost" explain $story --input '狗 sat' 'logits[0,0,0]'
    says 1 "$lost" heatmap $story --input '狗 sat' -o "$work/out.csv"
    says 1 "$lost" eval $story --data "$work/text.txt"
    says 1 "$lost" heads $story --sentences "$work/clozes"
    says 0 'vocabulary' generate $story --prompt 'The cat' --tokens 2
}

sentence='the girl believes that the boy opened the door'
says 1 'text 1 ends at the limit of 4 tokens' translate --model toy-translate "$sentence" -n 4
says 1 'text 2 ends at the limit of 4 tokens' translate --model toy-translate 'the man sleeps' "$sentence" -n 4 --beam 3
says 0 'limit' translate --model toy-translate "$sentence"
says 0 'limit' translate --model toy-copy 'dog run'
says 0 'limit' translate --model toy-copy 'dog run' -n 2
says 1 'text 1 ends at the limit of 1 token,' translate --model toy-copy 'dog run' -n 1
[ "$failed" = 0 ]
