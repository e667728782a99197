#!/bin/sh
# test_long_names.sh - a long name in any option and any operand: what is said of it ends with whole
# characters, and where it is not said whole, "..." stands in its place.
. tests/support.sh

cd "$work" || exit 1
export ATTEND_ASSETS="${ATTEND_ASSETS:-$OLDPWD}" XDG_STATE_HOME="$work/state"

signs=$(printf '%0100d' 0 | sed 's/0/你/g')
n_runs=0

# One run: valid UTF-8, no fault, and nothing cut in silence. $long is the name that was given.
look() {
    n_runs=$((n_runs + 1))
    timeout 60 "$PROGRAM" "$@" > out 2> err < /dev/null
    status=$?
    [ $status -le 2 ] || fail "attend $1 $2 ...: exit status $status"
    for stream in out err; do
        iconv -f UTF-8 -t UTF-8 $stream > whole 2> /dev/null && cmp -s $stream whole ||
            fail "attend $1 $2 ...: a broken character on $stream: $(tail -c 120 $stream)"
        grep -q '\\x[89a-f]' $stream && fail "attend $1 $2 ...: a cut character: $(grep '\\x' $stream)"
    done
    # Ten signs in a row are a piece of the name.
    if grep -q '你你你你你你你你你你' out err && ! grep -q -e "$signs" out err &&
        ! grep -q -e '你\.\.\.' -e '你…' out err; then
        fail "attend $1 $2 ...: cut in silence: $(grep -h '你你你' out err)"
    fi
}

# Words of `attend COMMAND --help` that begin with "--".
options_of() {
    "$PROGRAM" "$@" --help | grep -o -e '--[a-z][a-z0-9-]*' | sort -u | grep -v -e '^--help$' -e '^--version$'
}

for start in '' a ab; do
    long=$start$signs
    for command in learn trace explain heatmap heads inspect tokenize generate translate eval convert bench \
        train 'tokenizer train'; do
        # shellcheck disable=SC2086 # two words
        look $command "$long"
        # shellcheck disable=SC2086
        look $command "$long" "$long"
        # shellcheck disable=SC2086
        for option in $(options_of $command); do
            look $command "$option" "$long"
            look $command "$option=$long"
        done
        # shellcheck disable=SC2086
        look $command "--$long"
    done
    look "$long"
    look help "$long"
    look explain --model toy-copy --ids "1,5,4" "$long"
    look explain --model toy-copy --ids "1,5,4" "src.tokens[$long]"
    look trace --model toy-copy --input "$long"
    look trace --model toy-copy --ids "1,$long,4"
    look trace --model toy-copy --ids "1,5,4" --stage "$long"
    look heatmap --model toy-copy --ids "1,5,4" --stage "$long" -o x.png
    look heatmap --model toy-copy --ids "1,5,4" -o "$long"
    look heatmap --model toy-copy --ids "1,5,4" --palette "$long" -o x.png
    look learn 13 --plain --at "13@1|$long"
    look learn 13 --at "13@1|open $long" --picture x.png
    look learn 13 --at "$long" --picture x.png
    look learn "$long.md" --plain
    look tokenize --tokenizer toy-copy "$long"
    look generate --model story-single-small --prompt "$long" --tokens 1
    look translate --model toy-copy "$long"
    look train --preset "$long" --data x -o run
    look train --config "$long" --data x -o run
    look train --preset toy-copy --data "$long" -o "$long"
done

# A folder with a long name, as deep as the system lets names be: 80 signs are 240 bytes.
folder=$(printf '%080d' 0 | sed 's/0/你/g')
signs=$folder
mkdir -p "$folder"
cp -r "$ATTEND_ASSETS"/assets/models/toy-copy/* "$folder"/
for command in inspect trace heatmap generate translate; do
    look $command --model "$folder" --ids "1,5,4" -o "$folder/x.svg"
done
look inspect "$folder"
look convert "$folder" "$folder-2"
look convert "$folder" "$folder/2"
look tokenize --tokenizer "$folder" "dog run"
look train --preset toy-copy --steps 2 -o "$folder/run"
look train --preset gpt2-10m --resume -o "$folder/run"
look train --preset "$folder" --resume -o "$folder/run"

# Names that a person types in a lesson, and a lesson whose words are long.
long=ab$folder$folder
{
    for command in $("$PROGRAM" learn 13 --plain < /dev/null | head -0; printf 'help\nquit\n' |
        "$PROGRAM" learn 13 --plain | sed -n 's/^  \([a-z-]*\)  *.*/\1/p'); do
        case $command in quit | leave | continue) ;; *) echo "$command $long" ;; esac
    done
    echo "$long"
    echo quit
} > typed
timeout 120 "$PROGRAM" learn 13 --plain < typed > out 2> err || fail "lines of text: exit status $?"
iconv -f UTF-8 -t UTF-8 out > whole 2> /dev/null && cmp -s out whole || fail "a broken character in lines of text"
[ "$(wc -l < typed)" -gt 50 ] || fail "too few commands: $(wc -l < typed)"

[ $n_runs -gt 500 ] || fail "only $n_runs runs"
[ "$failed" = 0 ]
