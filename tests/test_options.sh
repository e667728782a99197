#!/bin/sh
# Every option of every command that takes a value, as --help lists them, with values that nobody means:
# each run ends in a result or in a sentence, never by a signal, and a refused one leaves no file.
# With ALL_VALUES=1 every option gets every value; without, texts get fewer.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD
HOME=$work/home
XDG_STATE_HOME=$work/home XDG_DATA_HOME=$work/home XDG_CACHE_HOME=$work/home
export ATTEND_ASSETS HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME
mkdir "$HOME"
long=$(head -c 10000 /dev/zero | tr '\0' 'w')
control=$(printf '\033]0;x\007')
stories 40 4 > "$work/stories"
"$PROGRAM" tokenizer train --data "$work/stories" --vocab-size 60 -o "$work/words.model" 2> /dev/null
printf 'the cat sees the dog. it likes the\tcat\tdog\n' > "$work/sentences"
"$PROGRAM" train --preset toy-copy --steps 1 -o "$work/toy" > /dev/null 2>&1

ids='--ids 1,5,4'
gpt='--model gpt2-tiny --untrained'
base() { # of a command: arguments with which it works
    case $1 in
    learn) echo 1 --plain ;;
    trace) echo --model toy-copy $ids --stage memory ;;
    explain) echo --model toy-copy $ids 'memory[0,0,0]' ;;
    heatmap) echo --model toy-copy $ids --layer 0 --head 0 -o picture.svg ;;
    heads) echo $gpt --tokenizer "$work/words.model" --sentences "$work/sentences" --threads 1 ;;
    inspect) echo toy-copy ;;
    tokenize) echo -t "$work/words.model" one ;;
    'tokenizer train') echo --data "$work/stories" --vocab-size 60 -o words.model ;;
    train) echo --preset toy-copy --steps 1 --batch 2 --threads 1 -o run ;;
    generate) echo $gpt --prompt-ids 1,5,4 --ids --tokens 3 --threads 1 ;;
    translate) echo --model "$work/toy" --source-ids 1,5,4 --ids --threads 1 ;;
    eval) echo --model "$work/toy" --data translate --limit 2 --threads 1 ;;
    convert) echo --untrained toy-copy copy ;;
    bench | lessons) ;;
    esac
}
options() { # of a command: each with a value, and N, X or another word for what it is
    "$PROGRAM" $1 --help | sed -nE 's/^ +(-[a-z], )?(--[a-z0-9-]+) ([A-Za-z|]+)( .*|$)/\2 \3/p' | sort -u
    case $1 in lessons) echo --lang L ;; esac
}
check() { # command, option, value
    : > empty
    timeout 200 "$PROGRAM" $1 $(base "$1") "$2" "$3" > ../out 2> ../err < empty
    status=$?
    rm empty
    lines=$(grep -vc "^==.*WARNING: AddressSanitizer" ../err)
    said="attend $1 $(printf %.20s "$2") \"$(printf %.20s "$3" | cat -v)\""
    [ $status -le 2 ] || fail "$said: status $status: $(tail -1 ../err)"
    if [ $status != 0 ]; then
        { [ "$lines" -ge 1 ] && [ "$lines" -le 2 ]; } || fail "$said: $lines lines: $(head -c 300 ../err)"
        [ "$(wc -c < ../err)" -le 1000 ] || fail "$said: $(wc -c < ../err) bytes of a sentence"
        [ -z "$(ls -A)" ] || fail "$said: left $(ls -A)"
        ! grep -q "$(printf '\033')" ../err || fail "$said: a control code in the sentence"
    fi
    rm -rf -- ..?* .[!.]* *
}
mkdir "$work/empty"
cd "$work/empty" || exit 1
limit_memory 4000
for command in learn lessons trace explain heatmap heads inspect tokenize 'tokenizer train' train generate translate eval convert bench; do
    options "$command" > ../options
    [ -s ../options ] || fail "$command --help lists no options"
    while read -r option kind <&3; do
        case $kind in N | X | L | H | SECONDS) numeric=1 ;; *) numeric=${ALL_VALUES:-0} ;; esac
        for value in '' "$control" "$long" x -1; do check "$command" "$option" "$value"; done
        [ "$numeric" = 1 ] || continue
        for value in 0 1e999 nan inf 2147483647 2147483648 9223372036854775808 1e-320; do
            check "$command" "$option" "$value"
        done
    done 3< ../options
    check "$command" "$long" "$control"
    check "$command" "--$long" "$long"
done
cd / || exit 1
[ "$failed" = 0 ]
