#!/bin/sh
# Bad input of any kind ends in one clear sentence, exit 1 or 2, and nothing on standard output.
set -u
attend=$PROGRAM
case $attend in */*) ;; *) attend=./$attend ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0

refused() { # status, what the sentence has to say, arguments
    status=$1 says=$2
    shift 2
    "$attend" "$@" > "$folder/out" 2> "$folder/err" < /dev/null
    found=$?
    [ "$found" = "$status" ] || { echo "attend $*: expected exit $status, found $found"; bad=1; }
    grep -q -- "$says" "$folder/err" || { echo "attend $*: expected \"$says\", found: $(cat "$folder/err")"; bad=1; }
    [ ! -s "$folder/out" ] || { echo "attend $*: wrote $(wc -c < "$folder/out") bytes to standard output"; bad=1; }
    [ "$(grep -c '^attend' "$folder/err")" = 1 ] || { echo "attend $*: expected one sentence, found: $(cat "$folder/err")"; bad=1; }
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
refused 1 'targets for' trace $toy --ids '1,5;1,4' --target-ids 1,5
refused 1 'expected equal lengths' trace --model gpt2-tiny --ids '1,2,3;4,5'
refused 1 'more than the model' trace --model gpt2-tiny --ids "$(seq -s, 1 250),$(seq -s, 1 250)"
refused 1 'no tokenizer' trace --model gpt2-tiny --input hello
refused 1 'no target' trace --model gpt2-tiny --ids 5 --grad
refused 1 'expected 3 labels' trace --model gpt2-tiny --ids 5,6,7 --target-ids 5
refused 2 'expected text, json' trace $toy --ids 1,5,4 --format xml
refused 2 'expected a whole number' trace $toy --ids 1,5,4 --seed x
refused 2 'unexpected argument' trace $toy --ids 1,5,4 more
refused 1 'No such file' trace $toy --ids 1,5,4 -o "$folder/none/file.txt"
refused 1 'one stage' trace $toy --ids 1,5,4 --format npy
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,9,0]'
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,-1,0]'
refused 1 'expected 3 indices' explain $toy --ids 1,5,4 'memory[0,1]'
refused 1 'outside it' explain $toy --ids 1,5,4 'memory[0,1,2,3]'
refused 1 'expected whole numbers with commas between, found "2,"' explain $toy --ids 1,5,4 'memory[0,1,2,]'
refused 1 'expected whole numbers with commas between, found ",2"' explain $toy --ids 1,5,4 'memory[0,,2]'
refused 2 'unknown command "nope"' help nope
refused 1 'expected STAGE' explain $toy --ids 1,5,4 'memory[0'
refused 1 'names no stage' explain $toy --ids 1,5,4 'nothing[0]'
refused 2 'expected one STAGE' explain $toy --ids 1,5,4
refused 1 'the text is empty, expected at least one token' trace $toy --input ''
refused 1 'the text is empty, expected at least one token' trace $toy --input dog --input ' '
refused 1 'the text is empty, expected at least one token' explain $toy --input dog --target '' 'memory[0,0,0]'
refused 2 'expected a number from 0' explain $toy --ids 1,5,4 'update.generator.bias[0]' --lr inf
refused 2 'attend trace: unrecognized option' trace $toy --bogus
refused 2 'expected train' tokenizer fly
echo 'one two three' > "$folder/words"
learn="tokenizer train --data $folder/words"
refused 2 '--vocab-size: expected 1 or more, found -4' $learn --vocab-size -4 -o "$folder/no.model"
refused 2 '--character-coverage: expected a number' $learn --character-coverage nan -o "$folder/no.model"
refused 1 'expected the name of a file' $learn --vocab-size 20 -o ''
refused 1 'it is a folder' $learn --vocab-size 20 -o "$folder"
refused 1 'the piece of unk is empty' $learn --vocab-size 20 --unk-piece '' -o "$folder/no.model"
[ ! -e "$folder/no.model" ] || { echo 'a refused training left its file'; bad=1; }

# What is written through a link goes where the link points; a device stays a device.
: > "$folder/target.model"
ln -s target.model "$folder/link.model"
"$attend" $learn --vocab-size 20 -o "$folder/link.model" 2> /dev/null
[ -L "$folder/link.model" ] && [ -s "$folder/target.model" ] || { echo 'a link was replaced by a file'; bad=1; }
"$attend" $learn --vocab-size 20 -o "$folder/words.model" 2> /dev/null
refused 1 'expected a byte-level tokenizer' tokenize -t "$folder/words.model" --special-tokens tokens one
refused 2 'expected tokens or text' tokenize -t "$folder/words.model" --special-tokens yes one
refused 2 'expected one of the two' tokenize -t "$folder/words.model" --input "$folder/words" one
if [ -w /dev/full ]; then
    for command in version --version --help "tokenize -t $folder/words.model one" "explain $toy --ids 1,5,4 memory[0,0,0]"; do
        "$attend" $command > /dev/full 2> "$folder/err"
        [ $? = 1 ] || { echo "attend $command: a full standard output went unnoticed"; bad=1; }
        grep -q 'standard output: cannot write' "$folder/err" || { echo "attend $command: $(cat "$folder/err")"; bad=1; }
    done
fi

refused 1 'expected a file, found a folder' tokenize -t "$folder/words.model" --input "$folder"
refused 1 'expected at most' tokenize -t "$folder/words.model" --input /dev/zero

# Control codes of a name do not reach the terminal; one sentence stays one line.
refused 1 'a\\x1b\[31mb\\x0ac' trace --model "$(printf 'a\033[31mb\nc')" --ids 1
[ "$(wc -l < "$folder/err")" = 1 ] || { echo 'a newline of a name went through'; bad=1; }
refused 2 'unknown command' fly
refused 2 'no such measurement' bench nothing

# `attend help` is the overview, `attend help COMMAND` the command's own.
[ "$("$attend" help)" = "$("$attend" --help)" ] || { echo 'attend help is not the overview'; bad=1; }
[ "$("$attend" help train)" = "$("$attend" train --help)" ] || { echo 'attend help train is not its help'; bad=1; }

# A scalar has no index, or the one that it has in a file.
[ "$("$attend" explain $toy --ids 1,5,4 'loss[0]')" = "$("$attend" explain $toy --ids 1,5,4 loss)" ] ||
    { echo 'explain loss[0] is not explain loss'; bad=1; }

# A model folder with something wrong names the tensor and both shapes.
cp -r assets/models/toy-copy "$folder/model"
sed -i 's/"d_ff": 32/"d_ff": 16/' "$folder/model/config.json"
refused 1 'linear1.weight' trace --model "$folder/model" --ids 1,5,4 --target-ids 1,5,4
refused 1 '(32,8)' trace --model "$folder/model" --ids 1,5,4 --target-ids 1,5,4
sed -i 's/"n_heads": 2/"n_heads": 3/' "$folder/model/config.json"
refused 1 'do not divide' trace --model "$folder/model" --ids 1,5,4
echo '{' > "$folder/model/config.json"
refused 1 'config.json' trace --model "$folder/model" --ids 1,5,4
rm -r "$folder/model"
cp -r tests/reference/gpt2-small "$folder/model"
sed -i 's/{/{"scale_attn_by_inverse_layer_idx": true, /' "$folder/model/config.json"
refused 1 'scale_attn_by_inverse_layer_idx.*expected false' trace --model "$folder/model" --ids 1,2
exit $bad
