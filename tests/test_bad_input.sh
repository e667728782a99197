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
refused 1 'expected STAGE' explain $toy --ids 1,5,4 'memory[0'
refused 1 'names no stage' explain $toy --ids 1,5,4 'nothing[0]'
refused 2 'expected one STAGE' explain $toy --ids 1,5,4
refused 2 'unknown command' fly
refused 2 'no such measurement' bench nothing

# A model folder with something wrong names the tensor and both shapes.
cp -r assets/models/toy-copy "$folder/model"
sed -i 's/"d_ff": 32/"d_ff": 16/' "$folder/model/config.json"
refused 1 'linear1.weight' trace --model "$folder/model" --ids 1,5,4 --target-ids 1,5,4
refused 1 '(32,8)' trace --model "$folder/model" --ids 1,5,4 --target-ids 1,5,4
sed -i 's/"n_heads": 2/"n_heads": 3/' "$folder/model/config.json"
refused 1 'do not divide' trace --model "$folder/model" --ids 1,5,4
echo '{' > "$folder/model/config.json"
refused 1 'config.json' trace --model "$folder/model" --ids 1,5,4
exit $bad
