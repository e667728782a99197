#!/bin/sh
# No command writes over what it reads: not over the file, not over a file of the model, and not
# into the folder of a model that is read. What was there stays as it was.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD
export ATTEND_ASSETS
cd "$work" || exit 1
font=$(find /usr/share/fonts -name 'DejaVuSansMono.ttf' | head -1)
fill() { # a place with all that is read
    rm -rf place
    mkdir place
    "$PROGRAM" convert toy-copy place/model 2> err || fail "a model: $(cat err)"
    "$PROGRAM" convert gpt2-tiny --untrained place/gpt.bin 2> err || fail "a file of llm.c: $(cat err)"
    cp place/model/model.tokenizer place/words.tokenizer
    cp -r place/model place/other
    [ -z "$font" ] || cp "$font" place/font.svg
    printf 'cat\tcat\ndog\tdog\n' > place/pairs.tsv
    for i in 1 2 3 4 5 6; do echo "the cat sees a dog and runs far over hills"; done > place/text.model
    ln -s model place/link
}
fill
cp -r place kept
covered=' '
# over COMMAND...: is refused, and nothing has changed
over() {
    covered="$covered$(echo "$1 $2" | grep -o '^tokenizer train' || echo "$1") "
    "$PROGRAM" "$@" > out 2> err < /dev/null
    status=$?
    [ $status = 1 ] || fail "attend $*: exit $status"
    grep -q 'that is read: expected another name' err || fail "attend $*: $(head -c 300 err)"
    diff -r place kept > out || fail "attend $*: has changed $(head -3 out)"
    [ -s out ] && fill
}
ids='--model place/model --ids 1,5,4'
for name in place/model/model.safetensors place/model/config.json place/model/model.tokenizer place/link/config.json; do
    over trace $ids --stage memory -o $name
    over inspect place/model -o $name
done
over trace $ids --format npy -o place/model
over inspect place/words.tokenizer -o place/words.tokenizer
over inspect place/gpt.bin -o place/gpt.bin
[ -z "$font" ] || over heatmap $ids --layer 0 --head 0 --font place/font.svg -o place/font.svg
[ -n "$font" ] || covered="${covered}heatmap "
over 'tokenizer' train --data place/text.model --vocab-size 20 -o place/text.model
covered="${covered}tokenizer train "
over convert place/model place/model
over convert place/model place/link
over convert place/model place/model/
over convert place/words.tokenizer place/words.tokenizer
over convert place/gpt.bin place/gpt.bin
over convert place/model/model.safetensors place/model
for output in place/model place/link place/model/; do
    over train --config place/model --data copy --steps 1 -o $output
    over train --config place/model/config.json --data copy --steps 1 -o $output
    over train --preset toy-copy --tokenizer place/model/model.tokenizer --steps 1 -o $output
    over train --config place/model --resume --data copy --steps 1 -o $output
done
# Not read, but somebody's weights all the same.
"$PROGRAM" train --preset toy-copy --steps 1 -o place/other > out 2> err && fail "train over a model"
grep -q 'holds a model that is not of a run here' err || fail "train over a model: $(cat err)"
diff -r place kept > out || fail "train over a model has changed $(head -3 out)"
# Every command that has an output is tried above.
for command in learn trace explain heatmap inspect tokenize 'tokenizer train' train generate translate eval bench heads; do
    "$PROGRAM" $command --help 2>&1 | grep -qE -- '-o, --output' || continue
    case $covered in *" $command "*) ;; *) fail "attend $command has an output, and is not tried here" ;; esac
done
[ "$failed" = 0 ]
