#!/bin/sh
# Drives `attend train`: killed and resumed, signalled, on a full disk, from damaged checkpoints.
set -u
. tests/support.sh

# Numbers of a log that do not depend on the clock.
numbers() {
    sed 's/,"tokens_per_second.*/}/' "$1"
}

# Text of about 20 kB, and a model small enough for a sanitized program.
stories 120 5 > "$work/text.txt"
cat > "$work/config.json" << 'END'
{"family": "gpt2", "vocab_size": 60, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2, "dropout": 0.1}
END
options="--config $work/config.json --data $work/text.txt --batch 2 --accumulate 2 --length 16
    --steps 60 --warmup 5 --eval-every 10 --eval-batches 2 --save-every 5 --keep 2 --threads 1"

# shellcheck disable=SC2086 # options are words
"$PROGRAM" train $options -o "$work/whole" > "$work/out" 2>&1 || {
    cat "$work/out"
    fail "a run of 60 steps"
}
[ "$(grep -c '"loss"' "$work/whole/log.jsonl")" = 60 ] || fail "the log has a line for each of 60 steps"
[ "$(find "$work/whole" -maxdepth 1 -name 'step-*' | wc -l)" -le 3 ] || fail "only the last two and the best stay"
[ -f "$work/whole/model.safetensors" ] || fail "the run's folder is a model"
grep -q '"bos_token_id": 1,' "$work/whole/config.json" && grep -q '"eos_token_id": 2' "$work/whole/config.json" ||
    fail "config.json names the ids that begin and end a text: $(cat "$work/whole/config.json")"

# One process needs no MPI: the program alone, without the plugins that lie beside it.
mkdir "$work/alone"
cp "$PROGRAM" "$work/alone/attend"
ldd "$work/alone/attend" | grep -i 'libmpi\|libopen-\|libpmi' && fail "the program is linked with MPI"
# shellcheck disable=SC2086
"$work/alone/attend" train $options -o "$work/alone/run" > "$work/out" 2>&1 || fail "without attend-mpi.so: $(cat "$work/out")"
numbers "$work/alone/run/log.jsonl" > "$work/b"
numbers "$work/whole/log.jsonl" | cmp -s - "$work/b" || fail "without attend-mpi.so the losses are the same"

# Killed at any instant and taken up again: the same numbers. The first two tries die wherever they
# are; a slow machine gets as far as its first checkpoint in the others; the last is let through.
tries=0
while :; do
    tries=$((tries + 1))
    # Without a checkpoint to go on from it needs all options, and no log.
    again="--resume"
    [ -d "$work/killed/last/" ] || { again="$options --resume" && rm -f "$work/killed/log.jsonl"; }
    # shellcheck disable=SC2086
    "$PROGRAM" train $again --threads 1 -o "$work/killed" > "$work/out" 2>&1 & child=$!
    [ "$tries" -lt 12 ] || break
    while [ "$tries" -gt 2 ] && [ ! -d "$work/killed/last/" ] && kill -0 "$child" 2> /dev/null; do
        sleep 0.05
    done
    sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%02d", 2 + $1 % 28 }')"
    kill -0 "$child" 2> /dev/null || break
    kill -9 "$child" 2> /dev/null
    wait "$child" 2> /dev/null
done
wait "$child" || fail "the last try: $(cat "$work/out")"
child=
numbers "$work/whole/log.jsonl" > "$work/a"
numbers "$work/killed/log.jsonl" > "$work/b"
cmp -s "$work/a" "$work/b" || {
    cat "$work/out"
    diff "$work/a" "$work/b" | head -5
    fail "killed $tries times, the losses are those of the run that was not"
}
cmp -s "$work/whole/last/model.safetensors" "$work/killed/last/model.safetensors" ||
    fail "killed $tries times, the weights are those of the run that was not"

# SIGTERM: the step is finished and saved, the exit status is 143; SIGINT: 130; SIGUSR1 goes on.
stop() { # signal, status
    rm -rf "$work/stopped"
    # shellcheck disable=SC2086
    "$PROGRAM" train $options --steps 100000 --save-every 0 -o "$work/stopped" > "$work/out" 2>&1 & child=$!
    written "$work/stopped/log.jsonl"
    if [ "$1" = INT ]; then # children of a script ignore Ctrl-C: sent by its number all the same
        kill -USR1 "$child"
        written "$work/stopped/last/state.json"
        kill -0 "$child" || fail "SIGUSR1 saves and goes on"
    fi
    kill -"$1" "$child"
    wait "$child"
    status=$?
    child=
    [ "$status" = "$2" ] || fail "SIG$1 ends with $2, found $status: $(cat "$work/out")"
    step=$(sed -n 's/.*"step": \([0-9]*\),.*/\1/p' "$work/stopped/last/state.json")
    [ "$step" = "$(wc -l < "$work/stopped/log.jsonl")" ] || fail "SIG$1 saves the step it stopped after"
}
stop TERM 143
stop INT 130

# The training view of a run.
"$PROGRAM" train --watch -o "$work/whole" > "$work/out" 2>&1 || fail "--watch: $(cat "$work/out")"
grep -q 'step 60 of 60  finished' "$work/out" || fail "--watch draws 60 steps: $(cat "$work/out")"
grep -q 'held-out' "$work/out" || fail "--watch says the held-out loss: $(cat "$work/out")"
grep -q "$(printf '\033')" "$work/out" && fail "--watch writes no control codes into a pipe"
"$PROGRAM" train --watch -o "$work/whole" --with "$work/killed" > "$work/out" 2>&1 || fail "--watch --with: $(cat "$work/out")"
grep -q "$work/killed" "$work/out" || fail "--with draws the other run: $(cat "$work/out")"
"$PROGRAM" train --with "$work/killed" -o "$work/x" > "$work/out" 2>&1
[ $? = 2 ] || fail "--with without --watch is wrong usage"
"$PROGRAM" train --watch -o "$work/nothing" > "$work/out" 2>&1 && fail "--watch needs a run"

# A damaged checkpoint is refused, the one before is offered.
newest=$(basename "$(readlink "$work/whole/last")")
cp -r "$work/whole" "$work/damaged"
printf x | dd of="$work/damaged/$newest/model.safetensors" bs=1 seek=5000 conv=notrunc 2> /dev/null
if "$PROGRAM" train --resume -o "$work/damaged" > "$work/out" 2>&1; then
    fail "a damaged checkpoint is refused"
fi
grep -q 'model.safetensors: damaged: expected the checksum' "$work/out" || fail "its file is named: $(cat "$work/out")"
before=$(sed -n 's/.*--resume-from \([0-9]*\) takes it.*/\1/p' "$work/out")
[ -n "$before" ] || fail "the one before is offered: $(cat "$work/out")"
sed 's/"lr": 0.001/"lr": 0.002/' "$work/whole/$newest/state.json" > "$work/damaged/$newest/state.json"
"$PROGRAM" train --resume -o "$work/damaged" > "$work/out" 2>&1 && fail "a state that was changed is refused"
grep -q "state.json: damaged: .*--resume-from $before takes it" "$work/out" || fail "of a changed state, too: $(cat "$work/out")"
"$PROGRAM" train --resume-from "$before" -o "$work/damaged" > "$work/out" 2>&1 || fail "going on from the one before: $(cat "$work/out")"
numbers "$work/damaged/log.jsonl" > "$work/b"
cmp -s "$work/a" "$work/b" || fail "the losses after it are the same"

# Damaged tokens, too: with the way to have them again.
cp -r "$work/whole" "$work/tokens"
printf '\377\377\377\377' | dd of="$work/tokens/data/train-00000.tokens" bs=1 seek=200 conv=notrunc 2> /dev/null
"$PROGRAM" train --resume --steps 62 -o "$work/tokens" > "$work/out" 2>&1
[ "$?" = 1 ] || fail "damaged tokens are refused"
grep -q 'tokens: damaged: .*; delete .*/data and it is made again' "$work/out" || fail "with a sentence: $(cat "$work/out")"
rm -r "$work/tokens/data"
"$PROGRAM" train --resume --steps 62 -o "$work/tokens" > "$work/out" 2>&1 || fail "the tokens are made again: $(cat "$work/out")"

# A run that is there is not overwritten, and its data must not change.
# shellcheck disable=SC2086
"$PROGRAM" train $options -o "$work/whole" > "$work/out" 2>&1 && fail "a run that is there is not overwritten"
"$PROGRAM" train --resume -o "$work/whole" --batch 3 > "$work/out" 2>&1 && fail "another batch is refused when a run goes on"
grep -q -- '--batch' "$work/out" || fail "the sentence names the option: $(cat "$work/out")"

# Nothing is written through the links of a run into its checkpoints.
for to in "$work/whole" "$work/whole/last" "$work/whole/$newest"; do
    "$PROGRAM" convert "$work/whole" "$to" --dtype bf16 > "$work/out" 2>&1 && fail "a run is no place to convert to: $to"
    grep -q 'holds a run\|is the \(file\|folder\) that is read' "$work/out" || fail "with a sentence: $(cat "$work/out")"
done
"$PROGRAM" convert "$work/whole/tokenizer.tokenizer" "$work/whole/tokenizer.tokenizer" > "$work/out" 2>&1 && fail "a run's tokenizer is not written over"
"$PROGRAM" train --resume -o "$work/whole" > "$work/out" 2>&1 || fail "the run is as it was: $(cat "$work/out")"

# While somebody trains in the folder nothing in it changes.
mkdir "$work/whole/.new-step-00000099"
for more in "" --dry-run; do
    # shellcheck disable=SC2086
    flock "$work/whole/lock" "$PROGRAM" train --resume $more -o "$work/whole" > "$work/out" 2>&1 && [ -z "$more" ] &&
        fail "a folder that somebody trains in is refused"
    [ -d "$work/whole/.new-step-00000099" ] || fail "--resume $more leaves a live run's unfinished checkpoint"
done
rmdir "$work/whole/.new-step-00000099"

# The tokens are in the run's folder: it goes on without the file they came from.
mv "$work/text.txt" "$work/gone.txt"
"$PROGRAM" train --resume --steps 62 -o "$work/killed" > "$work/out" 2>&1 || fail "a run goes on without its text: $(cat "$work/out")"
mv "$work/gone.txt" "$work/text.txt"

# The log has every step once, and its seconds go on where the run was taken up.
awk -F '[:,}]' '{ for (i = 1; i < NF; i++) { if ($i ~ /"step"/) step = $(i + 1); if ($i ~ /"seconds"/) seconds = $(i + 1) }
    if (step != NR || seconds + 0.02 < last) { print "line " NR ": step " step ", " seconds " s after " last " s"; exit 1 }; last = seconds }' \
    "$work/killed/log.jsonl" > "$work/out" || fail "a log goes on: $(cat "$work/out")"
"$PROGRAM" train --resume -o "$work/typo" > "$work/out" 2>&1 && fail "nothing can be gone on with where nothing is"
grep -q 'typo: there is no run to continue' "$work/out" || fail "that is said: $(cat "$work/out")"
[ ! -e "$work/typo" ] || fail "nothing is made for it"

# A copy that has files where the run has links goes on as well.
cp -rL "$work/killed" "$work/copied"
"$PROGRAM" train --resume --steps 63 -o "$work/copied" > "$work/out" 2>&1 || fail "a copy without links goes on: $(cat "$work/out")"
[ -L "$work/copied/last" ] || fail "a copy gets its links again"

# It does not go on with another text, tokenizer or model than it was started with, and says which.
differs() { # word, option...
    word=$1
    shift
    "$PROGRAM" train --resume --steps 64 -o "$work/killed" "$@" > "$work/out" 2>&1 && fail "$* is refused"
    grep -qF -- "$word" "$work/out" || fail "$*: expected \"$word\": $(cat "$work/out")"
}
differs '--paragraphs: differs from' --paragraphs
differs '--separator: differs from' --separator '##'
differs '--preset toy-copy: is not the model' --preset toy-copy
printf 'a b c d e f g h i j k l m n o p q r s t u v w x y z cat dog' > "$work/other.txt"
"$PROGRAM" tokenizer train --vocab-size 40 -o "$work/other.tokenizer" "$work/other.txt" > "$work/out" 2>&1 || fail "another tokenizer: $(cat "$work/out")"
differs 'other.tokenizer: differs from what' --tokenizer "$work/other.tokenizer"
cp -r "$work/killed/data" "$work/kept"
rm "$work/killed/data"/*
mv "$work/text.txt" "$work/gone.txt"
sed 's/cat/cow/' "$work/gone.txt" > "$work/text.txt"
differs 'differ from those that the run was started with'
differs 'differ from those that the run was started with' # nor the second time, with the tokens that the first one made
mv "$work/gone.txt" "$work/text.txt"
# What would begin this run goes on with it, and so does the text put back.
# shellcheck disable=SC2086
(cd "$work" && "$PROGRAM" train $(printf '%s' "$options" | sed "s|--data $work/|--data ./|") --lr 0.001 --tokenizer "$work/killed/last" --resume --steps 64 -o "$work/killed") > "$work/out" 2>&1 ||
    fail "the same again is no change: $(cat "$work/out")"
cmp -s "$work/kept/train-00000.tokens" "$work/killed/data/train-00000.tokens" || fail "the tokens are made again"

# Learning too fast ends with a sentence, and what can be gone on from stays.
# shellcheck disable=SC2086
"$PROGRAM" train $options --optimizer sgd --lr 1e6 --clip 0 --schedule constant --warmup 0 --save-every 1 -o "$work/fast" > "$work/out" 2>&1
[ "$?" = 1 ] || fail "a run that diverges ends with 1"
grep -q 'is not a finite number, nothing was updated; .*--lr.*--clip 1.*; the checkpoint of step [0-9]* stays' "$work/out" ||
    fail "a run that diverges says what to try: $(cat "$work/out")"
"$PROGRAM" train --resume -o "$work/fast" > "$work/out" 2>&1 && fail "it diverges again"
grep -q 'is not a finite number, .*--resume-from [0-9]* takes it\|there is no whole checkpoint before it' "$work/out" || fail "the one before is offered: $(cat "$work/out")"

# Pairs, in many lengths, and a sample now and then.
awk 'BEGIN { split("cat dog bird fish tree house ball boat", noun, " ")
    for (i = 0; i < 90; i++) {
        line = ""
        for (k = 0; k <= i % 9; k++) line = line " " noun[(i + k * 3) % 8 + 1]
        print "the" line "\tthe" line
    } }' > "$work/pairs.tsv"
cat > "$work/pairs.json" << 'END'
{"family": "encoder-decoder", "vocab_size": 48, "d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32,
 "pad_id": 0, "bos_id": 1, "eos_id": 2, "dropout": 0.1, "label_smoothing": 0.1}
END
"$PROGRAM" train --config "$work/pairs.json" --data "$work/pairs.tsv" --batch 6 --length 40 --steps 30 --schedule 2017 \
    --warmup 10 --lr 1 --eval-every 10 --sample-every 10 --threads 1 -o "$work/pairs" > "$work/out" 2>&1 || fail "pairs: $(cat "$work/out")"
grep -q 'with label smoothing of 0.1, also of the held-out data' "$work/out" || fail "which losses are told: $(cat "$work/out")"
"$PROGRAM" eval --model "$work/pairs" --data "$work/pairs.tsv" --limit 2 > "$work/out" || fail "eval of the run"
grep -q 'without the label smoothing of 0.1' "$work/out" || fail "eval says which loss: $(cat "$work/out")"
[ "$(grep -c '"sample":' "$work/pairs/log.jsonl")" = 3 ] || fail "three samples of pairs are in the log"
"$PROGRAM" train --config "$work/pairs.json" --data "$work/text.txt" -o "$work/x" > "$work/out" 2>&1 && fail "texts for a model with two sides are refused"
grep -q 'holds texts, but the model has two sides' "$work/out" || fail "with a sentence: $(cat "$work/out")"

# As many tokens at a time as it learned from; and no number of a damaged model.
"$PROGRAM" eval --model "$work/whole" --data "$work/text.txt" > "$work/out" || fail "eval of a run"
grep -q '^tokens .*, 16 at a time$' "$work/out" || fail "eval takes the run's length: $(cat "$work/out")"
cp -rL "$work/whole/last" "$work/bent"
printf '\377\377\377\377' | dd of="$work/bent/model.safetensors" bs=1 seek=9000 conv=notrunc 2> /dev/null
for command in "generate --prompt the" "eval --data $work/text.txt"; do
    # shellcheck disable=SC2086
    "$PROGRAM" $command --model "$work/bent" > "$work/out" 2>&1 && fail "a damaged model is refused: $command"
    grep -q 'bent/model.safetensors: damaged: expected the checksum' "$work/out" || fail "with a sentence: $(cat "$work/out")"
done
rm "$work/bent/state.json"
"$PROGRAM" eval --model "$work/bent" --data "$work/text.txt" > "$work/out" 2>&1 && fail "a loss that is no number is refused"
grep -q 'the loss is not a finite number: the weights of .*bent' "$work/out" || fail "with a sentence: $(cat "$work/out")"

# What llm.c's files do not hold is brought along; links to a checkpoint that is gone are explained.
"$PROGRAM" convert "$work/whole" "$work/there.bin" 2> "$work/out" && "$PROGRAM" convert "$work/there.bin" "$work/here" 2>> "$work/out" ||
    fail "to llm.c and back: $(cat "$work/out")"
for model in "$work/whole" "$work/here"; do
    "$PROGRAM" eval --model "$model" --tokenizer "$work/whole" --length 16 --data "$work/text.txt"
done > "$work/out" 2>&1 || fail "eval with a tokenizer: $(cat "$work/out")"
[ "$(sort -u "$work/out" | wc -l)" = 3 ] || fail "both have one loss: $(cat "$work/out")"
"$PROGRAM" eval --model "$work/here" --data "$work/text.txt" > "$work/out" 2>&1 && fail "without a tokenizer"
grep -q 'has no tokenizer, which the data needs; --tokenizer T brings one' "$work/out" || fail "it is said: $(cat "$work/out")"
cp -r "$work/whole" "$work/bestless"
rm -r "$work/bestless/$(readlink "$work/bestless/best")"
"$PROGRAM" generate --model "$work/bestless" --prompt the > "$work/out" 2>&1 && fail "the best checkpoint is gone"
grep -q 'the checkpoint that its link `best` names is gone; there still is .*/step-' "$work/out" || fail "it is said: $(cat "$work/out")"

# Going back loses nothing: later checkpoints and the whole log are kept aside.
cp -r "$work/whole" "$work/back"
"$PROGRAM" train --resume-from 55 --steps 57 -o "$work/back" > "$work/out" 2>&1 || fail "going back: $(cat "$work/out")"
grep -q "going back to step 55: what came after it lies in $work/back/after-step-00000055" "$work/out" || fail "it is said: $(cat "$work/out")"
cmp -s "$work/whole/log.jsonl" "$work/back/after-step-00000055/log.jsonl" || fail "the log is kept"
cmp -s "$work/whole/step-00000060/model.safetensors" "$work/back/after-step-00000055/step-00000060/model.safetensors" ||
    fail "the later checkpoint is kept: $(ls "$work/back" "$work/back/after-step-00000055")"

# A run has a checkpoint from its first step on, and a log without one is not written over.
# shellcheck disable=SC2086
"$PROGRAM" train $options --save-every 1000 -o "$work/early" > "$work/out" 2>&1 & child=$!
written "$work/early/last/state.json"
kill -9 "$child"
wait "$child" 2> /dev/null
child=
"$PROGRAM" train --resume -o "$work/early" > "$work/out" 2>&1 || fail "a run killed early goes on: $(cat "$work/out")"
for name in early whole; do sed 's/,"held_out.*//; s/,"learning.*//; s/,"lr.*//' "$work/$name/log.jsonl" > "$work/$name.losses"; done
cmp "$work/early.losses" "$work/whole.losses" || fail "with the losses of the whole run"
rm -r "$work"/early/step-*
# shellcheck disable=SC2086
"$PROGRAM" train $options -o "$work/early" > "$work/out" 2>&1 && fail "a log without a checkpoint is not written over"
grep -q 'holds the log of a run without a checkpoint' "$work/out" || fail "it is said: $(cat "$work/out")"

# Too little data: said at once, with what is needed.
printf 'the cat sees the dog.' > "$work/short.txt"
# shellcheck disable=SC2086
"$PROGRAM" train $(echo "$options" | sed s/text.txt/short.txt/) --tokenizer "$work/whole/last" -o "$work/short" > "$work/out" 2>&1 && fail "too little data is refused"
grep -q 'too few: a batch of 4 sequences of 16 needs 65' "$work/out" || fail "the size needed is said: $(cat "$work/out")"
"$PROGRAM" train --preset gpt2-tiny --data "$work/text.txt" --device cuda -o "$work/x" > "$work/out" 2>&1 && fail "--device cuda is refused"
grep -q 'CUDA' "$work/out" || fail "there is no CUDA backend: $(cat "$work/out")"

# A full disk is reported and the last good checkpoint stays.
mkdir "$work/small"
if mount -t tmpfs -o size=4m none "$work/small" 2> /dev/null; then
    mounted=$work/small
    # shellcheck disable=SC2086
    "$PROGRAM" train $options --steps 10 --keep 1 -o "$work/small/run" > "$work/out" 2>&1 || fail "there is room for one run: $(cat "$work/out")"
    dd if=/dev/zero of="$work/small/fill" bs=1k 2> /dev/null
    "$PROGRAM" train --resume --steps 20 -o "$work/small/run" > "$work/out" 2>&1
    status=$?
    [ "$status" = 1 ] || fail "a run that could not be saved ends with 1, found $status: $(cat "$work/out")"
    grep -q 'could not be saved, the checkpoint before it stays: .*No space left' "$work/out" || fail "the full disk is reported: $(cat "$work/out")"
    grep -q 'ended, but not saved, after step 20' "$work/out" || fail "it does not end as done: $(cat "$work/out")"
    rm "$work/small/fill"
    "$PROGRAM" train --resume --steps 12 -o "$work/small/run" > "$work/out" 2>&1 || fail "the last good checkpoint stays: $(cat "$work/out")"
    rm -r "$work/small/run"
    dd if=/dev/zero of="$work/small/fill" bs=1k 2> /dev/null
    truncate -s -112K "$work/small/fill" # room for tokens, but not for a checkpoint
    # shellcheck disable=SC2086
    "$PROGRAM" train $options --steps 10 --save-every 0 --tokenizer "$work/whole/last" -o "$work/small/run" > "$work/out" 2>&1
    [ "$?" = 1 ] || fail "a run without any checkpoint ends with 1: $(cat "$work/out")"
    grep -q 'could not be saved, and there is no checkpoint yet: .*No space left' "$work/out" || fail "that none is there is said: $(cat "$work/out")"
else
    echo "skipped: a full disk (no right to mount a small one)"
fi
[ "$failed" = 0 ]
