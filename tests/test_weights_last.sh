#!/bin/sh
# What can be refused without a model's weights is refused before they are read or drawn: with less
# memory than they need, each of these still ends in the sentence that it is about.
set -u
. tests/support.sh
ATTEND_ASSETS=$PWD
export ATTEND_ASSETS
cd "$work" || exit 1
printf 'one\n' > text
printf 'one\ttwo\n' > pairs.tsv
printf 'attend tokenizer 1\nkind words\nunknown -1\nbos -1\neos -1\npad -1\npieces 2\nnormal 0 one\nnormal 0 two\n' > words.tokenizer
limit_memory 450
refused() { # sentence, then a command
    sentence=$1
    shift
    "$PROGRAM" "$@" > out 2> err
    status=$?
    [ $status = 1 ] || [ $status = 2 ] || fail "attend $*: exit $status"
    grep -q -- "$sentence" err || fail "attend $*: expected \"$sentence\", found: $(head -c 300 err)"
}
gpt='--model gpt2-124m --untrained'
two='--model transformer-big --untrained'
refused 'out of memory' generate $gpt --prompt-ids 1 # so the limit is one
refused 'has no tokenizer' generate $gpt --prompt a
refused 'is outside the vocabulary' generate $gpt --prompt-ids 60000
refused 'longer than' generate $gpt --prompt-ids "$(seq -s , 1 1030)"
refused 'the word "a" is not known' generate $gpt --tokenizer words.tokenizer --prompt a
refused 'expected token or text' generate $gpt --prompt-ids 1 --special no
refused 'expected a rank file' generate $gpt --tokenizer words.tokenizer --prompt one --pattern gpt2
refused '--temperature' generate $gpt --prompt-ids 1 --temperature -1
refused '--device' generate $gpt --prompt-ids 1 --device none
refused '--weights' generate $gpt --prompt-ids 1 --weights none
refused 'attend translate' generate $two --prompt-ids 1
refused 'attend generate' translate $gpt one
refused 'has no tokenizer' translate $two one
refused 'the word "a" is not known' translate $two --tokenizer words.tokenizer a
refused 'expected' translate $two --source-ids x
refused 'No such file' eval $gpt --tokenizer words.tokenizer --data none
refused 'has no tokenizer' eval $gpt --data text
refused 'expected 1 to 1024' eval $gpt --tokenizer words.tokenizer --data text --length 2000
refused 'expected data of pairs' eval $two --tokenizer words.tokenizer --data text
refused 'attend generate' eval $gpt --tokenizer words.tokenizer --data pairs.tsv
printf 'a hat and a cat\that\tcat\n' > clozes
refused 'has no tokenizer' heads --sentences clozes $gpt
refused 'expected a language model' heads --sentences clozes $two
for command in trace 'explain logits[0,0,0]' 'heatmap --layer 0 --head 0 -o x.png'; do
    refused 'has no tokenizer' $command $gpt --input a
    refused '60000' $command $gpt --ids 60000
    refused 'expected.* --input TEXT or --ids' $command $gpt
    refused '--device' $command $gpt --ids 1 --device none
    refused '1024 positions' $command $gpt --ids "$(seq -s , 1 1030)"
done
[ "$failed" = 0 ]
