#!/bin/sh
# Numbers of a config and lengths of a text that are out of all proportion end in a sentence, never in a
# failed assertion.
set -u
. tests/support.sh
ATTEND_ASSETS=.
export ATTEND_ASSETS

# A megabyte of prompt is more than attention takes.
head -c 1000000 /dev/zero | tr '\0' 'a' > "$work/long"
"$PROGRAM" generate --model story-single-small --untrained --tokens 4 --prompt - < "$work/long" > /dev/null 2> "$work/err"
[ $? = 1 ] || fail "generate with a megabyte: $(cat "$work/err")"
grep -q 'expected 262080 together at most' "$work/err" || fail "generate with a megabyte: $(cat "$work/err")"

run() { # a command, with what the loops below are at
    timeout 200 "$PROGRAM" $1 > "$work/out" 2> "$work/err" < /dev/null
    status=$?
    [ $status -le 2 ] || echo "$case, $field $value: $1: status $status: $(tail -1 "$work/err")"
}

# Every field of every family's config, one after the other, with each of these values. Sizes that are
# allowed but fill the memory are told by --dry-run and inspect alone.
values='0 -1 1 7 1e3 1048576 2147483648 1e300 NaN "x" null true []'
case $BUILD in *sanitize*) values='0 -1 1048576 1e300' ;; esac # it starts slowly
(
    limit_memory 4000
    for case in toy-copy story-single-small story-sequential-small story-parallel-small gpt2-tiny; do
        mkdir -p "$work/model"
        grep -oE '"[a-z_]+": *("[^"]*"|[-0-9.a-z]+)' "assets/presets/$case.json" | sed 's/:.*//; s/"//g' | sort -u > "$work/fields"
        while read -r field; do
            for value in $values; do
                sed -E "s/(\"$field\": *)(\"[^\"]*\"|[-0-9.a-z]+)/\\1$value/" "assets/presets/$case.json" > "$work/model/config.json"
                run "inspect $work/model"
                run "train --config $work/model/config.json --dry-run -o $work/run"
                case $case in # one of each family also computes
                toy-copy | story-single-small | gpt2-tiny)
                    run "trace --model $work/model --untrained --ids 1,2,3"
                    run "heatmap --model $work/model --untrained --ids 1,2,3 -o $work/map.csv"
                    ;;
                esac
            done
        done < "$work/fields"
    done
) > "$work/faults" 2>&1
[ ! -s "$work/faults" ] || { head -20 "$work/faults"; failed=1; }
[ "$failed" = 0 ]
