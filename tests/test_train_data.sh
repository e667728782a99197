#!/bin/sh
# What `attend train` takes as data, format by format, and what it refuses: how many texts it finds, and the sentence
# that names the file, the line and what was expected.
set -u
. tests/support.sh
cd "$work" || exit 1

cat > config.json << 'END'
{"family": "gpt2", "vocab_size": 60, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 1}
END
cat > pairs.json << 'END'
{"family": "encoder-decoder", "vocab_size": 60, "d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32,
 "pad_id": 0, "bos_id": 1, "eos_id": 2}
END
stories 60 3 > stories.txt
"$PROGRAM" tokenizer train --data stories.txt --vocab-size 60 --pad-id 0 --bos-id 1 --eos-id 2 --unk-id 3 -o words.model 2> out ||
    fail "a tokenizer: $(cat out)"
run="--tokenizer words.model --batch 2 --length 8 --steps 1 --warmup 0 --eval-every 0 --threads 1"
texts="--config config.json $run"
pairs="--config pairs.json $run"

# What it finds in a file: so many texts, none held out.
finds() { # what, part of the message on its data, options
    what=$1 says=$2
    shift 2
    rm -rf run
    # shellcheck disable=SC2086,SC2294
    "$PROGRAM" train --held-out 0 "$@" -o run > out 2>&1 || fail "$what: $(cat out)"
    grep -q -- "$says" out || fail "$what: expected \"$says\", found: $(cat out)"
}
refuses() { # what, the sentence, options
    what=$1 says=$2
    shift 2
    rm -rf run
    "$PROGRAM" train "$@" -o run > out 2>&1
    status=$?
    [ "$status" = 1 ] || [ "$status" = 2 ] || fail "$what: expected a failure, found $status: $(cat out)"
    grep -q -- "$says" out || fail "$what: expected \"$says\", found: $(cat out)"
    [ "$(grep -c '^attend train: ' out)" = 1 ] || fail "$what: expected one sentence, found: $(cat out)"
    [ ! -e run ] || fail "$what: it left $(find run)"
}
six() { # six stories with this between them; \n and the like as in printf
    for number in 1 2 3 4 5 6; do
        # shellcheck disable=SC2059 # it is a format
        [ "$number" = 1 ] || printf "$1"
        printf 'the cat sees the dog. the bird likes the %s.' "$(echo 'house tree ball boat fish cat' | cut -d ' ' -f "$number")"
    done
}

# shellcheck disable=SC2086 # options are words
{
    # ---- plain text
    six '<|endoftext|>' > plain.txt
    finds "the usual separator" ' in 6 texts to learn from, 0 in 0 held out' $texts --data plain.txt
    tokens=$(sed -n 's/^data: \([0-9]*\) tokens.*/\1/p' out)
    six '\n<|endoftext|>\n' > lines.txt
    finds "with line ends around it" "data: $tokens tokens in 6 texts" $texts --data lines.txt
    six '\r\n<|endoftext|>\r\n' > crlf.txt
    finds "with CRLF around it" "data: $tokens tokens in 6 texts" $texts --data crlf.txt
    { printf '\357\273\277'; six '<|endoftext|>'; } > mark.txt
    finds "after a mark of byte order" "data: $tokens tokens in 6 texts" $texts --data mark.txt
    { echo '<|endoftext|>'; six '<|endoftext|>  \n\t<|endoftext|>'; printf '<|endoftext|>\n \n'; } > empty.txt
    finds "empty texts are none" "data: $tokens tokens in 6 texts" $texts --data empty.txt
    six '=====' > own.txt
    finds "a separator that is given" "data: $tokens tokens in 6 texts" $texts --data own.txt --separator =====
    finds "and is not" ' in 1 text to learn from' $texts --data own.txt
    six '\n\n' > blank.txt
    finds "paragraphs" "data: $tokens tokens in 6 texts" $texts --data blank.txt --paragraphs
    finds "paragraphs are one text" ' in 1 text to learn from' $texts --data blank.txt
    six '\r\n \t\r\n\r\n' > blanks.txt
    finds "paragraphs of CRLF and space" "data: $tokens tokens in 6 texts" $texts --data blanks.txt --paragraphs
    six '\n' > one.txt
    finds "a line end parts nothing" ' in 1 text to learn from' $texts --data one.txt --paragraphs
    cp plain.txt named.tsv
    finds "the format that is said, not the name's" ' in 6 texts' $texts --data named.tsv --format text
    cp plain.txt ./-dash.txt
    finds "a name with a dash" ' in 6 texts' $texts --data=./-dash.txt
    finds "a tenth held out" ' in 5 texts to learn from, [0-9]* in 1 held out' $texts --data plain.txt --held-out 6

    { six '<|endoftext|>'; printf '<|endoftext|>the \377\376 cat'; } > invalid.txt
    finds "bytes that are not UTF-8" 'data: 2 bytes are not UTF-8' $texts --data invalid.txt
    { six '<|endoftext|>'; printf '<|endoftext|>the \346\263\250 cat'; } > unknown.txt
    finds "a character that no piece has" 'data: the tokenizer cannot spell 1 character' $texts --data unknown.txt
    { six '<|endoftext|>'; printf '<|endoftext|>the \000 cat'; } > nul.txt
    finds "a byte 0" ' in 7 texts' $texts --data nul.txt

    # ---- names and options that are no text
    latin=$(printf 'caf\351')
    cp plain.txt "$latin.txt"
    finds "a name that is not UTF-8" "data: $tokens tokens in 6 texts" $texts --data "$latin.txt"
    "$PROGRAM" train --resume --steps 2 --data "$latin.txt" -o run > out 2>&1 || fail "the same, resumed: $(cat out)"
    six '\351' > own.txt
    finds "a separator that is not UTF-8" "data: $tokens tokens in 6 texts" $texts --data own.txt --separator "${latin#caf}"
    "$PROGRAM" train --resume --steps 2 --separator "${latin#caf}" -o run > out 2>&1 || fail "the same, resumed: $(cat out)"
    "$PROGRAM" train --resume --steps 3 --separator x -o run > out 2>&1 && fail "another separator is taken"

    # ---- JSON lines
    six '"}\n{"text": "' | sed '1s/^/{"text": "/; $s/$/"}\n/' > lines.jsonl
    finds "JSON lines" "data: $tokens tokens in 6 texts" $texts --data lines.jsonl
    sed 's/"text"/"id": 7, "story"/' lines.jsonl > field.jsonl
    finds "a field that is named" "data: $tokens tokens in 6 texts" $texts --data field.jsonl --field story
    sed 's/$/\r\n\r/' lines.jsonl > crlf.ndjson
    finds "CRLF and blank lines" "data: $tokens tokens in 6 texts" $texts --data crlf.ndjson
    { cat lines.jsonl; echo '{"text": ""}'; printf '%s\n' '{"text": " \n "}'; } > hollow.jsonl
    finds "empty fields are no texts" "data: $tokens tokens in 6 texts" $texts --data hollow.jsonl
    sed 's/$/\n  \t/' lines.jsonl > white.jsonl
    finds "lines of white space" "data: $tokens tokens in 6 texts" $texts --data white.jsonl
    sed 's/"text"/"id": 184467440737095516160, "score": 1e999, "text"/' lines.jsonl > wide.jsonl
    finds "numbers beyond 64 bits that nobody needs" "data: $tokens tokens in 6 texts" $texts --data wide.jsonl
    cp lines.jsonl lines.data
    finds "the format that is said" ' in 6 texts' $texts --data lines.data --format jsonl
    { cat lines.jsonl; printf '%s\n' '{"text": "the \u0000 cat, <|endoftext|> and \ud83d\ude00"}'; } > escapes.jsonl
    finds "escapes, a separator within" ' in 7 texts' $texts --data escapes.jsonl
    refuses "a field that is missing" 'field.jsonl:1: expected an object with a text in the field text' $texts --data field.jsonl
    { cat lines.jsonl; echo '{"text": 3}'; } > number.jsonl
    refuses "a field that is no text" 'number.jsonl:7: expected an object with a text' $texts --data number.jsonl
    { cat lines.jsonl; printf '{"text": "the ca'; } > cut.jsonl
    refuses "a line that is cut" 'cut.jsonl:7: expected a JSON object in one line' $texts --data cut.jsonl
    { cat lines.jsonl; echo '["the cat"]'; } > array.jsonl
    refuses "a line that is no object" 'array.jsonl:7: expected' $texts --data array.jsonl
    { cat lines.jsonl; printf '{"text": "\377"}\n'; } > invalid.jsonl
    refuses "JSON that is not UTF-8" 'invalid.jsonl:7: ' $texts --data invalid.jsonl

    # ---- pairs
    awk 'BEGIN { split("cat dog bird fish tree house", noun, " ")
        for (i = 0; i < 36; i++) print noun[i % 6 + 1] " " noun[int(i / 6) + 1] "\tthe " noun[i % 6 + 1] }' > pairs.tsv
    pairs="$pairs --length 16"
    finds "pairs" ' in 36 pairs to learn from' $pairs --data pairs.tsv
    tokens=$(sed -n 's/^data: \([0-9]*\) tokens.*/\1/p' out)
    sed 's/$/\r/' pairs.tsv > crlf.tsv
    finds "pairs with CRLF" "data: $tokens tokens in 36 pairs" $pairs --data crlf.tsv
    cp pairs.tsv "$latin.tsv"
    finds "pairs in a file whose name is not UTF-8" "data: $tokens tokens in 36 pairs" $pairs --data "$latin.tsv"
    sed 's/$/\tCC-BY 2.0/' pairs.tsv > columns.tsv
    finds "a third column is no matter" "data: $tokens tokens in 36 pairs" $pairs --data columns.tsv
    { cat pairs.tsv; printf '\n\n'; } > blank.tsv
    finds "blank lines" "data: $tokens tokens in 36 pairs" $pairs --data blank.tsv
    { cat pairs.tsv; echo 'cat dog bird fish tree house cat dog bird fish tree house cat dog bird	the cat'; } > long.tsv
    finds "a pair that is too long" 'data: left out: 1 pair, empty or of more than 16 tokens' $pairs --data long.tsv
    { cat pairs.tsv; echo 'cat the cat'; } > tabless.tsv
    refuses "a pair without a tab" 'tabless.tsv:37: expected a source, a tab and a target, found no tab' $pairs --data tabless.tsv
    { cat pairs.tsv; printf 'cat\t\n'; } > half.tsv
    refuses "half a pair" 'half.tsv:37: expected a source, a tab and a target, found an empty side' $pairs --data half.tsv
    { printf '\n\n'; cat pairs.tsv; printf 'cat\tthe unicorn\n'; } > word.tsv
    { printf 'cat run\tcat run\n\ndog run\tdog run\n'; cat pairs.tsv; } > word.tsv
    refuses "a word that a closed vocabulary lacks" 'word.tsv:4: the word "the" is not known' \
        --preset toy-copy --data word.tsv --batch 2 --length 8
    refuses "pairs for a model of one side" 'holds pairs, but the model has one side' $texts --data pairs.tsv
    refuses "texts for a model of two" 'holds texts, but the model has two sides' $pairs --data plain.txt

    # ---- what cannot be read, and too little
    : > nothing.txt
    refuses "an empty file" 'nothing.txt: ' $texts --data nothing.txt
    printf ' \n\t\r\n' > space.txt
    refuses "white space alone" 'space.txt: ' $texts --data space.txt
    echo 'the cat' > short.txt
    refuses "too little" 'short.txt: [0-9]* tokens are too few: a batch of 2 sequences of 8 needs 17, about 0.1 kB' $texts --data short.txt
    head -1 pairs.tsv > short.tsv
    refuses "too few pairs" 'short.tsv: 1 pairs* of at most 16 tokens .* too few: a batch needs 2' $pairs --held-out 0 --data short.tsv
    refuses "no file" 'missing.txt: No such file' $texts --data missing.txt
    refuses "a folder" ': is a folder, expected a file' $texts --data .
    refuses "an empty name" 'expected' $texts --data ''
    refuses "a format that is none" '--format: expected text, tsv or jsonl' $texts --data plain.txt --format csv
    if [ "$(id -u)" != 0 ]; then
        : > closed.txt
        chmod 000 closed.txt
        refuses "a file that may not be read" 'closed.txt: Permission denied' $texts --data closed.txt
    fi

    # ---- standard input and pipes
    rm -rf run
    "$PROGRAM" train $texts --held-out 0 --data - -o run < plain.txt > out 2>&1 || fail "standard input: $(cat out)"
    grep -q ' in 6 texts' out || fail "standard input: $(cat out)"
    "$PROGRAM" train --resume --steps 2 -o run --threads 1 < /dev/null > out 2>&1 || fail "it is not asked for again: $(cat out)"
    rm -rf run
    "$PROGRAM" train $pairs --held-out 0 --format tsv --data - -o run < pairs.tsv > out 2>&1 || fail "pairs from standard input: $(cat out)"
    refuses "nothing from standard input" ': ' $texts --data - < /dev/null
    mkfifo pipe
    cat plain.txt > pipe & child=$!
    finds "a pipe with a name" ' in 6 texts' $texts --data pipe
    wait "$child"
    child=
}
[ "$failed" = 0 ]
