#!/bin/sh
# `attend trace` in its four formats: shapes of the lessons, exact floats, patterns.
set -u
. tests/support.sh
toy='--model toy-copy --ids 1,5,4;1,3,6'

# The shapes that a learner must see.
"$PROGRAM" trace $toy > "$work/text" || fail "trace failed"
while read -r stage shape; do
    grep -q "^$stage  $shape  " "$work/text" || fail "expected $stage $shape, found $(grep "^$stage " "$work/text")"
done <<'SHAPES'
src.tokens (2,3)
src.input (2,3,8)
encoder.0.self_attn.q (2,2,3,4)
encoder.0.self_attn.scores (2,2,3,3)
encoder.0.self_attn.context (2,2,3,4)
encoder.0.self_attn.concat (2,3,8)
decoder.0.self_attn.q (2,2,2,4)
decoder.0.self_attn.scores (2,2,2,2)
decoder.0.cross_attn.scores (2,2,2,3)
logits (2,2,8)
SHAPES

# What is asked in cross-attention are the source's words, also where the target is as long.
for stage in decoder.0.cross_attn.k_proj decoder.0.cross_attn.v grad.decoder.0.cross_attn.k_proj; do
    "$PROGRAM" trace --model toy-copy --input 'dog run' --target 'cat sleep eat' --stage "$stage" > "$work/keys" ||
        fail "trace $stage"
    [ "$(grep -o '^    [<a-z][^ ]*' "$work/keys" | sort -u | tr -d ' \n')" = '<s>dogrun' ] ||
        fail "$stage is labelled $(cat "$work/keys")"
done

# The first numbers of head 0's context are the first of the concat row.
"$PROGRAM" trace $toy --stage 'encoder.0.self_attn.context' --format json > "$work/context"
"$PROGRAM" trace $toy --stage 'encoder.0.self_attn.concat' --format json > "$work/concat"
first=$(sed -n 's/.*"data":\[\[\[\[\([^]]*\)\].*/\1/p' "$work/context")
[ -n "$first" ] && grep -q "\"data\":\[\[\[$first," "$work/concat" || fail "context and concat differ: $first"

"$PROGRAM" trace $toy --stage '*.masked' | grep -q -- '-inf' || fail "no -inf in text"
"$PROGRAM" trace $toy --stage 'decoder.0.self_attn.masked' --format json | grep -q '"-inf"' || fail "no \"-inf\" in JSON"
[ "$("$PROGRAM" trace $toy --stage 'encoder.*' --stage 'memory' --format json | grep -c '"name"')" -gt 15 ] || fail "patterns select too little"
"$PROGRAM" trace $toy --grad --format json | grep -q '"grad.src_embed.weight"' || fail "--grad lacks parameters"
"$PROGRAM" trace $toy --stage 'grad.logits' | grep -q '^grad.logits' || fail "a grad. pattern needs no --grad"

# A tensor of more than 64 numbers is summarized unless it is asked for.
"$PROGRAM" trace --model gpt2-tiny --ids 1,2,3,4 > "$work/gpt"
grep -A3 '^logits ' "$work/gpt" | grep -q 'minimum' || fail "logits are not summarized"
[ "$("$PROGRAM" trace --model gpt2-tiny --ids 1,2,3,4 --stage logits | wc -w)" -gt 1024 ] || fail "--stage does not print it whole"

# Files: written whole, read back by inspect; npy into a folder.
"$PROGRAM" trace $toy --format safetensors -o "$work/t.safetensors" && "$PROGRAM" inspect "$work/t.safetensors" | grep -q 'decoder.0.cross_attn.weights' || fail "safetensors"
"$PROGRAM" trace $toy --stage logits --format npy -o "$work/l.npy" && "$PROGRAM" inspect "$work/l.npy" | grep -q '(2,2,8)' || fail "npy"
"$PROGRAM" trace $toy --format npy -o "$work/all" && [ -s "$work/all/encoder.0.self_attn.q.npy" ] || fail "npy folder"
# Chinese takes two columns a character: labels stand over their numbers.
"$PROGRAM" convert toy-copy "$work/zh" 2> /dev/null && sed -i 's/ dog$/ 狗/; s/ run$/ 奔跑/' "$work/zh/model.tokenizer"
"$PROGRAM" trace --model "$work/zh" --input '狗 奔跑' --stage encoder.0.self_attn.scores > "$work/zh.txt" || fail "Chinese words"
python3 - "$work/zh.txt" <<'PYTHON' || fail "labels do not stand over their columns: $(cat "$work/zh.txt")"
import sys, unicodedata
lines = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8")]
wide = lambda line: sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in line)
rows = [line for line in lines if line.startswith("    ")]
sys.exit(0 if len(rows) == 10 and len({wide(row) for row in rows}) == 1 else 1)
PYTHON

# Nothing is written over what is read.
"$PROGRAM" convert toy-copy "$work/model" 2> /dev/null && cp "$work/model/model.safetensors" "$work/kept"
ln -s model.safetensors "$work/model/other"
for output in "$work/model/model.safetensors" "$work/model/other"; do
    "$PROGRAM" trace --model "$work/model" --ids 1,5,4 --format safetensors -o "$output" > "$work/out" 2>&1 && fail "trace over its model"
    grep -q 'is the file that is read: expected another name' "$work/out" || fail "trace over its model: $(cat "$work/out")"
done
"$PROGRAM" inspect "$work/model/model.safetensors" -o "$work/model/model.safetensors" 2> /dev/null && fail "inspect over its file"
"$PROGRAM" inspect "$work/model" -o "$work/model/config.json" 2> /dev/null && fail "inspect over its folder's file"
"$PROGRAM" tokenizer train --data "$work/text" --vocab-size 60 -o "$work/text" 2> /dev/null && fail "a tokenizer over its text"
cmp -s "$work/kept" "$work/model/model.safetensors" || fail "the model was written over"
"$PROGRAM" trace --model "$work/model" --ids 1,5,4 --format json -o "$work/model/trace.json" || fail "trace beside its model"
printf '%s' '{"a": 1}' > "$work/one.json"
[ "$("$PROGRAM" inspect "$work/one.json" | head -1)" = "$work/one.json: 1 key, no tensors" ] || fail "1 key: $("$PROGRAM" inspect "$work/one.json" | head -1)"
"$PROGRAM" trace $toy --stage loss --format npy -o "$work/one.npy" && "$PROGRAM" inspect "$work/one.npy" | head -1 | grep -q '1 tensor in 1 file, 1 number, 4 B' ||
    fail "1 number: $("$PROGRAM" inspect "$work/one.npy" | head -1)"
"$PROGRAM" trace $toy > /dev/full 2> "$work/err"
[ $? = 1 ] && [ "$(grep -c . "$work/err")" = 1 ] || fail "a full device: $(cat "$work/err")"

# float32 survives JSON exactly: compared with the bytes of safetensors, where Python is there.
if command -v python3 > /dev/null; then
    "$PROGRAM" trace $toy --grad --format json -o "$work/t.json" && "$PROGRAM" trace $toy --grad --format safetensors -o "$work/t.safetensors"
    python3 - "$work" <<'PYTHON' || fail "JSON differs from safetensors"
import json, struct, sys
folder = sys.argv[1]
raw = open(folder + "/t.safetensors", "rb").read()
n = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + n])
stages = json.load(open(folder + "/t.json"))["stages"]
assert len(stages) > 150 and len(stages) == sum(k != "__metadata__" for k in header)
def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
for s in stages:
    h = header[s["name"]]
    data = raw[8 + n + h["data_offsets"][0]:8 + n + h["data_offsets"][1]]
    values = [float(v) for v in flat(s["data"])]
    assert h["shape"] == s["shape"], s["name"]
    packed = struct.pack("<%d%s" % (len(values), "i" if h["dtype"] == "I32" else "f"), *([int(v) for v in values] if h["dtype"] == "I32" else values))
    assert packed == data, s["name"]
PYTHON
else
    echo "skipped: the exactness of JSON floats, python3 is missing"
fi

# AdamW's means are no weights: they are kept from step to step, and explained by nothing.
# An update is that of the preset, or of the run that the model is from: optimizer, constants, clipping.
"$PROGRAM" explain --model gpt2-tiny --ids 1,5,4 'update.transformer.ln_f.bias[3]' > "$work/update" 2>/dev/null || fail "update of a preset"
grep -q '^g = .*·' "$work/update" && grep -q 'update.clip' "$work/update" && grep -q '^v = 0.99' "$work/update" ||
    fail "the preset's clipping or β₂ is missing: $(cat "$work/update")"
"$PROGRAM" train --preset toy-copy --data made:copy --steps 2 --optimizer sgd --lr 0.125 --clip 0.001 --held-out 0 -o "$work/sgd" > /dev/null 2>&1 || fail "train"
"$PROGRAM" explain --model "$work/sgd" --ids 1,5,4 'update.generator.bias[0]' > "$work/update" 2>/dev/null || fail "update of a run"
grep -q '^SGD: ' "$work/update" && grep -q '0.125·' "$work/update" && grep -q 'update.clip' "$work/update" ||
    fail "a run with SGD is explained so: $(cat "$work/update")"
# Of a run it is the next one: the checkpoint's m, v and step, its schedule's rate, its clipping. With one
# pair alone to learn from, the update that is explained is the one that the run then made.
for i in 1 2 3 4; do printf 'dog run\tdog run\n'; done > "$work/one.tsv"
for how in 'adamw --clip 0.05 --schedule cosine' 'adamw --schedule 2017 --beta2 0.9 --decay 0.3' 'sgd --clip 0.01 --schedule linear'; do
    rm -rf "$work/next"
    # shellcheck disable=SC2086 # options are words
    "$PROGRAM" train --preset toy-copy --data "$work/one.tsv" --batch 1 --length 6 --held-out 0 --warmup 3 --steps 5 --save-every 1 --keep 9 \
        --optimizer $how -o "$work/next" > "$work/out" 2>&1 || fail "train with $how: $(cat "$work/out")"
    for step in 1 2 4; do
        for parameter in generator.bias encoder.layers.0.norm1.weight src_embed.weight; do
            case $parameter in src*) cell=5,1 ;; *) cell=1 ;; esac
            after=$("$PROGRAM" trace --model "$work/next/step-0000000$((step + 1))" --ids 1,5,4 --stage $parameter --format json |
                python3 -c 'import json, sys; data = json.load(sys.stdin)["stages"][0]["data"]
for i in map(int, sys.argv[1].split(",")): data = data[i]
print(data)' $cell)
            "$PROGRAM" explain --model "$work/next/step-0000000$step" --input 'dog run' --target 'dog run' "update.$parameter[$cell]" > "$work/update" 2> "$work/err"
            stored=$(sed -n 's/^stored: //p' "$work/update")
            python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= 2e-6)' "$stored" "$after" ||
                fail "$how: update $((step + 1)) of $parameter[$cell] is explained as $stored, and was $after"
            grep -q "^update $((step + 1)), learning rate" "$work/update" && grep -q "as step $step of the run left them" "$work/update" ||
                fail "which update: $(tail -2 "$work/update")"
        done
    done
done

"$PROGRAM" explain --model toy-copy --ids 1,5,4 'update.m.generator.bias[0]' > "$work/mean"
grep -q 'a running mean that the optimizer keeps' "$work/mean" && grep -q 'kept from step to step; it is 0 before the first' "$work/mean" ||
    fail "a mean is explained as $(cat "$work/mean")"
grep -q '^from ' "$work/mean" && fail "a mean comes from itself"

# A preset's costs are known without its weights: GPT-2's own number of parameters.
"$PROGRAM" inspect gpt2-124m --format json | grep -q '"parameters":124439808' || fail "gpt2-124m has another number of parameters"
"$PROGRAM" inspect toy-copy | grep -q '^words: <pad> <s> </s> cat run dog sleep eat' || fail "inspect does not know the toy's words"

# The plain walk visits every stage and ends well.
"$PROGRAM" learn 13 > "$work/walk" || fail "learn 13 failed"
grep -q '^loss ' "$work/walk" && grep -q '^grad.src.input ' "$work/walk" || fail "the walk is not whole"

# Dropout is of training: a trace has it where it has gradients, and a run forward is the model as it is used.
cp -r assets/models/toy-copy "$work/dropping"
sed -i 's/{/{"dropout": 0.5,/' "$work/dropping/config.json"
for model in toy-copy "$work/dropping"; do
    "$PROGRAM" trace --model "$model" --ids '1,5,4;1,3,6' --target-ids '1,5,4;1,3,6' --format npy --stage logits -o "$work/$(basename "$model").npy"
done
cmp -s "$work/toy-copy.npy" "$work/dropping.npy" || fail "a trace without gradients drops nothing"
"$PROGRAM" trace --model "$work/dropping" --ids '1,5,4;1,3,6' --target-ids '1,5,4;1,3,6' --grad | grep -q '^encoder.0.dropout' ||
    fail "a trace with gradients drops"
[ "$failed" = 0 ]
