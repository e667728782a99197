#!/bin/sh
# Every lesson plays to its end without a terminal, in both languages; faults are told with a line.
set -u
. tests/support.sh
ATTEND_ASSETS=.
export ATTEND_ASSETS
XDG_STATE_HOME=$work
export XDG_STATE_HOME

# In Chinese no line holds an English sentence; tokens of the examples are no sentence.
words='cat|run|dog|sleep|eat|he|sat|on|the|mat|runs|runner|running|sun|bird|fish|horse|sing|jump'
words="$words|input|nna|boy|was|very|happy|felt|old" # and all of the model that translates
words="$words|very|morning|she|fed|rabbit|little|hamster|came|gate|ia|never|alone|loom"
words="$words|at|looked|went|into|river|hen|to|bank|and|om|en|had|nine|coins|found|some|gold|lived|in|big|garden" # and of the stories
words="$words|$(tr -c 'a-z\n' '\n' < assets/presets/toy-translate.json | grep .. | sort -u | tr '\n' '|')x"

# Each is played once, with lines so long that none is broken, and says all its headings, its goal at the start and
# its summary at the end; the list says how long it takes.
for language in en zh; do
    for file in lessons/$language/*.md; do
        number=$(basename "$file" | sed 's/-.*//; s/^0*//')
        "$PROGRAM" learn "$number" --lang $language --width 1000 < /dev/null > "$work/out" 2> "$work/err" ||
            { grep -q "has no tokenizer\|没有分词器" "$work/err" &&
                { echo "skipped: $file, its tokenizer is not there"; continue; }
              fail "$file does not play to its end:"; cat "$work/err"; }
        grep '^## ' "$file" | while read -r heading; do
            grep -qxF "$heading" "$work/out" || echo "$file: \"$heading\" was not said"
        done > "$work/missing"
        [ -s "$work/missing" ] && { cat "$work/missing"; failed=1; }
        for field in goal recap simplifies; do
            said=$(sed -n "s/^$field: //p" "$file")
            [ -z "$said" ] || grep -qF "$said" "$work/out" || fail "$file does not say its $field"
        done
        minutes=$(sed -n 's/^minutes: //p' "$file")
        "$PROGRAM" lessons --lang $language | grep -q "^ *$number  .*  $minutes [m分]" ||
            fail "the list does not say how long lesson $number takes ($language)"
        [ $language = zh ] || continue
        grep -oE "[a-z']{2,}( [a-z']{2,}){3,}" "$work/out" | grep -vE "^(($words) ?)+\$" > "$work/english"
        [ -s "$work/english" ] && fail "lesson $number in Chinese says: $(cat "$work/english")"
    done
done
"$PROGRAM" lessons --lang en | grep -q '^14 .* after 13$' || fail "the list does not say what comes before"
printf 'quit\n' | "$PROGRAM" learn 14 --plain --lang en | grep -q 'It builds on lesson 13\.$' ||
    fail "a lesson does not say what it builds on"

# What the prose asserts in numbers and comparisons is so, in both languages; a sanitized program trains too slowly for
# both.
case $BUILD in *sanitize*) checked=en ;; *) checked='en zh' ;; esac
for language in $checked; do
    for file in lessons/$language/*.md; do
        number=$(basename "$file" | sed 's/-.*//; s/^0*//')
        "$PROGRAM" learn "$number" --lang $language --check > "$work/out" 2> "$work/err" ||
            { grep -q "has no tokenizer" "$work/err" || { fail "$file:"; cat "$work/out" "$work/err"; }; }
    done
done
# A claim that does not hold is told with its line and both values; so is a wrong choice that is right.
printf '# t\n\n```attend\nopen toy-copy --ids "1,5,4" --seed 1 --untrained\nloss\n```\n\np\n\n```claim\nloss == 2.6\nloss < 2\n```\n\n```question\nq\n- [x] a :: loss > 2\n- [ ] b :: loss > 1\n```\n\n```try\ntry it\n\n> edit 3\n\n= loss < 2\n```\n' > "$work/claims.md"
"$PROGRAM" learn "$work/claims.md" --check > "$work/out" 2> "$work/err" && fail "claims that do not hold pass"
grep -q 'claims.md:12: loss < 2: found 2.59587 and 2$' "$work/out" || fail "no false claim: $(cat "$work/out")"
grep -q 'claims.md:18: loss > 1: it holds, though the choice is marked as wrong$' "$work/out" || fail "no wrong choice: $(cat "$work/out")"
grep -q 'claims.md:26: loss < 2: found 3 and 2$' "$work/out" || fail "no unreached goal: $(cat "$work/out")"
grep -q 'claims.md: 2 of 5 claims hold$' "$work/out" || fail "no sum: $(cat "$work/out")"

# Lesson 13 visits every stage of both sides.
"$PROGRAM" learn 13 --lang en > "$work/walk" 2> /dev/null
"$PROGRAM" trace --model toy-copy --ids "1,5,4;1,3,6" | grep -oE '^[a-z_0-9.]+  ' | sort -u > "$work/stages"
grep -oE '^[a-z_0-9.]+  ' "$work/walk" | sort -u > "$work/visited"
comm -23 "$work/stages" "$work/visited" > "$work/missing"
[ -s "$work/stages" ] || fail "there are no stages"
[ -s "$work/missing" ] && { echo "lesson 13 does not visit:"; cat "$work/missing"; failed=1; }
# Its context's first number is the concat row's first, and the model says what it read.
context=$(sed -n 's/^  encoder.0.self_attn.context\[0,0,2,0\] = //p' "$work/walk" | head -1)
concat=$(sed -n 's/^  encoder.0.self_attn.concat\[0,2,0\] = //p' "$work/walk" | head -1)
[ -n "$context" ] && [ "$context" = "$concat" ] || fail "context $context is not concat $concat"
grep -q 'so far: <s> dog$' "$work/walk" || fail "[1] does not become [1,5]"
grep -q 'so far: <s> dog run$' "$work/walk" || fail "[1,5] does not become [1,5,4]"
grep -q 'next best: <s> run' "$work/walk" || fail "the beam does not keep [1,4]"

# Typed commands: answers, steps, and the end.
printf 'next\ncell src.input[0,1,2]\nanswer 1\nmask off\nquit\n' |
    "$PROGRAM" learn 13 --plain --lang en > "$work/typed" || fail "typed commands fail"
grep -q '^  src.input\[0,1,2\] = ' "$work/typed" || fail "a typed cell is not told"
grep -q 'causal mask: off' "$work/typed" || fail "a typed switch is not told"

# What is exported as SVG or CSV is what `attend heatmap` writes of the same head.
printf 'cell encoder.0.self_attn.weights[1,1,0,0]\nexport %s/a.csv\nexport %s/a.svg\nview heads\nexport %s/all.csv\nexport %s/a.gif\ngo src.tokens\nexport %s/ids.csv\nquit\n' \
    "$work" "$work" "$work" "$work" "$work" |
    "$PROGRAM" learn 13 --plain --lang en > "$work/typed" 2> "$work/err"
same() { # file, options
    file=$1
    shift
    "$PROGRAM" heatmap --model toy-copy --ids "1,5,4;1,3,6" --seed 1 --untrained "$@" --item 1 -o "$work/b.${file##*.}"
    cmp "$work/$file" "$work/b.${file##*.}" || fail "export $file is not what heatmap writes"
}
same a.csv --stage encoder.0.self_attn.weights --head 1
same a.svg --stage encoder.0.self_attn.weights --head 1 --values
same all.csv --stage encoder.0.self_attn.weights
sed 's/^[-!] //' "$work/typed" | tr '\n' ' ' > "$work/line"
grep -q "Written: $work/a.csv, the numbers of encoder.0.self_attn.weights" "$work/line" || fail "an export is not told"
grep -q 'expected a file that ends in .png, .svg, .csv or .txt, found' "$work/line" || fail "a GIF is not refused"
[ ! -e "$work/a.gif" ] && [ ! -e "$work/ids.csv" ] || fail "a refused export leaves a file"

# What cannot be taken back is said before: the command has to be given twice, one after the other.
printf 'open transformer-base --ids "1,2,3" --untrained\nedit 3\nreset\nundo\nredo\nreset\nreset\nundo\nquit\n' |
    "$PROGRAM" learn 13 --plain --lang en | grep '^[-!] ' > "$work/typed"
[ "$(grep -c 'too large to be kept' "$work/typed")" = 2 ] || fail "no warning: $(cat "$work/typed")"
grep -q 'Undone: edit 3' "$work/typed" || fail "a warning already does it"
grep -q 'There is nothing to undo' "$work/typed" || fail "what could not be kept is taken back"

# A state has the sentence that was typed in, and the numbers that were set since then.
printf 'cell src.input[0,0,1]\nedit 3\ninput cat\ncell src.input[0,1,2]\nedit 5\nstate\nquit\n' |
    "$PROGRAM" learn 13 --plain --lang en | tr -d '\n' > "$work/line"
grep -q "|input cat|cell src.input\[0,1,2\]|edit 5|" "$work/line" || fail "the state lacks the input"

# Every command answers before a model is open, by a sentence where it needs one.
printf 'help\nquit\n' | "$PROGRAM" learn 13 --plain --lang en > "$work/typed"
sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' "$work/typed" > "$work/names"
[ "$(wc -l < "$work/names")" -gt 60 ] || fail "help lists no commands"
while read -r name; do
    for rest in "" " 1" " cat"; do
        "$PROGRAM" learn --plain --at "|$name$rest" < /dev/null > /dev/null 2>&1
        [ $? -le 2 ] || fail "\"$name$rest\" ends the program where no model is open"
    done
done < "$work/names"

# Faults of a lesson of one's own.
fault() { # text, expected sentence
    printf "$1" > "$work/own.md"
    "$PROGRAM" learn "$work/own.md" > /dev/null 2> "$work/err" && fail "accepted: $1"
    grep -qF "own.md:$2" "$work/err" || { fail "expected \"$2\", found:"; cat "$work/err"; }
}
fault '# t\n```attend\ndance\n```\n' '3: there is no command "dance"'
fault '# t\n```attend\nopen toy-copy --idz "1"\n```\n' '3: open: unknown option "--idz"'
fault '# t\n```attend\nopen toy-copy --ids "1,5,4"\ngo nowhere\n```\n' '4: No stage is called "nowhere"'
fault '# t\n```question\nq\n- [ ] a\n```\n' '3: expected two choices or more'
"$PROGRAM" learn 99 > /dev/null 2> "$work/err" && fail "lesson 99 is there"
grep -q '"99": no such lesson' "$work/err" || fail "lesson 99: $(cat "$work/err")"
"$PROGRAM" learn --lang xx 13 > /dev/null 2>&1
[ $? = 2 ] || fail "--lang xx is not wrong usage"
"$PROGRAM" lessons --lang zh | grep -q '^13 .*Transformer' || fail "lessons does not list 13"
[ "$failed" = 0 ]
