#!/bin/sh
# Every lesson plays to its end without a terminal, in both languages; faults are told with a line.
set -u
attend=${PROGRAM:-attend}
case $attend in */*) ;; *) attend=./$attend ;; esac
ATTEND_ASSETS=.
export ATTEND_ASSETS
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
XDG_STATE_HOME=$folder
export XDG_STATE_HOME
bad=0
say() { echo "$*"; bad=1; }

for language in en zh; do
    for file in lessons/$language/*.md; do
        number=$(basename "$file" | sed 's/-.*//; s/^0*//')
        "$attend" learn "$number" --lang $language < /dev/null > "$folder/out" 2> "$folder/err" ||
            { grep -q "has no tokenizer\|没有分词器" "$folder/err" &&
                { echo "skipped: $file, its tokenizer is not there"; continue; }
              say "$file does not play to its end:"; cat "$folder/err"; }
        # Every heading of the file was said.
        grep '^## ' "$file" | while read -r heading; do
            grep -qxF "$heading" "$folder/out" || echo "$file: \"$heading\" was not said"
        done > "$folder/missing"
        [ -s "$folder/missing" ] && { cat "$folder/missing"; bad=1; }
    done
done

# Lesson 13 visits every stage of both sides.
"$attend" learn 13 --lang en > "$folder/walk" 2> /dev/null
"$attend" trace --model toy-copy --ids "1,5,4;1,3,6" | grep -oE '^[a-z_0-9.]+  ' | sort -u > "$folder/stages"
grep -oE '^[a-z_0-9.]+  ' "$folder/walk" | sort -u > "$folder/visited"
comm -23 "$folder/stages" "$folder/visited" > "$folder/missing"
[ -s "$folder/stages" ] || say "there are no stages"
[ -s "$folder/missing" ] && { echo "lesson 13 does not visit:"; cat "$folder/missing"; bad=1; }
# Its context's first number is the concat row's first, and the model says what it read.
context=$(sed -n 's/^  encoder.0.self_attn.context\[0,0,2,0\] = //p' "$folder/walk" | head -1)
concat=$(sed -n 's/^  encoder.0.self_attn.concat\[0,2,0\] = //p' "$folder/walk" | head -1)
[ -n "$context" ] && [ "$context" = "$concat" ] || say "context $context is not concat $concat"
grep -q 'so far: <s> dog$' "$folder/walk" || say "[1] does not become [1,5]"
grep -q 'so far: <s> dog run$' "$folder/walk" || say "[1,5] does not become [1,5,4]"
grep -q 'next best: <s> run' "$folder/walk" || say "the beam does not keep [1,4]"

# Typed commands: answers, steps, and the end.
printf 'next\ncell src.input[0,1,2]\nanswer 1\nmask off\nquit\n' |
    "$attend" learn 13 --plain --lang en > "$folder/typed" || say "typed commands fail"
grep -q '^  src.input\[0,1,2\] = ' "$folder/typed" || say "a typed cell is not told"
grep -q 'mask of the future: off' "$folder/typed" || say "a typed switch is not told"

# What is exported as SVG or CSV is what `attend heatmap` writes of the same head.
printf 'cell encoder.0.self_attn.weights[1,1,0,0]\nexport %s/a.csv\nexport %s/a.svg\nview heads\nexport %s/all.csv\nexport %s/a.gif\ngo src.tokens\nexport %s/ids.csv\nquit\n' \
    "$folder" "$folder" "$folder" "$folder" "$folder" |
    "$attend" learn 13 --plain --lang en > "$folder/typed" 2> "$folder/err"
same() { # file, options
    file=$1
    shift
    "$attend" heatmap --model toy-copy --ids "1,5,4;1,3,6" --seed 1 --untrained "$@" --item 1 --values -o "$folder/b.${file##*.}"
    cmp "$folder/$file" "$folder/b.${file##*.}" || say "export $file is not what heatmap writes"
}
same a.csv --stage encoder.0.self_attn.weights --head 1
same a.svg --stage encoder.0.self_attn.weights --head 1
same all.csv --stage encoder.0.self_attn.weights
sed 's/^[-!] //' "$folder/typed" | tr '\n' ' ' > "$folder/line"
grep -q "Written: $folder/a.csv, the numbers of encoder.0.self_attn.weights" "$folder/line" || say "an export is not told"
grep -q 'expected a file that ends in .png, .svg, .csv or .txt, found' "$folder/line" || say "a GIF is not refused"
[ ! -e "$folder/a.gif" ] && [ ! -e "$folder/ids.csv" ] || say "a refused export leaves a file"

# What cannot be taken back is said before: the command has to be given twice, one after the other.
printf 'open story-single-head --ids "1,2,3" --untrained\nedit 3\nreset\nundo\nredo\nreset\nreset\nundo\nquit\n' |
    "$attend" learn 13 --plain --lang en | grep '^[-!] ' > "$folder/typed"
[ "$(grep -c 'too large to be kept' "$folder/typed")" = 2 ] || say "no warning: $(cat "$folder/typed")"
grep -q 'Taken back: edit 3' "$folder/typed" || say "a warning already does it"
grep -q 'There is nothing to take back' "$folder/typed" || say "what could not be kept is taken back"

# A state has the sentence that was typed in, and the numbers that were set since then.
printf 'cell src.input[0,0,1]\nedit 3\ninput cat\ncell src.input[0,1,2]\nedit 5\nstate\nquit\n' |
    "$attend" learn 13 --plain --lang en | tr -d '\n' > "$folder/line"
grep -q "|input cat|cell src.input\[0,1,2\]|edit 5|" "$folder/line" || say "the state lacks the input"

# Faults of a lesson of one's own.
fault() { # text, expected sentence
    printf "$1" > "$folder/own.md"
    "$attend" learn "$folder/own.md" > /dev/null 2> "$folder/err" && say "accepted: $1"
    grep -qF "own.md:$2" "$folder/err" || { say "expected \"$2\", found:"; cat "$folder/err"; }
}
fault '# t\n```attend\ndance\n```\n' '3: there is no command "dance"'
fault '# t\n```attend\nopen toy-copy --idz "1"\n```\n' '3: open: unknown option "--idz"'
fault '# t\n```attend\nopen toy-copy --ids "1,5,4"\ngo nowhere\n```\n' '4: No stage is called "nowhere"'
fault '# t\n```question\nq\n- [ ] a\n```\n' '3: expected two choices or more'
"$attend" learn 99 > /dev/null 2> "$folder/err" && say "lesson 99 is there"
grep -q '"99": no such lesson' "$folder/err" || say "lesson 99: $(cat "$folder/err")"
"$attend" learn --lang xx 13 > /dev/null 2>&1
[ $? = 2 ] || say "--lang xx is not wrong usage"
"$attend" lessons --lang zh | grep -q '^13 .*Transformer' || say "lessons does not list 13"
exit $bad
