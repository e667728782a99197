#!/bin/sh
# `attend generate`, `translate`, `eval` and `convert` as a person runs them.
set -u
. tests/support.sh
same() { [ "$2" = "$3" ] || fail "$1: expected \"$3\", found \"$2\""; }
fails() { # exit status, part of the sentence, command...
    status=$1 sentence=$2
    shift 2
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err"
    [ $? = "$status" ] && grep -q -- "$sentence" "$work/err" || fail "$*: expected \"$sentence\" and $status, found $(cat "$work/err")"
    [ "$(grep -c . "$work/err")" -le 2 ] || fail "$*: more than a sentence: $(cat "$work/err")"
}

# ---- translate
same copy "$("$PROGRAM" translate --model toy-copy 'dog run')" 'dog run'
same 'two texts' "$("$PROGRAM" translate --model toy-copy 'cat sleep' 'eat eat' | tr '\n' '/')" 'cat sleep/eat eat/'
same lines "$(printf 'dog run\n\nrun cat\n' | "$PROGRAM" translate --model toy-copy - | tr '\n' '/')" 'dog run//run cat/'
printf 'dog run\nrun bird\n\nbird bird\nrun cat' | "$PROGRAM" translate --model toy-copy - > "$work/out" 2> "$work/err"
same 'lines that cannot be translated' "$? $(tr '\n' '/' < "$work/out")" '1 dog run////run cat/'
same 'are named' "$(sed 's/:[^:]*known.*//' "$work/err" | tr '\n' '/')" 'attend translate: line 2/attend translate: line 4/'
"$PROGRAM" translate --model toy-copy 'dog run' '' 'cat run' > "$work/out" 2> "$work/err"
same 'texts that cannot be translated' "$? $(tr '\n' '/' < "$work/out")$(cat "$work/err")" \
    '1 dog run//cat run/attend translate: text 2: the text is empty: expected at least one word'
same ids "$("$PROGRAM" translate --model toy-copy --source-ids '1,5,4;1,3,6' --ids | tr '\n' '/')" '1,5,4/1,3,6/'
same beam "$("$PROGRAM" translate --model toy-copy 'dog run' --beam 3 --length-penalty 1)" 'dog run'
"$PROGRAM" translate --model toy-copy 'dog run' --beam 2 --explain > "$work/beam"
grep -q 'score = log p / ((5 + length) / 6)^0.6' "$work/beam" || fail "no formula of the length penalty"
grep -q '<s> eat  (dropped)$\|<s> cat  (dropped)$\|<s> sleep  (dropped)$' "$work/beam" || fail "nothing is dropped"
grep -q '<s> dog run$' "$work/beam" && [ "$(grep -c '^step' "$work/beam")" = 3 ] || fail "no beam: $(cat "$work/beam")"
for weights in bf16 int8; do
    same "$weights" "$("$PROGRAM" translate --model toy-copy 'sleep dog' --weights $weights)" 'sleep dog'
done
fails 1 'is not known; the words are' translate --model toy-copy 'dog bird'
fails 1 'encoder-decoder' translate --model gpt2-tiny --source-ids 1,2
fails 2 'no text' translate --model toy-copy
"$PROGRAM" convert toy-copy "$work/bare" 2> /dev/null && rm "$work/bare/model.tokenizer"
fails 1 'no tokenizer: expected --source-ids' translate --model "$work/bare" 'dog run'
fails 2 '--beam' translate --model toy-copy --beam 0 'dog run'

# ---- logits that are no numbers end it with a sentence, whatever chooses the token
for value in nan inf; do
    rm -rf "$work/broken"
    "$PROGRAM" convert toy-copy "$work/broken" 2> /dev/null
    python3 tests/set_weight.py "$work/broken/model.safetensors" generator.bias 4 $value
    for beam in 1 2; do
        fails 1 'the logit of token 4 is' translate --model "$work/broken" --beam $beam 'dog run'
        fails 1 'the logit of token 4 is' translate --model "$work/broken" --beam $beam --explain 'dog run'
    done
    rm -rf "$work/broken"
    "$PROGRAM" convert --untrained gpt2-grid "$work/broken" 2> /dev/null
    python3 tests/set_weight.py "$work/broken/model.safetensors" transformer.ln_f.bias 3 $value
    for options in '' '-t 0' '--top-k 3' '--explain' '--weights int8' '--weights bf16'; do
        fails 1 'the logit of token' generate --model "$work/broken" --prompt-ids 1,2 $options
        [ ! -s "$work/out" ] || case $options in *explain*) ;; *) fail "$options: something was written: $(cat "$work/out")" ;; esac
    done
done
same 'a temperature too small to divide by' \
    "$("$PROGRAM" generate --model gpt2-grid --untrained --prompt-ids 1,2 -t 1e-310 --tokens 8)" \
    "$("$PROGRAM" generate --model gpt2-grid --untrained --prompt-ids 1,2 -t 0 --tokens 8)"

# ---- the end tokens of generation_config.json, a number or a list, end a text
"$PROGRAM" convert --untrained gpt2-grid "$work/ends" 2> /dev/null || fail 'a model to end'
all=$("$PROGRAM" generate --model "$work/ends" --prompt-ids 1,2 -t 3 --tokens 12 --only-new --ids 2> /dev/null)
fifth=$(echo "$all" | cut -d , -f 5)
before=$(echo "$all" | tr , '\n' | sed "/^$fifth\$/,\$d" | paste -s -d , -)
for ends in "$fifth" "[$fifth]" "[50256, $fifth]"; do
    printf '{"eos_token_id": %s, "top_k": 5, "transformers_version": "4.40"}\n' "$ends" > "$work/ends/generation_config.json"
    same "eos_token_id $ends" "$("$PROGRAM" generate --model "$work/ends" --prompt-ids 1,2 -t 3 --tokens 12 --only-new --ids 2> "$work/err")" "$before"
    grep -q 'generation_config.json: "top_k" has no effect' "$work/err" || fail "top_k is named: $(cat "$work/err")"
    grep -q 'transformers_version' "$work/err" && fail "a version is none to be named"
done
printf '{"eos_token_id": "x"}\n' > "$work/ends/generation_config.json"
fails 1 'generation_config.json: "eos_token_id": expected an id from 0 to ' generate --model "$work/ends" --prompt-ids 1

# ---- what a narrower number cannot hold is refused, or written when that is asked for
rm -rf "$work/broken"
"$PROGRAM" convert toy-copy "$work/broken" 2> /dev/null
python3 tests/set_weight.py "$work/broken/model.safetensors" generator.bias 4 70000
python3 tests/set_weight.py "$work/broken/model.safetensors" generator.bias 6 -65520
fails 1 '2 numbers beyond what f16 holds (65504) would become infinite; the first, number 4 of generator.bias, is 70000' \
    convert "$work/broken" "$work/narrow" --dtype f16
[ ! -e "$work/narrow" ] || fail 'a refused convert leaves a folder'
"$PROGRAM" convert "$work/broken" "$work/narrow" --dtype bf16 2> /dev/null || fail 'bf16 holds 70000'
"$PROGRAM" convert "$work/broken" "$work/narrow16" --dtype f16 --allow-infinite 2> "$work/err" || fail 'it was asked for'
grep -q '2 numbers beyond what f16 holds (65504) became infinite' "$work/err" || fail "not told: $(cat "$work/err")"
python3 tests/set_weight.py "$work/broken/model.safetensors" generator.bias 0 3.4e38
fails 1 '1 number beyond what bf16 holds' convert "$work/broken" "$work/narrow2" --dtype bf16

# ---- generate: a model with a tokenizer of bytes, from a preset's initial weights
"$PROGRAM" convert gpt2-tiny "$work/tiny" --untrained 2> "$work/err" || fail "convert: $(cat "$work/err")"
tiny="--model $work/tiny"
ids=$("$PROGRAM" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4)
[ "$(echo "$ids" | tr ',' '\n' | wc -l)" = 12 ] || fail "12 ids expected: $ids"
same 'the same seed' "$("$PROGRAM" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4)" "$ids"
[ "$("$PROGRAM" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 5)" != "$ids" ] || fail "another seed gave the same"
same 'threads' "$("$PROGRAM" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4 --threads 1)" "$ids"
"$PROGRAM" generate $tiny --prompt-ids '7;1,2,3;4,4,4,4,4,4,4,4,4;9,8;5,6' --tokens 9 --seed 4 > "$work/batch"
same 'in a batch' "$(sed -n 2p "$work/batch")" "$ids"
same 'five texts' "$(grep -c . "$work/batch")" 5
same 'only new' "$("$PROGRAM" generate $tiny --prompt-ids 1,2,3 --tokens 9 --seed 4 --only-new)" "${ids#1,2,3,}"
same 'top-k 1 is greedy' "$("$PROGRAM" generate $tiny --prompt-ids 5 --tokens 9 --top-k 1)" "$("$PROGRAM" generate $tiny --prompt-ids 5 --tokens 9 --temperature 0)"
same 'no tokens' "$("$PROGRAM" generate $tiny --prompt-ids 5,6 --tokens 0)" 5,6
"$PROGRAM" generate $tiny --prompt-ids 5 --tokens 3 --top-k 4 --top-p 0.9 --repetition-penalty 1.2 --explain > "$work/explain"
for words in 'penalty:' 'temperature:' 'top-k:' 'top-p:' 'softmax:' 'step 2' 'u = 0\.[0-9]* lies in'; do
    grep -q "$words" "$work/explain" || fail "--explain lacks $words"
done
# What is unlikely is not called cut where nothing was cut.
for options in '--temperature 0.0001' '--temperature 0' '--top-k 4 --top-p 0.001'; do
    "$PROGRAM" generate $tiny --prompt-ids 5 --tokens 1 $options --explain > "$work/explain"
    case $options in *--top-p*) expected=yes ;; *) expected=no ;; esac
    found=no
    grep -q ' cut ' "$work/explain" && found=yes
    same "cut with $options" "$found" "$expected"
done
grep -q '^step 0' "$work/explain" || fail "one text needs no number"
"$PROGRAM" generate $tiny --prompt-ids '5;6,7' --tokens 2 --explain > "$work/explain"
same 'whose steps' "$(grep '^text.*step' "$work/explain" | tr '\n' '/')" 'text 0, step 0/text 1, step 0/text 0, step 1/text 1, step 1/'
"$PROGRAM" generate $tiny --prompt-ids 5 --tokens 3 2> "$work/err" > /dev/full && fail "a full disk is a failure"
grep -q 'No space left' "$work/err" || fail "the full disk is told: $(cat "$work/err")"
"$PROGRAM" generate $tiny --prompt-ids 5 --tokens 3 --weights int8 2> "$work/err" > /dev/null || fail "int8 failed"
grep -q 'int8 weights, .* differ by at most .* on average' "$work/err" || fail "no error of int8: $(cat "$work/err")"
positions=$(sed -n 's/.*"n_positions": *\([0-9]*\).*/\1/p' "$work/tiny/config.json")
long=$("$PROGRAM" generate $tiny --prompt-ids 5 --tokens 100000 | tr ',' '\n' | wc -l)
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
printf 'a b c d e f\n日本語 日本語 äöü\n' > "$work/corpus"
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
}' > "$work/tiny/vocab.json"
echo '#version: 0.2' > "$work/tiny/merges.txt"
if "$PROGRAM" tokenize --tokenizer "$work/tiny" 'a 日' > "$work/out" 2>&1; then
    text=$("$PROGRAM" generate $tiny --prompt '日本' --tokens 60 --seed 3)
    case $text in '日本'*) ;; *) fail "the prompt is not in front: $text" ;; esac
    printf '%s' "$text" | iconv -f UTF-8 -t UTF-8 > /dev/null 2>&1 || fail "half a character was printed"
    # Bytes that are no characters, as Python's errors="replace" writes them (with ? for U+FFFD).
    broken='191,255,191,160,90,143,143,90,159,244,255,225,230,151,165,195,169,32,223,97,224,43,144,224,245,143,191,230,151,165,237,223,237,244,160,144,90,159,143,255,230,151,165,6,144,128,239,244,159,97,143,97,159,237,144,128,144,128,194,241,143,255,225,144,195,169,191,159,195,169,32,239,32,144,239,32,90,224,32,143,159,90,192,144,32,160,240,144,225,223,32,161,144,230,151,165'
    same 'broken characters' "$("$PROGRAM" generate $tiny --prompt-ids "$broken" --tokens 0 | sed 's/\xef\xbf\xbd/?/g')" \
        "$(printf '????Z??Z????日é ?a?+?????日??????Z???日\006?????a?a?퐀??????é??é ? ?? Z? ??Z?? ???? ??日')"
    # Texts of several lengths get what each gets alone, whatever the weights are kept in.
    for weights in f32 int8 bf16; do
        options="$tiny --tokens 12 --seed 6 --ids --weights $weights"
        "$PROGRAM" generate $options --prompt a --prompt '日本語' --prompt 'a b c d e f g h' --prompt 'ä' --prompt 'xyz' \
            > "$work/batch" 2> "$work/err" || fail "$weights: $(cat "$work/err")"
        for prompt in a '日本語' 'a b c d e f g h' 'ä' 'xyz'; do
            "$PROGRAM" generate $options --prompt "$prompt" 2> /dev/null
        done > "$work/alone"
        cmp -s "$work/batch" "$work/alone" || fail "in a batch with $weights: $(diff "$work/batch" "$work/alone" | head -4)"
    done
    # A prompt from standard input loses its last line end, and only that.
    for input in 'a b' 'a b\n' 'a b\r\n'; do
        same "the prompt of $input" "$(printf "$input" | "$PROGRAM" generate $tiny --prompt - --tokens 4 --ids)" \
            "$("$PROGRAM" generate $tiny --prompt 'a b' --tokens 4 --ids)"
    done
    same 'two line ends' "$(printf 'a\n\n' | "$PROGRAM" generate $tiny --prompt - --tokens 0 --ids)" \
        "$("$PROGRAM" generate $tiny --prompt 'a
' --tokens 0 --ids)"
    printf 'a\000b' > "$work/nul"
    fails 1 'holds a NUL byte' generate $tiny --prompt - --tokens 1 < "$work/nul"
    # A text that is longer than the model has positions; one that fills them gets one token more.
    long=$(printf '%0*d' "$positions" 0)
    fails 1 "a prompt of $((positions + 1)) tokens is longer than the model's $positions positions" generate $tiny --prompt "${long}0"
    "$PROGRAM" generate $tiny --prompt "$long" --tokens 5 --ids > "$work/out" 2> "$work/err" || fail "a full text: $(cat "$work/err")"
    same 'a full text' "$(tr ',' '\n' < "$work/out" | wc -l)" $((positions + 1))
    grep -q "ends with the model's $positions positions" "$work/err" || fail "a full text is told: $(cat "$work/err")"
    # A space that begins what is new is kept.
    same 'the prompt and what is new' "$("$PROGRAM" generate $tiny --prompt 'a' --tokens 40 --seed 7)" "a$("$PROGRAM" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new)"
    # Two letters that stand somewhere in it as a stop string.
    new=$("$PROGRAM" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new)
    stop=$(printf '%s' "$new" | LC_ALL=C grep -a -o '[A-Za-z][A-Za-z]' | head -1)
    [ -n "$stop" ] || fail "no two letters in $new"
    stopped=$("$PROGRAM" generate $tiny --prompt 'a' --tokens 40 --seed 7 --only-new --stop "$stop")
    case $stopped in *"$stop"*) fail "the stop string \"$stop\" is in \"$stopped\"" ;; esac
    case $new in "$stopped"*) ;; *) fail "\"$stopped\" does not begin \"$new\"" ;; esac
    fails 1 'no token that begins a text' generate $tiny --prompt ''
    "$PROGRAM" eval $tiny --data "$work/corpus" --length 16 > "$work/eval" || fail "eval failed"
    grep -q '^perplexity  [0-9]' "$work/eval" || fail "no perplexity: $(cat "$work/eval")"
    whole=$("$PROGRAM" eval $tiny --data "$work/corpus" --format json --length 8)
    # Weights that were thrown far away: JSON has no number for what no double holds.
    printf '{"family": "gpt2", "vocab_size": 256, "n_positions": 32, "n_embd": 8, "n_head": 1, "n_layer": 1}' > "$work/far.json"
    "$PROGRAM" train --config "$work/far.json" --data "$work/corpus" --tokenizer "$work/tiny" --steps 2 --batch 1 \
        --length 8 --lr 1000 --warmup 0 --held-out 0 --threads 1 -o "$work/far" > "$work/out" 2>&1 || fail "train: $(cat "$work/out")"
    for place in far far/last; do # others read it there
        grep -q '"type": "BPE"' "$work/$place/tokenizer.json" || fail "no tokenizer.json in $place"
    done
    fails 1 'byte-level kind only' convert assets/tokenizers/stories-512.tokenizer "$work/x.json"
    "$PROGRAM" eval --model "$work/far" --data "$work/corpus" --format json > "$work/eval" || fail "eval of far weights"
    grep -q '"perplexity": "inf"' "$work/eval" || fail "no inf in quotes: $(cat "$work/eval")"
    case $whole in '{"loss": 5.'*|'{"loss": 6.'*) ;; *) fail "the loss of 256 bytes is near ln 256: $whole" ;; esac
else
    fail "no tokenizer: $(cat "$work/out")"
fi

# ---- a preset that ships no weights is told from one that does
untrained() { # expected words on standard error, command...
    words=$1
    shift
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" || fail "$*: $(cat "$work/err")"
    same "$*" "$(grep -v 'parameters written\|^$' "$work/err")" "$words"
}
notice='attend: gpt2-grid has no trained weights: these are its initial ones, seed'
untrained "$notice 5" generate --model gpt2-grid --prompt-ids 1 --tokens 1 --seed 5
untrained '' generate --model gpt2-grid --prompt-ids 1 --tokens 1 --untrained
untrained "$notice 1" convert gpt2-grid "$work/grid"
untrained '' generate --model "$work/grid" --prompt-ids 1 --tokens 1
untrained "$notice 1" trace --model gpt2-grid --ids 1,2 --stage loss
untrained "$notice 1" explain --model gpt2-grid --ids 1,2 'loss[]'
untrained "$notice 2" heatmap --model gpt2-grid --ids 1,2 --seed 2 --layer 0 -o "$work/grid.png"
printf 'The cat sat on the mat and looked at the dog.' > "$work/line"
untrained 'attend: story-single-small has no trained weights: these are its initial ones, seed 1' \
    eval --model story-single-small --data "$work/line" --length 16
untrained '' translate --model toy-copy 'dog run'
untrained '' learn 7 --plain

# ---- eval on pairs: the toy copies, so its translations are the references
for first in cat run dog sleep eat; do
    printf '%s run\t%s run\n' "$first" "$first"
done > "$work/pairs.tsv"
"$PROGRAM" eval --model toy-copy --data "$work/pairs.tsv" > "$work/eval" || fail "eval of pairs failed"
grep -q '^tokens      10 in 5 texts' "$work/eval" || fail "10 labels expected: $(cat "$work/eval")"
grep -q 'p1 1.0000 \* p2 1.0000' "$work/eval" || fail "the toy copies: $(cat "$work/eval")"
printf 'cat run\tcat run\ncat bird\tcat run\n' > "$work/unknown.tsv"
fails 1 'unknown.tsv:2: the word "bird" is not known' eval --model toy-copy --data "$work/unknown.tsv"
fails 1 '--data-format tsv' eval --model toy-copy --data "$work/corpus"
fails 1 'corpus2' eval $tiny --data "$work/corpus2"

# ---- convert: there and back gives the same logits
"$PROGRAM" convert "$work/tiny" "$work/tiny.bin" 2> /dev/null && "$PROGRAM" convert "$work/tiny.bin" "$work/back" 2> /dev/null || fail "convert to .bin and back failed"
for model in tiny back; do
    "$PROGRAM" trace --model "$work/$model" --ids 1,2,3,4 --stage logits --format json | sed 1d > "$work/$model.json"
done
cmp -s "$work/tiny.json" "$work/back.json" || fail "llm.c's format changed the logits"
"$PROGRAM" convert "$work/tiny" "$work/tiny.bin" --dtype bf16 2> /dev/null && "$PROGRAM" convert "$work/tiny.bin" "$work/back" 2> /dev/null || fail "bf16 failed"
"$PROGRAM" convert "$work/tiny" "$work/copy" 2> /dev/null
cmp -s "$work/tiny/vocab.json" "$work/copy/vocab.json" || fail "the tokenizer did not go along"
fails 1 'llm.c' convert toy-copy "$work/toy.bin"
"$PROGRAM" convert toy-copy "$work/other" 2> /dev/null
fails 1 'holds model.tokenizer of another model' convert "$work/tiny.bin" "$work/other"
"$PROGRAM" inspect "$work/other" > /dev/null || fail 'a refused convert leaves the other model whole'
fails 1 'is the folder that is read' convert "$work/tiny" "$work/../$(basename "$work")/tiny" --dtype f16
fails 1 'is a file: expected a preset.s name or a folder' generate --model "$work/tiny.bin" --prompt x
fails 1 'is the file that is read' convert "$work/tiny.bin" "$work/tiny.bin" --dtype bf16
# What fails leaves nothing, and what was there as it was.
mkdir "$work/odd" && cp "$work/tiny"/* "$work/odd" && mkdir "$work/odd/tokenizer_config.json" || fail "an odd folder"
fails 1 'tokenizer_config.json' convert "$work/odd" "$work/half"
fails 1 'tokenizer_config.json' convert "$work/odd" "$work/copy" --dtype f16
[ -z "$(find "$work" -maxdepth 1 -name 'half*')" ] || fail "half a folder is left: $(find "$work" -name 'half*')"
cmp -s "$work/tiny/model.safetensors" "$work/copy/model.safetensors" || fail "a failed convert changed a model"
same 'an existing folder' "$("$PROGRAM" convert "$work/tiny" "$work/copy/" --dtype f16 2>&1 | tail -1)" \
    "attend convert: $("$PROGRAM" inspect "$work/tiny" --format json | sed -n 's/.*"parameters":\([0-9]*\).*/\1/p' | head -1) parameters written to $work/copy/"
"$PROGRAM" inspect "$work/copy" | grep -q 'F16' || fail "an existing folder was not written"
# A configuration is enough for initial weights.
mkdir "$work/plain" && cp "$work/tiny/config.json" "$work/plain"
untrained '' generate --model "$work/plain" --prompt-ids 1 --tokens 1 --untrained
same 'the same with weights' "$("$PROGRAM" generate --model "$work/tiny" --prompt-ids 1 --tokens 3 --untrained --ids 2> /dev/null)" \
    "$("$PROGRAM" generate --model "$work/plain" --prompt-ids 1 --tokens 3 --untrained --ids)"
fails 1 'model.safetensors' generate --model "$work/plain" --prompt-ids 1 --tokens 1
fails 1 'nothing of that name' convert "$work/none" "$work/x"
fails 2 'FROM and TO' convert "$work/tiny"
[ "$failed" = 0 ]
