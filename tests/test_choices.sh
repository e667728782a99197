#!/bin/sh
# An option that takes one of a few words: any other is wrong usage (exit 2), the sentence names the
# words and what was found, and it comes before anything is opened or made.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD HOME=$work XDG_STATE_HOME=$work
export ATTEND_ASSETS HOME XDG_STATE_HOME
stories 20 3 > "$work/text"
ids='--model toy-copy --ids 1,5,4'
base() { # of a command: arguments with which it would work
    case $1 in
    learn) echo 1 --plain ;;
    trace) echo $ids --stage memory ;;
    explain) echo $ids 'memory[0,0,0]' ;;
    heatmap) echo $ids --layer 0 --head 0 -o picture.svg ;;
    inspect) echo toy-copy ;;
    tokenize) echo -t "$work/text.model" one ;;
    'tokenizer train') echo --data "$work/text" --vocab-size 60 -o words.model ;;
    train) echo --preset toy-copy --steps 1 --batch 2 -o run ;;
    'train --watch') echo -o run ;;
    generate) echo --model gpt2-tiny --untrained --prompt-ids 1 --tokens 1 ;;
    translate) echo --model toy-copy --source-ids 1,5,4 ;;
    eval) echo --model toy-copy --data translate --limit 2 ;;
    heads) echo --model story-single-small --sentences "$work/text" ;;
    convert) echo --untrained toy-copy copy ;;
    bench) echo toy ;;
    esac
}
# Command, option, a few of its words.
cat > "$work/choices" <<'END'
learn --lang en zh
learn --theme dark light
learn --color 16 256
learn --device cpu cuda
trace --format json npy
trace --device cpu cuda
trace --special token text
trace --pattern gpt2 cl100k
explain --device cpu cuda
explain --special token text
explain --pattern gpt2 cl100k
heatmap --palette viridis gray
heatmap --scale linear row
heatmap --device cpu cuda
heatmap --special token text
heatmap --pattern gpt2 cl100k
inspect --format text json
tokenize --format pieces ids
tokenize --special token text
tokenize --pattern gpt2 cl100k
tokenizer train --normalization identity nmt_nfkc
train --device cpu cuda
train --special token text
train --pattern gpt2 cl100k
train --optimizer adamw sgd
train --schedule cosine linear
train --format tsv jsonl
train --watch --theme dark light
train --watch --color 16 256
train --watch --lang en zh
generate --weights bf16 int8
generate --device cpu cuda
generate --special token text
generate --pattern gpt2 cl100k
translate --weights bf16 int8
translate --device cpu cuda
translate --special token text
translate --pattern gpt2 cl100k
eval --data-format jsonl tsv
eval --format text json
eval --device cpu cuda
eval --special token text
eval --pattern gpt2 cl100k
heads --device cpu cuda
heads --special token text
heads --pattern gpt2 cl100k
convert --dtype f16 bf16
convert --pattern gpt2 cl100k
bench --format text json
END
mkdir "$work/empty"
cd "$work/empty" || exit 1
while read -r line; do
    command=${line%% --*}
    case $line in 'train --watch'*) command='train --watch' ;; esac
    rest=${line#"$command "}
    option=${rest%% *}
    words=${rest#* }
    "$PROGRAM" $command $(base "$command") $option nosuch > ../out 2> ../err < /dev/null
    status=$?
    said="attend $command $option nosuch"
    [ $status = 2 ] || fail "$said: exit $status: $(head -c 200 ../err)"
    for word in $words nosuch; do
        grep -q -e "$word" ../err || fail "$said: \"$word\" is missing: $(head -c 300 ../err)"
    done
    [ -z "$(ls -A)" ] || fail "$said: left $(ls -A)"
    rm -rf -- *
done < "$work/choices"
# Every option whose help says what it chooses among is tried.
for command in learn trace explain heatmap inspect tokenize 'tokenizer train' train generate translate eval heads convert; do
    "$PROGRAM" $command --help | sed -nE 's/^ +(-[a-z], )?(--[a-z0-9-]+) [A-Z,.]+ .*( or |\(default\)).*/\2/p' | sort -u |
        while read -r option; do
            grep -q "^$command $option " ../choices || grep -q "^$command --watch $option " ../choices ||
                echo "$command $option"
        done
done > ../untried
# These choose among numbers, names of files and places, not among words.
printf '%s\n' '--model' '--layer' '--head' '--size' '--font' '--tokens' '--top-k' '--top-p' '--prompt' '--separator' \
    '--field' '--tokenizer' '--data' '--config' '--temperature' '--repetition-penalty' '--seed' '--length' \
    '--width' '--limit' '--beam' '--length-penalty' '--max-length' '--output' > ../free
grep -vwFf ../free ../untried > ../left && fail "not tried: $(paste -sd , ../left)"
[ "$failed" = 0 ]
