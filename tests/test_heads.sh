#!/bin/sh
# The head of story-gpt2 that finds whose thing "her" and "his" mean, and what `attend heads` refuses.
set -u
. tests/support.sh
fails() { # exit status, part of the sentence, sentences, the other arguments
    status=$1
    words=$2
    printf '%s\n' "$3" > "$work/sentences"
    shift 3
    "$PROGRAM" heads --sentences "$work/sentences" "$@" > "$work/out" 2> "$work/err"
    found=$?
    [ $found = "$status" ] || fail "$*: status $found, expected $status: $(cat "$work/err")"
    grep -qF -e "$words" "$work/err" || fail "$*: expected \"$words\": $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "$*: prints nothing: $(cat "$work/out")"
}

# A column of the first head in the table, the one with the largest difference.
first() { awk -v column="$1" '$1 == "layer" { getline; print $column }' "$work/heads"; }

"$PROGRAM" heads --model story-gpt2 --sentences assets/corpus/pronouns.tsv > "$work/heads" || fail "heads"
cat "$work/heads"
grep -q '^50 sentences: loss of the right word ' "$work/heads" || fail "50 sentences"
preferred=$(sed -n 's/.*likelier than the wrong one in //p' "$work/heads")
[ "${preferred:-0}" -ge 48 ] || fail "the right word is likelier in $preferred of 50 sentences, expected 48"
[ "$(awk '$1 ~ /^[0-9]+$/ && NF == 7' "$work/heads" | wc -l)" = 16 ] || fail "4 layers of 4 heads"
awk -v right="$(first 3)" -v more="$(first 6)" 'BEGIN { exit !(right >= 0.75 && more >= 48) }' ||
    fail "a head has $(first 3) on the right word, more than on the wrong one in $(first 6), expected 0.75 and 48"
# No other head is missed as much.
awk -v loss="$(first 7)" '$1 ~ /^[0-9]+$/ && NF == 7 && $7 > loss { exit 1 }' "$work/heads" ||
    fail "another head is missed more"

tab=$(printf '\t')
fails 1 'sentences:2: expected a text, a tab, the word that follows' "# none
A cat had a hat. It lost its" --model story-single-small
fails 1 'sentences:1: expected a text, a tab' "A cat${tab}cat${tab}hat${tab}" --model story-single-small
fails 1 'sentences:1: expected a text, a tab' "A cat${tab}${tab}hat" --model story-single-small
fails 1 'sentences:1: expected "dog" as a word of the text' "A cat had a hat${tab}cat${tab}dog" --model story-single-small
fails 1 'sentences:1: expected "ca" as a word of the text' "A cat had a hat${tab}ca${tab}hat" --model story-single-small
fails 1 'sentences: expected a sentence' '# none' --model story-single-small
fails 1 'expected a language model, found an encoder-decoder' "dog run${tab}dog${tab}run" --model toy-copy
fails 1 'has no tokenizer; --tokenizer gives one' "dog run${tab}dog${tab}run" --model gpt2-tiny --untrained
fails 2 'expected options only, found "more"' '# none' --model story-single-small more
fails 2 '--model: expected' '# none'
"$PROGRAM" heads --model story-single-small 2> "$work/err" && fail "no file"
grep -q -e '--sentences: expected a file' "$work/err" || fail "no file: $(cat "$work/err")"
"$PROGRAM" heads --model story-single-small --sentences "$work/none" 2> "$work/err" && fail "a missing file"
grep -q 'none: cannot read: No such file' "$work/err" || fail "a missing file: $(cat "$work/err")"

# Models of other families, and untrained ones, have heads too.
printf 'Lily had a flute. Tom had a kite. She lost her\tflute\tkite\r\n' > "$work/one"
for model in story-single-small story-parallel-heads story-sequential-small; do
    "$PROGRAM" heads --model $model --untrained --sentences "$work/one" > "$work/out" 2> "$work/err" ||
        fail "$model: $(cat "$work/err")"
    grep -q '^1 sentence' "$work/out" || fail "$model: $(cat "$work/out")"
done
[ "$failed" = 0 ]
