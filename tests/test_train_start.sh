#!/bin/sh
# How a run of `attend train` begins and is stopped: what is refused before anything is written, signals at any time,
# samples, data of every kind.
set -u
. tests/support.sh
tokenizers=$PWD/assets/tokenizers
cd "$work" || exit 1

# Text of about 20 kB, and a model small enough for a sanitized program.
stories 120 5 > text.txt
cat > config.json << 'END'
{"family": "gpt2", "vocab_size": 60, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2, "dropout": 0.1}
END
options="--config config.json --batch 2 --length 16 --warmup 2 --threads 1"
"$PROGRAM" tokenizer train --data text.txt --vocab-size 60 -o words.tokenizer 2> out || fail "a tokenizer: $(cat out)"
small="$options --data text.txt --tokenizer words.tokenizer"

# ---- samples

# shellcheck disable=SC2086 # options are words
"$PROGRAM" train $small --steps 4 --sample-every 2 --prompt "the cat" -o prompt > out 2>&1 || fail "samples: $(cat out)"
[ "$(grep -c '"sample":"the cat' prompt/log.jsonl)" = 2 ] || fail "two samples begin with the prompt: $(cat out)"
long=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "the cat " }')
# shellcheck disable=SC2086
"$PROGRAM" train $small --steps 4 --sample-every 2 --prompt "$long" -o long > out 2>&1 && fail "a prompt that is too long is refused"
grep -q -- "--prompt: its [0-9]* tokens are more than the model's 32 positions" out || fail "with a sentence: $(cat out)"
[ ! -e long ] || fail "a prompt that is too long leaves no folder"
# shellcheck disable=SC2086
"$PROGRAM" train $small --steps 4 --sample-every 0 --prompt "$long" -o unused > out 2>&1 || fail "a prompt that is not used is no fault: $(cat out)"
awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    for (i = 0; i < 90; i++) { w = noun[i % 8 + 1] " " noun[(i * 3) % 8 + 1]; print w "\tthe " w } }' > pairs.tsv
cat > pairs.json << 'END'
{"family": "encoder-decoder", "vocab_size": 48, "d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32,
 "pad_id": 0, "bos_id": 1, "eos_id": 2}
END
"$PROGRAM" train --config pairs.json --data pairs.tsv --batch 6 --length 40 --steps 2 --warmup 0 --sample-every 1 --threads 1 \
    -o pairs > out 2>&1 || fail "pairs: $(cat out)"
grep -q '"sample":"[a-z]* [a-z]* => .* (reference: the [a-z]* [a-z]*)"' pairs/log.jsonl || fail "a sample has source and reference: $(grep sample pairs/log.jsonl)"

# ---- signals

# Words enough that learning a tokenizer from them, and tokenizing them, takes a while.
awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) { w = ""; for (k = 0; k < 3 + i % 6; k++) w = w sprintf("%c", 97 + int(rand() * 26))
    printf "%s%s", w, i % 12 == 11 ? "\n" : " " } }' > slow.txt
begin() { # what has to be on its standard error before it is signalled, arguments
    said=$1
    shift
    rm -rf run
    "$PROGRAM" train "$@" -o run > out 2>&1 & child=$!
    [ -z "$said" ] || until grep -q "$said" out || ! kill -0 "$child" 2> /dev/null; do sleep 0.02; done
}
ended() { # status, what was being done
    wait "$child"
    status=$?
    child=
    [ "$status" = "$1" ] || fail "$2: expected $1, found $status: $(cat out)"
}
for kind in HUP:129 INT:130 TERM:143; do
    begin "learning" --preset gpt2-10m --data slow.txt --threads 1
    sleep 0.1
    kill -USR1 "$child"
    kill -"${kind%:*}" "$child"
    ended "${kind#*:}" "SIG${kind%:*} while a tokenizer is learned"
    grep -q 'stopped before the first step' out || fail "it is said: $(cat out)"
    [ ! -e run ] || fail "a run that was stopped before its first step leaves nothing: $(find run)"
done
mkfifo pipe
# shellcheck disable=SC2086
begin "" $options --data pipe --tokenizer words.tokenizer
exec 3> pipe
cat text.txt >&3
sleep 0.2
kill -TERM "$child"
ended 143 "SIGTERM while a pipe is read"
exec 3>&-
[ ! -e run ] || fail "what was read from a pipe is not left: $(find run)"

# shellcheck disable=SC2086
begin "" $small --steps 1000000 --save-every 0 --eval-every 0
written run/log.jsonl
kill -USR1 "$child"
until grep -q 'SIGUSR1: step [0-9]* is saved' out || ! kill -0 "$child" 2> /dev/null; do sleep 0.02; done
kill -HUP "$child"
ended 129 "SIGHUP"
step=$(sed -n 's/.*"step": \([0-9]*\),.*/\1/p' run/last/state.json)
[ "$step" = "$(wc -l < run/log.jsonl)" ] || fail "SIGHUP saves the step it stopped after"
# shellcheck disable=SC2086
begin "" $small --steps 1000000 --save-every 0 --eval-every 0
written run/log.jsonl
kill -INT "$child"
ended 130 "SIGINT"
grep -q 'stopping after this step; Ctrl-C again leaves without saving' out || fail "Ctrl-C is answered: $(cat out)"

# A reader of standard error that goes away ends nothing.
# shellcheck disable=SC2086
{ "$PROGRAM" train $options --data text.txt --steps 3 -o silent 2>&1; echo "$?" > status; } | head -c 1 > /dev/null
[ "$(cat status)" = 0 ] || fail "a run whose reader went away: $(cat status)"
[ -f silent/last/model.safetensors ] || fail "a run whose reader went away is saved"

# A limit on the size of files is told as a full disk is.
# shellcheck disable=SC2086
(ulimit -f 8 && "$PROGRAM" train $small --steps 3 -o limited > out 2>&1)
status=$?
[ "$status" = 1 ] || fail "a file over its limit ends with 1, found $status: $(cat out)"
grep -q 'File too large' out || fail "a file over its limit is told: $(cat out)"

# ---- data

# One story a line, long ones, and a file without any line end: still there are words to learn from.
awk 'BEGIN { for (i = 0; i < 40; i++) { printf "{\"text\": \""; for (k = 0; k < 800; k++) printf "word%d ", (i * k) % 50; print "\"}" } }' > long.jsonl
# shellcheck disable=SC2086
"$PROGRAM" train $options --data long.jsonl --steps 1 -o lines > out 2>&1 || fail "a tokenizer from long lines: $(cat out)"
awk 'BEGIN { for (i = 0; i < 40; i++) { for (k = 0; k < 800; k++) printf "word%d ", (i * k) % 50; print "" } }' > long.txt
"$PROGRAM" tokenizer train --data long.txt --vocab-size 40 -o long.model > out 2>&1 && fail "long lines are left out, as spm_train does"
grep -q '40 lines are longer than 4192 bytes.*--max-sentence-length N takes longer ones' out || fail "it is said what to do: $(cat out)"
"$PROGRAM" tokenizer train --data long.txt --vocab-size 40 --max-sentence-length 100000 -o long.model > out 2>&1 || fail "longer lines are taken: $(cat out)"

# A pipe can be read once: the tokenizer must be there.
# shellcheck disable=SC2086
cat text.txt | "$PROGRAM" train $options --data /dev/stdin --steps 1 -o piped > out 2>&1 && fail "a pipe and no tokenizer"
grep -q -- '--data /dev/stdin: expected --tokenizer T as well' out || fail "it is said: $(cat out)"
[ ! -e piped ] || fail "a pipe that is refused leaves no folder"
# shellcheck disable=SC2086
cat text.txt | "$PROGRAM" train $options --data /dev/stdin --tokenizer words.tokenizer --steps 1 -o piped > out 2>&1 || fail "a pipe: $(cat out)"

# Texts are counted, not their parts; one that is many is told.
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "the cat sees the dog.%s", i % 10 == 9 ? "\r\n\r\n" : " " }' > one.txt
# shellcheck disable=SC2086
"$PROGRAM" train $options --data one.txt --tokenizer words.tokenizer --steps 1 -o one > out 2>&1 || fail "one text: $(cat out)"
grep -q 'tokens in 1 text to learn from' out || fail "one text is counted as one: $(cat out)"
grep -q 'it is one text with 899 blank lines; --paragraphs' out || fail "a hint for one text of many paragraphs: $(cat out)"
# shellcheck disable=SC2086
"$PROGRAM" train $options --data one.txt --paragraphs --tokenizer words.tokenizer --steps 1 -o many > out 2>&1 || fail "paragraphs: $(cat out)"
grep -q 'tokens in 855 texts to learn from, [0-9]* in 45 held out' out || fail "paragraphs with CRLF are parted: $(cat out)"

# ---- what is refused before anything is written

refused() { # status, what the sentence says, arguments
    status=$1 says=$2
    shift 2
    "$PROGRAM" train "$@" -o refused > out 2>&1
    found=$?
    [ "$found" = "$status" ] || fail "train $*: expected exit $status, found $found: $(cat out)"
    grep -q -- "$says" out || fail "train $*: expected \"$says\", found: $(cat out)"
    [ ! -e refused ] || fail "train $*: left a folder: $(find refused)"
    rm -rf refused
}
# shellcheck disable=SC2086
{
    refused 2 '--lr: expected 0' $small --lr -1
    refused 2 '--schedule: expected constant' $small --schedule foo
    refused 2 '--batch: expected 1' $small --batch 0
    refused 2 '--format: expected text' $small --format foo
    refused 2 '--device: expected cpu, cuda or auto' $small --device foo
    refused 2 '--length: expected 1 to 32, the model.s positions, found 300' $small --length 300
    refused 2 '--data: expected one file, found 2' $small --data pairs.tsv
    refused 2 '--held-out: expected 0 (none) or one text in 2' $small --held-out 1
    refused 2 '--separator: expected a text' $small --separator ''
    refused 2 'expected options only, found "folder"; the run.s folder goes after -o' $small folder
    refused 1 'text.txt: a vocabulary of 8 is too small: .*--vocab-size N' $options --data text.txt --vocab-size 8
}
refused 2 'expected --preset NAME or --config FILE' --data text.txt
refused 2 'expected --data FILE' --preset gpt2-tiny
refused 1 'nothing.txt: No such file' --config config.json --data nothing.txt --tokenizer words.tokenizer
refused 1 'nothing.tokenizer' --config config.json --data text.txt --tokenizer nothing.tokenizer
refused 2 'there is no generated data of this name' --preset gpt2-tiny --data made:nothing
# shellcheck disable=SC2086
"$PROGRAM" train $small --steps 1 -o warm > out 2>&1 || fail "a warm-up that is too long is no fault: $(cat out)"
grep -q 'the warm-up of 2 steps (--warmup) is longer than the run of 1' out || fail "but it is said: $(cat out)"

# Files named as made data is take nothing from a preset.
touch copy translate
"$PROGRAM" train --preset toy-copy --steps 2 --threads 1 -o toy > out 2>&1 || fail "a file named copy: $(cat out)"
"$PROGRAM" train --resume --steps 3 --threads 1 -o toy > out 2>&1 || fail "a run on made pairs goes on: $(cat out)"

# Weights with a tokenizer of their own, and another one.
"$PROGRAM" tokenizer train --data text.txt --vocab-size 50 -o other.tokenizer 2> out || fail "another tokenizer: $(cat out)"
"$PROGRAM" train --config prompt/last --data text.txt --tokenizer other.tokenizer --batch 2 --length 16 --steps 1 --warmup 0 \
    --threads 1 -o other > out 2>&1 || fail "another tokenizer is allowed: $(cat out)"
grep -q 'tokenizer: not the one in prompt/last' out || fail "but it is said: $(cat out)"

# A preset's own tokenizer is taken, unless another is given.
"$PROGRAM" train --preset story-single-small --data text.txt --steps 1 --threads 1 -o story > out 2>&1 || fail "a story model: $(cat out)"
grep -q "tokenizer: stories-512, the preset's own" out || fail "its tokenizer is told: $(cat out)"
cmp "$tokenizers/stories-512.tokenizer" story/last/tokenizer.tokenizer || fail "its tokenizer is the preset's own"

# Another vocabulary than the preset's: learned, or that of a tokenizer, which says how.
refused 1 'the tokenizer has 60 pieces, the model.s vocabulary 40: .*--vocab-size 60' --preset gpt2-tiny --vocab-size 40 --tokenizer words.tokenizer --data text.txt
"$PROGRAM" train --preset gpt2-tiny --vocab-size 60 --tokenizer words.tokenizer --data text.txt --steps 1 --threads 1 -o sixty > out 2>&1 ||
    fail "a vocabulary of 60: $(cat out)"
grep -q '"vocab_size": 60' sixty/config.json || fail "is the model's: $(cat sixty/config.json)"

"$PROGRAM" train --resume --vocab-size 50 -o sixty > out 2>&1 && fail "a run keeps its vocabulary"
grep -q -- "--vocab-size: the run's model has 60" out || fail "it is said: $(cat out)"

# What is done is done.
"$PROGRAM" train --resume -o sixty > out 2>&1 || fail "a run that is at its end: $(cat out)"
grep -q 'sixty: is at step 1, and --steps is 1: nothing is left' out || fail "it is said: $(cat out)"

# A run is evaluated ten times, however short it is.
# shellcheck disable=SC2086
"$PROGRAM" train $small --steps 20 -o tenths > out 2>&1 || fail "a short run: $(cat out)"
[ "$(grep -c '"held_out_loss"' tenths/log.jsonl)" = 10 ] || fail "a run of 20 steps is evaluated at every second: $(cat out)"
[ "$failed" = 0 ]
