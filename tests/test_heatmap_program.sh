#!/bin/sh
# test_heatmap_program.sh - drives `attend heatmap`: the files it writes, the sentences it refuses with.
set -u
. tests/support.sh
toy="--model tests/reference/translation-toy --ids 1,5,4;1,3,6 --target-ids 1,5,4;1,3,6"
gpt2="--model tests/reference/gpt2-small --ids 1,5,4,6"

draws() { # file, then options
    file=$work/$1
    shift
    TERM='' LC_ALL=C "$PROGRAM" heatmap "$@" -o "$file" > "$work/out" 2> "$work/err" ||
        fail "heatmap $*: $(cat "$work/err")"
    [ -s "$file" ] || fail "heatmap $*: no file"
    [ ! -s "$work/out" ] || fail "heatmap $*: writes on stdout"
}

refuses() { # exit status, part of the sentence, then options
    status=$1 sentence=$2
    shift 2
    "$PROGRAM" heatmap "$@" > "$work/out" 2> "$work/err"
    found=$?
    [ $found = "$status" ] || fail "heatmap $*: exit $found, expected $status"
    grep -qF -e "$sentence" "$work/err" || fail "heatmap $*: $(cat "$work/err")"
    [ "$(wc -l < "$work/err")" = 1 ] || fail "heatmap $*: expected one line of error"
}

# A PNG holds as many pixels as it says, and two runs give the same one.
draws a.png $toy --layer 0 --head 1
draws b.png $toy --layer 0 --head 1
cmp -s "$work/a.png" "$work/b.png" || fail 'two runs give the same bytes'
draws c.png $gpt2 --values --palette magma
draws d.png $gpt2 --head mean --title '注意力'
draws odd.svg $gpt2 --title "$(printf 'a\357\277\276b\357\277\277c \001 \302\205 \355\240\200 <&>')"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/odd.svg" || fail 'any title is XML'
draws f.png $gpt2 --scale row
draws g.png $gpt2 --scale linear
cmp -s "$work/f.png" "$work/g.png" && fail 'rows have their own colours'
draws e.png $gpt2 --font builtin
python3 - "$work"/?.png << 'END' || fail 'the PNG files are whole'
import struct, sys, zlib
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    assert len(zlib.decompress(data[41:41 + length])) == height * (1 + 3 * width)
END

# Numbers: rows of weights sum to 1, SVG and CSV agree, the mean is the mean, cross-attention has both sides.
draws all.csv $gpt2
draws mean.csv $gpt2 --head mean
draws all.svg $gpt2
draws cross.csv $toy --stage '*.cross_attn.weights' --item 1
draws scores.csv $toy --stage 'decoder.0.self_attn.masked'
draws grad.csv $toy --stage 'grad.encoder.0.self_attn.q'
python3 - "$work" << 'END' || fail 'the numbers agree'
import csv, sys, xml.etree.ElementTree as tree
folder = sys.argv[1]
def rows(name):
    with open(f"{folder}/{name}", newline="") as file:
        return list(csv.DictReader(file))
weights = rows("all.csv")
assert list(weights[0]) == ["layer", "head", "query", "key", "value"]
assert len(weights) == 2 * 3 * 4 * 4
values = [float(row["value"]) for row in weights]
for i in range(0, len(values), 4):
    assert abs(sum(values[i:i + 4]) - 1) < 1e-6
svg = tree.parse(f"{folder}/all.svg")
cells = [float(e.get("data-value")) for e in svg.iter() if e.get("data-value")]
assert cells == values
texts = [e.text for e in svg.iter("{http://www.w3.org/2000/svg}text")]
assert all(text in texts for text in ["query", "key", "head 2", "layer 1", "0", "1", "5"]), texts
mean = [float(row["value"]) for row in rows("mean.csv")]
for layer in range(2):
    for i in range(16):
        heads = [values[(layer * 3 + head) * 16 + i] for head in range(3)]
        assert abs(mean[layer * 16 + i] - sum(heads) / 3) < 1e-6
assert rows("mean.csv")[0]["head"] == "mean"
cross = rows("cross.csv")
assert [row["query"] for row in cross[::3]] == ["1", "3"] * 2
assert [row["key"] for row in cross[:3]] == ["1", "3", "6"]
assert rows("scores.csv")[1]["value"] == "-inf"
assert len(rows("grad.csv")) == 2 * 3 * 4
END

refuses 2 '--model is missing' -o "$work/x.png"
refuses 2 'found neither' --model tests/reference/gpt2-small -o "$work/x.png"
refuses 2 'found both' $gpt2 --input dog -o "$work/x.png"
refuses 2 '-o is missing' $gpt2
refuses 2 '.png, .svg or .csv' $gpt2 -o "$work/x.gif"
refuses 2 'there is no palette "jet"' $gpt2 --palette jet -o "$work/x.png"
refuses 2 'there is no scale "log"; there are linear and row' $gpt2 --scale log -o "$work/x.png"
refuses 2 'unknown option "--pallete"' $gpt2 --pallete gray -o "$work/x.png"
refuses 2 '--layer: expected a number from 0 or all, found "first"' $gpt2 --layer first -o "$work/x.png"
refuses 2 '--head: expected a number from 0, all or mean, found "-1"' $gpt2 --head -1 -o "$work/x.png"
refuses 2 'needs a value' $gpt2 -o
refuses 2 'unexpected "more"' $gpt2 more -o "$work/x.png"
refuses 1 'layer 2: there are 2 layers' $gpt2 --layer 2 -o "$work/x.png"
refuses 1 'head 3: there are 3 heads' $gpt2 --head 3 -o "$work/x.png"
refuses 1 'no stage matches "nothing"' $gpt2 --stage nothing -o "$work/x.png"
refuses 1 'holds token ids' $toy --stage src.tokens -o "$work/x.png"
refuses 1 'id 29 is outside the vocabulary' --model tests/reference/gpt2-small --ids 1,29 -o "$work/x.png"
refuses 1 'item' $toy --item 2 -o "$work/x.png"
refuses 1 '/nowhere/x.png' $gpt2 -o /nowhere/x.png
refuses 1 'no-such-model' --model no-such-model --ids 1 -o "$work/x.png"
refuses 1 'expected a TrueType font' $gpt2 --font tests/run.sh -o "$work/x.png"
[ ! -e "$work/x.png" ] || fail 'a refused picture leaves no file'
"$PROGRAM" heatmap --help | grep -q '^usage: attend heatmap' || fail '--help prints the usage'
[ "$failed" = 0 ]
