#!/bin/sh
# `attend trace` in its four formats: shapes of the lessons, exact floats, patterns.
set -u
attend=$PROGRAM
case $attend in */*) ;; *) attend=./$attend ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
say() { echo "$*"; bad=1; }
toy='--model toy-copy --ids 1,5,4;1,3,6'

# The shapes that a learner must see.
"$attend" trace $toy > "$folder/text" || say "trace failed"
while read -r stage shape; do
    grep -q "^$stage  $shape  " "$folder/text" || say "expected $stage $shape, found $(grep "^$stage " "$folder/text")"
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

# The first numbers of head 0's context are the first of the concat row.
"$attend" trace $toy --stage 'encoder.0.self_attn.context' --format json > "$folder/context"
"$attend" trace $toy --stage 'encoder.0.self_attn.concat' --format json > "$folder/concat"
first=$(sed -n 's/.*"data":\[\[\[\[\([^]]*\)\].*/\1/p' "$folder/context")
[ -n "$first" ] && grep -q "\"data\":\[\[\[$first," "$folder/concat" || say "context and concat differ: $first"

"$attend" trace $toy --stage '*.masked' | grep -q -- '-inf' || say "no -inf in text"
"$attend" trace $toy --stage 'decoder.0.self_attn.masked' --format json | grep -q '"-inf"' || say "no \"-inf\" in JSON"
[ "$("$attend" trace $toy --stage 'encoder.*' --stage 'memory' --format json | grep -c '"name"')" -gt 15 ] || say "patterns select too little"
"$attend" trace $toy --grad --format json | grep -q '"grad.src_embed.weight"' || say "--grad lacks parameters"
"$attend" trace $toy --stage 'grad.logits' | grep -q '^grad.logits' || say "a grad. pattern needs no --grad"

# A tensor of more than 64 numbers is summarized unless it is asked for.
"$attend" trace --model gpt2-tiny --ids 1,2,3,4 > "$folder/gpt"
grep -A3 '^logits ' "$folder/gpt" | grep -q 'minimum' || say "logits are not summarized"
[ "$("$attend" trace --model gpt2-tiny --ids 1,2,3,4 --stage logits | wc -w)" -gt 1024 ] || say "--stage does not print it whole"

# Files: written whole, read back by inspect; npy into a folder.
"$attend" trace $toy --format safetensors -o "$folder/t.safetensors" && "$attend" inspect "$folder/t.safetensors" | grep -q 'decoder.0.cross_attn.weights' || say "safetensors"
"$attend" trace $toy --stage logits --format npy -o "$folder/l.npy" && "$attend" inspect "$folder/l.npy" | grep -q '(2,2,8)' || say "npy"
"$attend" trace $toy --format npy -o "$folder/all" && [ -s "$folder/all/encoder.0.self_attn.q.npy" ] || say "npy folder"
"$attend" trace $toy > /dev/full 2> "$folder/err"
[ $? = 1 ] && [ "$(grep -c . "$folder/err")" = 1 ] || say "a full device: $(cat "$folder/err")"

# float32 survives JSON exactly: compared with the bytes of safetensors, where Python is there.
if command -v python3 > /dev/null; then
    "$attend" trace $toy --grad --format json -o "$folder/t.json" && "$attend" trace $toy --grad --format safetensors -o "$folder/t.safetensors"
    python3 - "$folder" <<'PYTHON' || say "JSON differs from safetensors"
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
"$attend" explain --model toy-copy --ids 1,5,4 'update.m.generator.bias[0]' > "$folder/mean"
grep -q 'a mean that the optimizer keeps' "$folder/mean" && grep -q 'kept from step to step: 0 before the first' "$folder/mean" ||
    say "a mean is explained as $(cat "$folder/mean")"
grep -q '^from ' "$folder/mean" && say "a mean comes from itself"

# A preset's costs are known without its weights: GPT-2's own number of parameters.
"$attend" inspect gpt2-124m --format json | grep -q '"parameters":124439808' || say "gpt2-124m has another number of parameters"
"$attend" inspect toy-copy | grep -q '^words: <pad> <s> </s> cat run dog sleep eat' || say "inspect does not know the toy's words"

# The plain walk visits every stage and ends well.
"$attend" learn 13 > "$folder/walk" || say "learn 13 failed"
grep -q '^loss ' "$folder/walk" && grep -q '^grad.src.input ' "$folder/walk" || say "the walk is not whole"
exit $bad
