#!/bin/sh
# test_learn_picture.sh - drives `attend learn --picture`: pictures of the screen without a terminal.
set -u
. tests/support.sh

draws() { # columns and rows, file, then options
    size=$1 file=$work/$2
    shift 2
    TERM='' LC_ALL=C "$PROGRAM" learn --picture "$file" "$@" > "$work/out" 2> "$work/err" < /dev/null ||
        fail "learn $*: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "learn $*: writes on stdout"
    # a cell is 8 by 18 pixels, a margin of 8 lies around them
    python3 - "$file" "$size" << 'END' || fail "learn $*: a whole picture of $size characters"
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
columns, rows = map(int, sys.argv[2].split("x"))
assert data[:8] == b"\x89PNG\r\n\x1a\n"
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
assert (width, height) == (columns * 8 + 16, rows * 18 + 16), (width, height)
at, pixels = 8, b""
while at < len(data):
    size, name = struct.unpack(">I4s", data[at:at + 8])
    pixels += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
    at += 12 + size
rows_of_bytes = zlib.decompress(pixels)
assert len(rows_of_bytes) == height * (1 + width * {2: 3, 6: 4}[kind])
assert len(set(rows_of_bytes)) > 8  # something is drawn
END
}

refuses() { # exit status, part of the sentence, then options
    status=$1 sentence=$2
    shift 2
    "$PROGRAM" learn "$@" > "$work/out" 2> "$work/err" < /dev/null
    found=$?
    [ $found = "$status" ] || fail "learn $*: exit $found, expected $status"
    grep -qF -e "$sentence" "$work/err" || fail "learn $*: $(cat "$work/err")"
}

state='13@1|open toy-copy --seed 1|go encoder.0.self_attn.weights|cell encoder.0.self_attn.weights[0,1,2,0]|view attention'
draws 100x30 a.png --at "$state"
draws 100x30 b.png --at "$state"
cmp -s "$work/a.png" "$work/b.png" || fail 'two runs give the same bytes'
draws 80x24 c.png --at "$state" --size 80x24
draws 400x200 d.png --at "$state" --size 400x200
draws 60x16 e.png 13 --size 60x16 --ascii
draws 100x30 f.png --lang zh 13
draws 100x30 g.png
draws 100x30 light.png --at "$state" --theme light
draws 100x30 mono.png --at "$state" --theme mono
for other in light mono; do
    cmp -s "$work/a.png" "$work/$other.png" && fail "the theme $other looks like dark"
done
"$PROGRAM" learn --help | grep -q -e '--picture FILE.png' || fail 'the help tells of --picture'

# A view of numbers that are trained first, and one that is watched without an end.
draws 100x30 h.png --at '13@1|open toy-copy --seed 1|train 20|view training'
draws 100x30 i.png --at '13@1|open toy-copy --seed 1|train|view training'

refuses 1 'No such file or directory' 13 --picture "$work/nowhere/a.png"
mkdir "$work/folder.png"
refuses 1 'it is a folder' 13 --picture "$work/folder.png"
refuses 1 'no such lesson' --at '99@1' --picture "$work/x.png"
refuses 1 'expected a stop from 1 to' --at '13@999' --picture "$work/x.png"
refuses 1 'nowhere' --at '13@1|open toy-copy --seed 1|show nowhere' --picture "$work/x.png"
refuses 1 'there is no command' --at '13@1|frobnicate' --picture "$work/x.png"
for size in 10x10 59x24 60x15 401x30 100x201 80 80x x24 80x24x1 -80x24 80x-24 99999999999x24 '80 x24' '80x 24' '+80x24' '80X24' ''; do
    refuses 2 '--size: expected COLUMNSxROWS, 60x16 to 400x200' 13 --picture "$work/x.png" --size="$size"
done
refuses 2 'ends in .png' 13 --picture "$work/x.gif"
refuses 2 'ends in .png' 13 --picture ''
refuses 2 '--size belongs to --picture' 13 --size 80x24
for option in --plain --check '--color 8' --no-mouse '--autoplay 1'; do
    # shellcheck disable=SC2086
    refuses 2 'has no effect on a picture' 13 --picture "$work/x.png" $option
done
[ ! -e "$work/x.png" ] || fail 'nothing is written where something is refused'
[ "$failed" = 0 ]
