#!/bin/sh
# An installed tree works from any folder and wherever it was moved to: its own files are found from the program.
set -u
. tests/support.sh
unset ATTEND_ASSETS
mkdir -p "$work/bin" "$work/share/attend" "$work/lib/attend"
cp "$PROGRAM" "$work/bin/attend"
cp -R assets lessons "$work/share/attend/"
cp "$(dirname "$PROGRAM")"/attend-*.so "$work/lib/attend/"
cd "$work" || exit 1
bin/attend trace --model toy-copy --input 'dog run' --stage loss > out 2>&1 || fail "$(cat out)"
bin/attend learn 13 < /dev/null > out 2>&1 || fail "$(head -5 out)"
echo 'one two three' > text
bin/attend tokenizer train --data text --vocab-size 20 -o text.model 2> out || fail "$(cat out)"
[ "$failed" = 0 ]
