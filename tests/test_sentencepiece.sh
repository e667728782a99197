#!/bin/sh
# Pieces and their order as spm_train gives them, ids as spm_encode gives them, on English, German and Chinese manual
# pages of more than 1 MB each, with the identity and with nmt_nfkc.
set -u
. tests/support.sh
for tool in spm_train spm_encode spm_decode spm_export_vocab; do
    command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed (package sentencepiece)"; exit 77; }
done

manual() { # pages' folder, file: 1.2 MB of text without markup lines
    find "$1" -name '*.gz' 2> /dev/null | LC_ALL=C sort | xargs -r zcat 2> /dev/null |
        grep -v "^[.']" | head -c 1200000 > "$work/$2"
    [ "$(wc -c < "$work/$2")" -ge 1000000 ] || {
        echo "skipped: less than 1 MB of manual pages in $1 (packages manpages-dev, manpages-de, manpages-zh)"
        exit 77
    }
}
manual /usr/share/man/man2 en || exit 77
manual /usr/share/man/de/man1 de || exit 77
manual /usr/share/man/zh_CN zh || exit 77

# What text can name is one piece where it is the user's, and text where it is a control piece.
cat > "$work/named" << 'END'
<x> <x><x>a<x>.b <c>a<c> <s></s> <unk> <pad> <0x41> ▁ undchar charund und\x
<x <c <s <x>ｕｎｄ ﬁ<x>ﬁ  char  und	char
END

compare_ids() { # file, flags for the messages: with what spm_train made, and with what we made
    input=$1
    shift
    spm_encode --model="$work/theirs.model" --output_format=id < "$input" | sed 's/ *$//' > "$work/theirs.ids"
    spm_encode --model="$work/ours.model" --output_format=id < "$input" | sed 's/ *$//' > "$work/crossed.ids"
    "$PROGRAM" tokenize -t "$work/theirs.model" --special text --format ids --input "$input" > "$work/ours.ids" 2> /dev/null
    cmp "$work/ours.ids" "$work/theirs.ids" || fail "ids differ: $input $*"
    cmp "$work/crossed.ids" "$work/theirs.ids" || fail "ids differ where spm_encode reads our .model: $input $*"
}

compare() { # text, flags: train both ways, then encode and decode with what spm_train made
    file=$work/$1
    shift
    spm_train --input="$file" --model_prefix="$work/theirs" --model_type=bpe --minloglevel=2 "$@" 2> "$work/log" ||
        { cat "$work/log"; fail "spm_train failed: $*"; return; }
    "$PROGRAM" tokenizer train --data "$file" -o "$work/ours.model" "$@" 2> "$work/log" ||
        { cat "$work/log"; fail "attend tokenizer train failed: $*"; return; }
    spm_export_vocab --model="$work/ours.model" --output="$work/ours.vocab" 2> /dev/null
    spm_export_vocab --model="$work/theirs.model" --output="$work/theirs.vocab" 2> /dev/null
    cmp "$work/ours.vocab" "$work/theirs.vocab" || fail "pieces differ: $file $*"
    compare_ids "$work/named" "$@"
    compare_ids "$file" "$@"
    spm_decode --model="$work/theirs.model" --input_format=id < "$work/theirs.ids" > "$work/theirs.text"
    "$PROGRAM" tokenize -t "$work/ours.model" --decode --input "$work/theirs.ids" > "$work/ours.text"
    cmp "$work/ours.text" "$work/theirs.text" || fail "decoded texts differ: $file $*"
}

article="--vocab_size=2000 --character_coverage=1.0 --max_sentence_length=2048 --treat_whitespace_as_suffix=true --split_digits=true"
for text in en de; do
    compare $text $article --normalization_rule_name=identity
    compare $text $article
    compare $text --vocab_size=3000 --byte_fallback=true --character_coverage=0.999 --add_dummy_prefix=false \
        --user_defined_symbols=char,und,\<x\> --control_symbols=\<c\> --pad_id=3
done
compare zh --vocab_size=4000 --character_coverage=1.0 --max_sentence_length=2048 --treat_whitespace_as_suffix=true \
    --split_digits=true --normalization_rule_name=identity
compare zh --vocab_size=4000 --max_sentence_length=4192
compare zh --vocab_size=2000 --byte_fallback=true --character_coverage=0.98 --split_by_unicode_script=false \
    --split_by_number=false --remove_extra_whitespaces=false

# Small texts and nearly all the pieces that they can give: pairs of equal count, most of them 0, are chosen in an order
# that hangs on every symbol and on the order of lines. One text has TABs, which no piece holds; of the other's lines
# normalization leaves some empty.
head -c 30000 "$work/en" > "$work/tabs"
{ head -c 15000 "$work/zh"; printf '\n \n\343\200\200\n'; tail -c +15001 "$work/zh" | head -c 15000; } > "$work/blanks"
grep -q "$(printf '\t')" "$work/tabs" || fail "the first 30000 bytes of the English pages have no TAB"
for vocabulary in 3000 5000; do
    compare tabs --vocab_size=$vocabulary --normalization_rule_name=identity --split_by_unicode_script=false \
        --byte_fallback=true
    compare blanks --vocab_size=$((vocabulary + 2000)) --split_by_whitespace=false
done
compare tabs --vocab_size=3700 --character_coverage=0.99
compare blanks --vocab_size=4000 --character_coverage=1.0 --byte_fallback=true

# A vocabulary that the text cannot fill is cut to what spm_train names as the maximum.
head -c 3000 "$work/en" > "$work/small"
"$PROGRAM" tokenizer train --data "$work/small" -o "$work/ours.tokenizer" --vocab-size 9000 2> "$work/log" ||
    fail "a vocabulary that is too large is an error"
ours=$(sed -n 's/.*the most that it gives, \([0-9]*\).*/\1/p' "$work/log")
theirs=$(spm_train --input="$work/small" --model_prefix="$work/theirs" --model_type=bpe --vocab_size=9000 2>&1 |
    sed -n 's/.*<= \([0-9]*\)\..*/\1/p')
[ -n "$ours" ] && [ "$ours" = "$theirs" ] || fail "the maximum is said to be \"$ours\", spm_train says \"$theirs\""

# Through our text file nothing changes.
"$PROGRAM" tokenizer train --data "$work/en" -o "$work/ours.model" $article 2> /dev/null
"$PROGRAM" tokenizer train --data "$work/en" -o "$work/ours.tokenizer" $article 2> /dev/null
"$PROGRAM" tokenize -t "$work/ours.model" --format ids --input "$work/de" > "$work/a" 2> /dev/null
"$PROGRAM" tokenize -t "$work/ours.tokenizer" --format ids --input "$work/de" > "$work/b" 2> /dev/null
cmp "$work/a" "$work/b" || fail "the text file gives other ids than the .model"
[ "$failed" = 0 ]
