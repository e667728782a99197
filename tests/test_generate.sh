#!/bin/sh
# `attend generate`, `translate`, `eval` and `convert` as a person runs them.
set -u
attend=$PROGRAM
case $attend in */*) ;; *) attend=./$attend ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
say() { echo "$*"; bad=1; }
same() { [ "$2" = "$3" ] || say "$1: expected \"$3\", found \"$2\""; }
fails() { # exit status, part of the sentence, command...
    status=$1 sentence=$2
    shift 2
    "$attend" "$@" > "$folder/out" 2> "$folder/err"
    [ $? = "$status" ] && grep -q -- "$sentence" "$folder/err" || say "$*: expected \"$sentence\" and $status, found $(cat "$folder/err")"
    [ "$(grep -c . "$folder/err")" -le 2 ] || say "$*: more than a sentence: $(cat "$folder/err")"
}

# ---- translate
same copy "$("$attend" translate --model toy-copy 'dog run')" 'dog run'
same 'two texts' "$("$attend" translate --model toy-copy 'cat sleep' 'eat eat' | tr '\n' '/')" 'cat sleep/eat eat/'
same lines "$(printf 'dog run\n\nrun cat\n' | "$attend" translate --model toy-copy - | tr '\n' '/')" 'dog run//run cat/'
printf 'dog run\nrun bird\n\nbird bird\nrun cat' | "$attend" translate --model toy-copy - > "$folder/out" 2> "$folder/err"
same 'lines that cannot be translated' "$? $(tr '\n' '/' < "$folder/out")" '1 dog run////run cat/'
same 'are named' "$(sed 's/:[^:]*known.*//' "$folder/err" | tr '\n' '/')" 'attend translate: line 2/attend translate: line 4/'
same ids "$("$attend" translate --model toy-copy --source-ids '1,5,4;1,3,6' --ids | tr '\n' '/')" '1,5,4/1,3,6/'
same beam "$("$attend" translate --model toy-copy 'dog run' --beam 3 --length-penalty 1)" 'dog run'
"$attend" translate --model toy-copy 'dog run' --beam 2 --explain > "$folder/beam"
grep -q 'score = log p / ((5 + length) / 6)^0.6' "$folder/beam" || say "no formula of the length penalty"
grep -q '<s> eat  (dropped)$\|<s> cat  (dropped)$\|<s> sleep  (dropped)$' "$folder/beam" || say "nothing is dropped"
grep -q '<s> dog run$' "$folder/beam" && [ "$(grep -c '^step' "$folder/beam")" = 3 ] || say "no beam: $(cat "$folder/beam")"
for weights in bf16 int8; do
    same "$weights" "$("$attend" translate --model toy-copy 'sleep dog' --weights $weights)" 'sleep dog'
done
fails 1 'is not known; the words are' translate --model toy-copy 'dog bird'
fails 1 'encoder-decoder' translate --model gpt2-tiny --source-ids 1,2
fails 2 'no text' translate --model toy-copy
"$attend" convert toy-copy "$folder/bare" 2> /dev/null && rm "$folder/bare/model.tokenizer"
fails 1 'no tokenizer: expected --source-ids' translate --model "$folder/bare" 'dog run'
fails 2 '--beam' translate --model toy-copy --beam 0 'dog run'

# ---- generate: a model with a tokenizer of bytes, from a preset's initial weights
"$attend" convert gpt2-tiny "$folder/tiny" --untrained 2> "$folder/err" || say "convert: $(cat "$folder/err")"
tiny="--model $folder/tiny"
ids=$("$attend" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4)
[ "$(echo "$ids" | tr ',' '\n' | wc -l)" = 12 ] || say "12 ids expected: $ids"
same 'the same seed' "$("$attend" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4)" "$ids"
[ "$("$attend" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 5)" != "$ids" ] || say "another seed gave the same"
same 'threads' "$("$attend" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4 --threads 1)" "$ids"
"$attend" generate $tiny --prompt-ids '7;1,2,3;4,4,4,4,4,4,4,4,4;9,8;5,6' --tokens 9 --seed 4 > "$folder/batch"
same 'in a batch' "$(sed -n 2p "$folder/batch")" "$ids"
same 'five texts' "$(grep -c . "$folder/batch")" 5
same 'only new' "$("$attend" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4 --only-new)" "${ids#1,2,3,}"
same 'top-k 1 is greedy' "$("$attend" generate $tiny --prompt-ids 5 --tokens 9 --top-k 1)" "$("$attend" generate $tiny --prompt-ids 5 --tokens 9 --temperature 0)"
same 'no tokens' "$("$attend" generate $tiny --prompt-ids 5,6 --tokens 0)" 5,6
"$attend" generate $tiny --prompt-ids 5 --tokens 3 --top-k 4 --top-p 0.9 --repetition-penalty 1.2 --explain > "$folder/explain"
for words in 'penalty:' 'temperature:' 'top-k:' 'top-p:' 'softmax:' 'step 2' 'u = 0\.[0-9]* lies in'; do
    grep -q "$words" "$folder/explain" || say "--explain lacks $words"
done
# What is unlikely is not called cut where nothing was cut.
for options in '--temperature 0.0001' '--temperature 0' '--top-k 4 --top-p 0.001'; do
    "$attend" generate $tiny --prompt-ids 5 --tokens 1 $options --explain > "$folder/explain"
    case $options in *--top-p*) expected=yes ;; *) expected=no ;; esac
    found=no
    grep -q ' cut ' "$folder/explain" && found=yes
    same "cut with $options" "$found" "$expected"
done
grep -q '^step 0' "$folder/explain" || say "one text needs no number"
"$attend" generate $tiny --prompt-ids '5;6,7' --tokens 2 --explain > "$folder/explain"
same 'whose steps' "$(grep '^text.*step' "$folder/explain" | tr '\n' '/')" 'text 0, step 0/text 1, step 0/text 0, step 1/text 1, step 1/'
"$attend" generate $tiny --prompt-ids 5 --tokens 3 2> "$folder/err" > /dev/full && say "a full disk is a failure"
grep -q 'No space left' "$folder/err" || say "the full disk is told: $(cat "$folder/err")"
"$attend" generate $tiny --prompt-ids 5 --tokens 3 --weights int8 2> "$folder/err" > /dev/null || say "int8 failed"
grep -q 'int8 weights, .* differ by at most .* on average' "$folder/err" || say "no error of int8: $(cat "$folder/err")"
positions=$(sed -n 's/.*"n_positions": *\([0-9]*\).*/\1/p' "$folder/tiny/config.json")
long=$("$attend" generate $tiny --prompt-ids 5 --tokens 100000 | tr ',' '\n' | wc -l)
same 'ends with the positions' "$long" $((positions + 1))
fails 1 'no tokenizer: expected --prompt-ids' generate $tiny --prompt 'a text'
fails 1 'no tokenizer: expected --target-ids' trace $tiny --ids 1,2 --target 'a text'
fails 1 'outside the vocabulary' generate $tiny --prompt-ids 999999
fails 2 'no prompt' generate $tiny
fails 1 'encoder-decoder\|translate' generate --model toy-copy --prompt 'dog run'
fails 2 '--top-p' generate $tiny --prompt-ids 1 --top-p 2
fails 2 '--temperature' generate $tiny --prompt-ids 1 --temperature -1
fails 2 '--weights' generate $tiny --prompt-ids 1 --weights int4
fails 2 'expected options only' generate $tiny hello

# Text: a tokenizer that knows bytes; what is printed is whole characters, up to the stop string.
printf 'a b c d e f\n日本語 日本語 äöü\n' > "$folder/corpus"
# GPT-2's letters for the 256 bytes, and no merges.
LC_ALL=C awk 'function letter(code) {
    if (code < 128) { return code == 34 || code == 92 ? sprintf("\\%c", code) : sprintf("%c", code) }
    return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
}
BEGIN {
    printf "{"
    for (byte = 0; byte < 256; byte++) {
        own = (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || byte > 173
        printf "%s\"%s\": %d", byte ? ", " : "", letter(own ? byte : 256 + others++), byte
    }
    print "}"
}' > "$folder/tiny/vocab.json"
echo '#version: 0.2' > "$folder/tiny/merges.txt"
if "$attend" tokenize --tokenizer "$folder/tiny" 'a 日' > "$folder/out" 2>&1; then
    text=$("$attend" generate $tiny --prompt '日本' --tokens 60 --seed 3)
    case $text in '日本'*) ;; *) say "the prompt is not in front: $text" ;; esac
    printf '%s' "$text" | iconv -f UTF-8 -t UTF-8 > /dev/null 2>&1 || say "half a character was printed"
    # Bytes that are no characters, as Python's errors="replace" writes them (with ? for U+FFFD).
    broken='191,255,191,160,90,143,143,90,159,244,255,225,230,151,165,195,169,32,223,97,224,43,144,224,245,143,191,230,151,165,237,223,237,244,160,144,90,159,143,255,230,151,165,6,144,128,239,244,159,97,143,97,159,237,144,128,144,128,194,241,143,255,225,144,195,169,191,159,195,169,32,239,32,144,239,32,90,224,32,143,159,90,192,144,32,160,240,144,225,223,32,161,144,230,151,165'
    same 'broken characters' "$("$attend" generate $tiny --prompt-ids "$broken" --tokens 0 | sed 's/\xef\xbf\xbd/?/g')" \
        "$(printf '????Z??Z????日é ?a?+?????日??????Z???日\006?????a?a?퐀??????é??é ? ?? Z? ??Z?? ???? ??日')"
    # Texts of several lengths get what each gets alone, whatever the weights are kept in.
    for weights in f32 int8 bf16; do
        options="$tiny --tokens 12 --seed 6 --ids --weights $weights"
        "$attend" generate $options --prompt a --prompt '日本語' --prompt 'a b c d e f g h' --prompt 'ä' --prompt 'xyz' \
            > "$folder/batch" 2> "$folder/err" || say "$weights: $(cat "$folder/err")"
        for prompt in a '日本語' 'a b c d e f g h' 'ä' 'xyz'; do
            "$attend" generate $options --prompt "$prompt" 2> /dev/null
        done > "$folder/alone"
        cmp -s "$folder/batch" "$folder/alone" || say "in a batch with $weights: $(diff "$folder/batch" "$folder/alone" | head -4)"
    done
    # A text that is longer than the model has positions; one that fills them gets one token more.
    long=$(printf '%0*d' "$positions" 0)
    fails 1 "a prompt of $((positions + 1)) tokens is longer than the model's $positions positions" generate $tiny --prompt "${long}0"
    "$attend" generate $tiny --prompt "$long" --tokens 5 --ids > "$folder/out" 2> "$folder/err" || say "a full text: $(cat "$folder/err")"
    same 'a full text' "$(tr ',' '\n' < "$folder/out" | wc -l)" $((positions + 1))
    grep -q "ends with the model's $positions positions" "$folder/err" || say "a full text is told: $(cat "$folder/err")"
    # A space that begins what is new is kept.
    same 'the prompt and what is new' "$("$attend" generate $tiny --prompt 'a' --tokens 40 --seed 7)" "a$("$attend" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new)"
    # Two letters that stand somewhere in it as a stop string.
    new=$("$attend" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new)
    stop=$(printf '%s' "$new" | LC_ALL=C grep -a -o '[A-Za-z][A-Za-z]' | head -1)
    [ -n "$stop" ] || say "no two letters in $new"
    stopped=$("$attend" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new --stop "$stop")
    case $stopped in *"$stop"*) say "the stop string \"$stop\" is in \"$stopped\"" ;; esac
    case $new in "$stopped"*) ;; *) say "\"$stopped\" does not begin \"$new\"" ;; esac
    fails 1 'no token that begins a text' generate $tiny --prompt ''
    "$attend" eval $tiny --data "$folder/corpus" --length 16 > "$folder/eval" || say "eval failed"
    grep -q '^perplexity  [0-9]' "$folder/eval" || say "no perplexity: $(cat "$folder/eval")"
    whole=$("$attend" eval $tiny --data "$folder/corpus" --format json --length 8)
    # Weights that were thrown far away: JSON has no number for what no double holds.
    printf '{"family": "gpt2", "vocab_size": 256, "n_positions": 32, "n_embd": 8, "n_head": 1, "n_layer": 1}' > "$folder/far.json"
    "$attend" train --config "$folder/far.json" --data "$folder/corpus" --tokenizer "$folder/tiny" --steps 2 --batch 1 \
        --length 8 --lr 1000 --warmup 0 --held-out 0 --threads 1 -o "$folder/far" > "$folder/out" 2>&1 || say "train: $(cat "$folder/out")"
    for place in far far/last; do # others read it there
        grep -q '"type": "BPE"' "$folder/$place/tokenizer.json" || say "no tokenizer.json in $place"
    done
    fails 1 'byte-level kind only' convert assets/tokenizers/stories-512.tokenizer "$folder/x.json"
    "$attend" eval --model "$folder/far" --data "$folder/corpus" --format json > "$folder/eval" || say "eval of far weights"
    grep -q '"perplexity": "inf"' "$folder/eval" || say "no inf in quotes: $(cat "$folder/eval")"
    case $whole in '{"loss": 5.'*|'{"loss": 6.'*) ;; *) say "the loss of 256 bytes is near ln 256: $whole" ;; esac
else
    say "no tokenizer: $(cat "$folder/out")"
fi

# ---- a preset that ships no weights is told from one that does
untrained() { # expected words on standard error, command...
    words=$1
    shift
    "$attend" "$@" > "$folder/out" 2> "$folder/err" || say "$*: $(cat "$folder/err")"
    same "$*" "$(grep -v 'parameters written\|^$' "$folder/err")" "$words"
}
notice='attend: gpt2-grid has no trained weights: these are its initial ones, seed'
untrained "$notice 5" generate --model gpt2-grid --prompt-ids 1 --tokens 1 --seed 5
untrained '' generate --model gpt2-grid --prompt-ids 1 --tokens 1 --untrained
untrained "$notice 1" convert gpt2-grid "$folder/grid"
untrained '' generate --model "$folder/grid" --prompt-ids 1 --tokens 1
untrained "$notice 1" trace --model gpt2-grid --ids 1,2 --stage loss
untrained "$notice 1" explain --model gpt2-grid --ids 1,2 'loss[]'
untrained "$notice 2" heatmap --model gpt2-grid --ids 1,2 --seed 2 --layer 0 -o "$folder/grid.png"
untrained 'attend: story-single-small has no trained weights: these are its initial ones, seed 1' \
    eval --model story-single-small --data "$folder/corpus" --length 16
untrained '' translate --model toy-copy 'dog run'
untrained '' learn 7 --plain

# ---- eval on pairs: the toy copies, so its translations are the references
for first in cat run dog sleep eat; do
    printf '%s run\t%s run\n' "$first" "$first"
done > "$folder/pairs.tsv"
"$attend" eval --model toy-copy --data "$folder/pairs.tsv" > "$folder/eval" || say "eval of pairs failed"
grep -q '^tokens      10 in 5 texts' "$folder/eval" || say "10 labels expected: $(cat "$folder/eval")"
grep -q 'p1 1.0000 \* p2 1.0000' "$folder/eval" || say "the toy copies: $(cat "$folder/eval")"
printf 'cat run\tcat run\ncat bird\tcat run\n' > "$folder/unknown.tsv"
fails 1 'unknown.tsv, line 2: the word "bird" is not known' eval --model toy-copy --data "$folder/unknown.tsv"
fails 1 '--data-format tsv' eval --model toy-copy --data "$folder/corpus"
fails 1 'corpus2' eval $tiny --data "$folder/corpus2"

# ---- convert: there and back gives the same logits
"$attend" convert "$folder/tiny" "$folder/tiny.bin" 2> /dev/null && "$attend" convert "$folder/tiny.bin" "$folder/back" 2> /dev/null || say "convert to .bin and back failed"
for model in tiny back; do
    "$attend" trace --model "$folder/$model" --ids 1,2,3,4 --stage logits --format json | sed 1d > "$folder/$model.json"
done
cmp -s "$folder/tiny.json" "$folder/back.json" || say "llm.c's format changed the logits"
"$attend" convert "$folder/tiny" "$folder/tiny.bin" --dtype bf16 2> /dev/null && "$attend" convert "$folder/tiny.bin" "$folder/back" 2> /dev/null || say "bf16 failed"
"$attend" convert "$folder/tiny" "$folder/copy" 2> /dev/null
cmp -s "$folder/tiny/vocab.json" "$folder/copy/vocab.json" || say "the tokenizer did not go along"
fails 1 'llm.c' convert toy-copy "$folder/toy.bin"
fails 1 'nothing of that name' convert "$folder/none" "$folder/x"
fails 2 'FROM and TO' convert "$folder/tiny"
[ "$bad" = 0 ]
