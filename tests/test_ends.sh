#!/bin/sh
# The tokens that end a text stay with a model on all its ways: trained on, resumed, converted.
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
# A list in config.json is kept too.
rm start/generation_config.json
sed -i "s/\"eos_token_id\": [a-z0-9]*/\"eos_token_id\": [$fourth, $sixth]/" start/config.json
"$PROGRAM" convert start list 2> err || fail "a list: $(cat err)"
ends list
[ "$failed" = 0 ]
