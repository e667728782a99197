#!/bin/sh
# Every command that reads texts has --special and --pattern, and heeds them.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD
export ATTEND_ASSETS
run() { # exit status, then a command
    expected=$1
    shift
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err"
    status=$?
    [ $status = "$expected" ] || fail "attend $*: exit $status, expected $expected: $(head -c 200 "$work/err")"
}
for command in 'trace --model toy-copy' 'explain --model toy-copy' 'heatmap --model toy-copy' 'tokenize -t none' \
    'generate --model toy-copy' 'translate --model toy-copy' 'eval --model toy-copy' 'heads --model gpt2-tiny' 'train -o none'; do
    for option in special pattern; do
        "$PROGRAM" ${command%% *} --help | grep -q -- "--$option " || fail "attend $command has no --$option"
        run 2 $command --$option none
        grep -q -- "--$option: expected" "$work/err" || fail "attend $command --$option none: $(head -c 200 "$work/err")"
    done
done
cd "$work" || exit 1
# <s> is a token of the toy's words, and as text none of them.
both() { # a command: works as it is, and as text says that the word is not known
    run 0 "$@"
    run 1 "$@" --special text
    grep -q 'the word "<s>" is not known' "$work/err" || fail "attend $*: $(head -c 200 "$work/err")"
}
"$PROGRAM" convert toy-copy toy 2> "$work/err" || fail "convert: $(cat "$work/err")"
printf 'cat <s> dog\tcat dog\n' > pairs.tsv
both tokenize -t toy/model.tokenizer 'cat <s>'
both trace --model toy-copy --input 'cat <s>' --stage memory
both explain --model toy-copy --input 'cat <s>' 'memory[0,0,0]'
both heatmap --model toy-copy --input 'cat <s>' --layer 0 --head 0 -o picture.svg
both translate --model toy 'cat <s>'
both eval --model toy --data pairs.tsv
printf '{"family": "gpt2", "vocab_size": 8, "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 16}' > config.json
both generate --model "$(mkdir words && cp config.json toy/model.tokenizer words && echo words)" --untrained \
    --prompt 'cat <s>' --tokens 1
for i in 1 2 3 4 5 6 7 8; do printf 'cat <s> dog run eat sleep cat dog run\n\n'; done > texts
# A run keeps the rule with its tokenizer, and does not take another when it goes on.
train='train --config config.json --tokenizer toy/model.tokenizer --data texts --paragraphs --held-out 0 --batch 1 --length 4'
run 0 $train --steps 1 -o run
run 0 train --resume --steps 2 --special token -o run
run 1 train --resume --steps 3 --special text -o run
grep -q 'the run was started with token' "$work/err" || fail "another rule on resume: $(cat "$work/err")"
run 1 $train --steps 1 --special text -o other
grep -q 'the word "<s>" is not known' "$work/err" || fail "train --special text: $(cat "$work/err")"
run 1 generate --model gpt2-tiny --untrained --prompt-ids 1 --special text
grep -q 'has no tokenizer' "$work/err" || fail "--special without a tokenizer: $(cat "$work/err")"
# A rank file that does not say how its text is split: it is said what is assumed, and --pattern chooses.
i=0
while [ $i -lt 128 ]; do
    printf "$(printf '\\%03o' $i)" | base64 | sed "s/\$/ $i/"
    i=$((i + 1))
done > own.tiktoken
run 0 tokenize -t own.tiktoken 'a1234'
grep -q "as GPT-2's is; --pattern P chooses" "$work/err" || fail "tokenize says no pattern: $(cat "$work/err")"
run 0 tokenize -t own.tiktoken --pattern cl100k 'a1234'
[ ! -s "$work/err" ] || fail "tokenize --pattern: $(cat "$work/err")"
mkdir ranks && cp own.tiktoken ranks && sed 's/: 8,/: 128,/' config.json > ranks/config.json
for command in "generate --prompt a --tokens 1" "eval --data texts --length 8" "trace --input a --stage logits" \
    "explain --input a logits[0,0,0]" "heatmap --input a --layer 0 --head 0 -o picture.svg"; do
    run 0 ${command%% *} --model ranks --untrained ${command#* }
    grep -q "as GPT-2's is; --pattern P chooses" "$work/err" || fail "$command says no pattern: $(cat "$work/err")"
    run 0 ${command%% *} --model ranks --untrained ${command#* } --pattern cl100k
    ! grep -q "GPT-2's" "$work/err" || fail "$command --pattern: $(cat "$work/err")"
done
# It goes along when the model is converted, and the learning screen reads it by the same options.
run 0 convert ranks --untrained ranks-copy
cmp -s ranks-copy/own.tiktoken own.tiktoken || fail "convert leaves the rank file behind: $(ls ranks-copy)"
for rule in '' ' --special text' ' --pattern cl100k'; do
    printf 'open ranks --untrained --input abc%s\nstate\nquit\n' "$rule" | "$PROGRAM" learn 13 --plain > out 2>&1
    ! grep -q '^!' out || fail "open ranks$rule: $(grep '^!' out | head -2)"
done
printf 'open ranks --untrained --input abc --special none\nquit\n' | "$PROGRAM" learn 13 --plain > out 2>&1
grep -q -e '--special: expected token or text' out || fail 'open with --special none is taken'
# Where a rank file has no token that ends a text, the model's stands behind each of them.
sed 's/: 8,/: 128, "eos_token_id": 3,/; s/gpt2"/gpt2", "model_type": "gpt2"/' config.json > ends.json
printf 'abcdefgh\n\nabcd\n\nabcdefghijkl\n\nab\n' > parts
for end in ends.json none; do
    [ $end = ends.json ] || sed 's/"eos_token_id": 3, //' ends.json > none
    run 0 train --config $end --tokenizer own.tiktoken --data parts --paragraphs --held-out 0 --batch 1 --length 4 --steps 1 -o run-$end
    grep -qi "as GPT-2's is" "$work/err" || fail "train says no pattern: $(cat "$work/err")"
    expected=26
    [ $end = none ] || expected=30
    grep -q "data: $expected tokens in 4 texts" "$work/err" "$work/out" || fail "$end: expected $expected tokens: $(grep data: "$work/err")"
done
[ "$failed" = 0 ]
