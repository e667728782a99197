#!/bin/sh
# An installed tree works from any folder and wherever it was moved to: its own files are found from the program.
set -u
: "${PROGRAM:=attend}"
case $PROGRAM in /*) ;; *) PROGRAM=$(pwd)/$PROGRAM ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
unset ATTEND_ASSETS
bad=0
mkdir -p "$folder/bin" "$folder/share/attend" "$folder/lib/attend"
cp "$PROGRAM" "$folder/bin/attend"
cp -R assets lessons "$folder/share/attend/"
cp "$(dirname "$PROGRAM")"/attend-*.so "$folder/lib/attend/"
cd "$folder" || exit 1
bin/attend trace --model toy-copy --input 'dog run' --stage loss > out 2>&1 || { cat out; bad=1; }
bin/attend learn 13 < /dev/null > out 2>&1 || { head -5 out; bad=1; }
echo 'one two three' > text
bin/attend tokenizer train --data text --vocab-size 20 -o text.model 2> out || { cat out; bad=1; }
exit $bad
