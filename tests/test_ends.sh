#!/bin/sh
# The tokens that end a text, and dropout, stay with a model on all its ways: trained on, resumed, converted.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD
export ATTEND_ASSETS
cd "$work" || exit 1
stories 40 3 > text
"$PROGRAM" tokenizer train --data text --vocab-size 60 -o words.tokenizer 2> err || fail "a tokenizer: $(cat err)"
mkdir model
printf '{"model_type": "gpt2", "vocab_size": 60, "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 32, "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}' > model/config.json
cp words.tokenizer model/model.tokenizer
"$PROGRAM" convert --untrained model start 2> err || fail "initial weights: $(cat err)"
ids() { "$PROGRAM" generate --model "$1" --prompt-ids 5,6 -t 5 --seed 3 --tokens 20 --only-new --ids 2> err; }
# ends FOLDER: a text of the model ends before its fourth and its sixth token, where these end texts
ends() {
    [ -s "$1/generation_config.json" ] || fail "$1 has no generation_config.json"
    n=$(ids "$1" | tr , '\n' | grep -cx -e "$fourth" -e "$sixth")
    [ "$n" = 0 ] || fail "$1: $(ids "$1") goes on behind $fourth or $sixth"
}
all=$(ids start)
fourth=$(echo "$all" | cut -d , -f 4)
sixth=$(echo "$all" | cut -d , -f 6)
printf '{"eos_token_id": [%s, %s]}\n' "$fourth" "$sixth" > start/generation_config.json
ends start
train='train --batch 2 --length 8 --lr 0 --held-out 0 --eval-every 0 --save-every 0'
"$PROGRAM" $train --config start --data text --steps 1 -o run > out 2> err || fail "train: $(cat err)"
ends run
ends run/step-00000001
"$PROGRAM" train --resume --steps 2 -o run > out 2> err || fail "resume: $(cat err)"
ends run
ends run/step-00000002
"$PROGRAM" convert run copy 2> err || fail "convert: $(cat err)"
ends copy
"$PROGRAM" convert copy copy2 --dtype bf16 2> err || fail "convert to bf16: $(cat err)"
ends copy2
"$PROGRAM" $train --config copy --data text --steps 1 -o again > out 2> err || fail "train again: $(cat err)"
ends again
"$PROGRAM" convert copy copy.bin 2> err || fail "convert to llm.c: $(cat err)"
grep -q 'that end a text and dropout stay behind' err || fail "what a .bin cannot hold: $(cat err)"
# Dropout of all three places: read from a folder, at work in training, and kept.
sed 's/"resid_pdrop": [0-9.]*/"resid_pdrop": 0.125/; s/"embd_pdrop": [0-9.]*/"embd_pdrop": 0.25/; s/"attn_pdrop": [0-9.]*/"attn_pdrop": 0.375/' start/config.json > config
kept() {
    for field in '"resid_pdrop": 0.125' '"embd_pdrop": 0.25' '"attn_pdrop": 0.375'; do
        grep -q "$field" "$1/config.json" || fail "$1 has lost $field: $(grep pdrop "$1/config.json")"
    done
}
cp -r start dropping && mv config dropping/config.json
losses() { sed -n 's/.*"loss": *\([0-9.]*\).*/\1/p' "$1/log.jsonl" | paste -sd ' ' -; }
for model in start dropping; do
    "$PROGRAM" train --batch 2 --length 8 --lr 0.01 --seed 1 --held-out 0 --eval-every 0 --save-every 2 --config $model \
        --data text --steps 4 -o of-$model > out 2> err || fail "train $model: $(cat err)"
done
[ -n "$(losses of-start)" ] && [ "$(losses of-start)" != "$(losses of-dropping)" ] || fail "dropout of a folder has no effect: $(losses of-dropping)"
kept of-dropping
"$PROGRAM" train --resume --steps 6 -o of-dropping > out 2> err || fail "resume with dropout: $(cat err)"
kept of-dropping/step-00000006
"$PROGRAM" convert of-dropping dropped 2> err || fail "convert with dropout: $(cat err)"
kept dropped

# A list in config.json is kept too.
rm start/generation_config.json
sed -i "s/\"eos_token_id\": [a-z0-9]*/\"eos_token_id\": [$fourth, $sixth]/" start/config.json
"$PROGRAM" convert start list 2> err || fail "a list: $(cat err)"
ends list
[ "$failed" = 0 ]
