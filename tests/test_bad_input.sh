#!/bin/sh
# Bad input of any kind ends in one clear sentence, exit 1 or 2, and nothing on standard output.
set -u
. tests/support.sh

refused() { # status, what the sentence has to say, arguments
    status=$1 says=$2
    shift 2
    "$PROGRAM" "$@" > "$work/out" 2> "$work/err" < /dev/null
    found=$?
    [ "$found" = "$status" ] || fail "attend $*: expected exit $status, found $found"
    grep -q -- "$says" "$work/err" || fail "attend $*: expected \"$says\", found: $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "attend $*: wrote $(wc -c < "$work/out") bytes to standard output"
    [ "$(grep -c '^attend' "$work/err")" = 1 ] || fail "attend $*: expected one sentence, found: $(cat "$work/err")"
}

toy='--model toy-copy'
refused 1 'the presets are' trace --model nowhere --ids 1
refused 1 'expected --input TEXT or --ids' trace $toy
refused 1 'outside the vocabulary, expected 0 to 7' trace $toy --ids 1,5,9
refused 1 'outside the vocabulary' trace $toy --ids 1,-5
refused 1 'expected ids as in' trace $toy --ids 1,x
refused 1 'expected ids as in' trace $toy --ids ''
refused 1 'expected ids as in' trace $toy --ids '1,5;'
refused 1 'expected a comma' trace $toy --ids '1 5'
refused 1 'expected ids as in' trace $toy --ids 99999999999999999999
refused 1 'cat' trace $toy --input 'dog fly'
refused 1 'names no stage' trace $toy --ids 1,5,4 --stage nonsense
refused 1 'encoder.0.self_attn.scores' trace $toy --ids 1,5,4 --stage score
refused 1 'expected one of the two' trace $toy --ids 1 --input dog
refused 1 '1 target for 2 inputs' trace $toy --ids '1,5;1,4' --target-ids 1,5
refused 1 'expected equal lengths' trace --model gpt2-tiny --ids '1,2,3;4,5'
refused 1 'more than the model' trace --model gpt2-tiny --ids "$(seq -s, 1 250),$(seq -s, 1 250)"
refused 1 'no tokenizer' trace --model gpt2-tiny --input hello
refused 1 'no target' trace --model gpt2-tiny --ids 5 --grad
refused 1 'expected 3 labels' trace --model gpt2-tiny --ids 5,6,7 --target-ids 5
refused 2 'expected text, json' trace $toy --ids 1,5,4 --format xml
refused 2 'expected a whole number' trace $toy --ids 1,5,4 --seed x
refused 2 'unexpected argument' trace $toy --ids 1,5,4 more
refused 1 'No such file' trace $toy --ids 1,5,4 -o "$work/none/file.txt"
refused 1 'one stage' trace $toy --ids 1,5,4 --format npy
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,9,0]'
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,-1,0]'
refused 1 'expected 3 indices' explain $toy --ids 1,5,4 'memory[0,1]'
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,1,2,3]'
refused 1 'expected whole numbers with commas between, found "\[0,1,2,\]"' explain $toy --ids 1,5,4 'memory[0,1,2,]'
refused 1 'expected whole numbers with commas between, found "\[0,,2\]"' explain $toy --ids 1,5,4 'memory[0,,2]'
refused 2 'unknown command "nope"' help nope
refused 1 'expected STAGE' explain $toy --ids 1,5,4 'memory[0'
refused 1 'names no stage' explain $toy --ids 1,5,4 'nothing[0]'
refused 2 'expected one STAGE' explain $toy --ids 1,5,4
refused 1 'the text is empty, expected at least one token' trace $toy --input ''
refused 1 'the text is empty, expected at least one token' trace $toy --input dog --input ' '
refused 1 'expected 3 or 4 for an input of 3, found' trace --model story-gpt2 --input 'Bloom had a' --target 'Bloom had a kite and a flute'
refused 1 '2 targets for 1 input: expected one' trace $toy --input dog --target dog --target cat
refused 1 'the text is empty, expected at least one token' explain $toy --input dog --target '' 'memory[0,0,0]'
refused 2 'expected a number from 0' explain $toy --ids 1,5,4 'update.generator.bias[0]' --lr inf
refused 2 'attend trace: unrecognized option' trace $toy --bogus
refused 2 'expected train' tokenizer fly
refused 2 '--eps: expected 1e-30 to 1, found 0' train --preset toy-copy --eps 0 -o "$work/run"
refused 2 'expected text or json after --format' inspect toy-copy --format xml
for option in '--theme light' '--color 16' '--no-mouse' '--autoplay 1'; do
    refused 2 'has no effect on lines of text' learn 13 --plain $option
    refused 2 'has no effect on lines of text' learn 13 $option # into a file
    refused 2 'has no effect on --check' learn 13 --check $option
done
for option in --plain '--width 60' --ascii '--at 13@1'; do
    refused 2 'has no effect on --check' learn 13 --check $option
done
refused 2 '--width has no effect on a picture' learn 13 --picture "$work/x.png" --width 60
for option in '--palette magma' '--scale row' '--title words' '--font builtin' --values; do
    refused 2 'has no effect on a .csv file' heatmap $toy --ids 1,5,4 -o "$work/x.csv" $option
done
echo 'one two three' > "$work/words"
learn="tokenizer train --data $work/words"
refused 2 '--vocab-size: expected 1 or more, found -4' $learn --vocab-size -4 -o "$work/no.model"
refused 2 '--character-coverage: expected a number' $learn --character-coverage nan -o "$work/no.model"
refused 1 'lines of up to 2000000000 bytes: expected 134217728 at most' $learn --vocab-size 20 --max-sentence-length 2000000000 -o "$work/no.model"
refused 1 'expected the name of a file' $learn --vocab-size 20 -o ''
refused 1 'it is a folder' $learn --vocab-size 20 -o "$work"
refused 1 'the piece of unk is empty' $learn --vocab-size 20 --unk-piece '' -o "$work/no.model"
[ ! -e "$work/no.model" ] || fail 'a refused training left its file'

# What is written through a link goes where the link points; a device stays a device.
: > "$work/target.model"
ln -s target.model "$work/link.model"
"$PROGRAM" $learn --vocab-size 20 -o "$work/link.model" 2> /dev/null
[ -L "$work/link.model" ] && [ -s "$work/target.model" ] || fail 'a link was replaced by a file'
"$PROGRAM" $learn --vocab-size 20 -o "$work/words.model" 2> /dev/null
refused 2 'expected token or text' tokenize -t "$work/words.model" --special yes one
refused 1 'expected a rank file' tokenize -t "$work/words.model" --pattern gpt2 one
refused 2 'expected one of the two' tokenize -t "$work/words.model" --input "$work/words" one
if [ -w /dev/full ]; then
    for command in version --version --help "tokenize -t $work/words.model one" "explain $toy --ids 1,5,4 memory[0,0,0]"; do
        "$PROGRAM" $command > /dev/full 2> "$work/err"
        [ $? = 1 ] || fail "attend $command: a full standard output went unnoticed"
        grep -q 'standard output: cannot write' "$work/err" || fail "attend $command: $(cat "$work/err")"
    done
fi

refused 1 'expected a file, found a folder' tokenize -t "$work/words.model" --input "$work"
refused 1 'expected at most' tokenize -t "$work/words.model" --input /dev/zero

# Control codes of a name do not reach the terminal; one sentence stays one line.
refused 1 'a\\x1b\[31mb\\x0ac' trace --model "$(printf 'a\033[31mb\nc')" --ids 1
[ "$(wc -l < "$work/err")" = 1 ] || fail 'a newline of a name went through'
refused 2 'unknown command' fly
refused 1 'no such preset' train --dry-run --preset nowhere
refused 1 'nowhere: cannot read' train --dry-run --config nowhere
refused 1 'nowhere: No such file' train --dry-run --preset gpt2-tiny --data nowhere
refused 2 'no such measurement' bench nothing

# `attend help` is the overview, `attend help COMMAND` the command's own.
[ "$("$PROGRAM" help)" = "$("$PROGRAM" --help)" ] || fail 'attend help is not the overview'
[ "$("$PROGRAM" help train)" = "$("$PROGRAM" train --help)" ] || fail 'attend help train is not its help'

# A scalar has no index, or the one that it has in a file.
[ "$("$PROGRAM" explain $toy --ids 1,5,4 'loss[0]')" = "$("$PROGRAM" explain $toy --ids 1,5,4 loss)" ] ||
    fail 'explain loss[0] is not explain loss'

# A term of the field is explained from the glossary; what is alike is named.
"$PROGRAM" explain softmax --lang en | grep -q 'lesson 7, stage encoder.0.self_attn.weights' ||
    fail 'explain softmax does not say where it is seen'
"$PROGRAM" explain LayerNorm --lang zh | grep -q '第 10 课' || fail 'explain LayerNorm --lang zh'
[ "$("$PROGRAM" explain --terms --lang en | grep -c '^  lesson')" -gt 50 ] || fail 'explain --terms lists few'
refused 1 'it has: .*self-attention' explain 'self-att' --lang en
refused 1 'attend explain --terms' explain nothing --lang en

# A model folder with something wrong names the tensor and both shapes.
cp -r assets/models/toy-copy "$work/model"
sed -i 's/"d_ff": 32/"d_ff": 16/' "$work/model/config.json"
refused 1 'linear1.weight' trace --model "$work/model" --ids 1,5,4 --target-ids 1,5,4
refused 1 '(32,8)' trace --model "$work/model" --ids 1,5,4 --target-ids 1,5,4
sed -i 's/"n_heads": 2/"n_heads": 3/' "$work/model/config.json"
refused 1 'do not divide' trace --model "$work/model" --ids 1,5,4
echo '{' > "$work/model/config.json"
refused 1 'config.json' trace --model "$work/model" --ids 1,5,4
rm -r "$work/model"
cp -r tests/reference/gpt2-small "$work/model"
sed -i 's/{/{"scale_attn_by_inverse_layer_idx": true, /' "$work/model/config.json"
refused 1 'scale_attn_by_inverse_layer_idx.*expected false' trace --model "$work/model" --ids 1,2
[ "$failed" = 0 ]
