#!/bin/sh
# The translating toy from its grammar to German sentences, as a person runs it.
set -u
. tests/support.sh
same() { # what, found, expected
    [ "$2" = "$3" ] || fail "$1: found \"$2\", expected \"$3\""
}

# A quarter of its training translates most sentences that it has not seen (measured: 191 of 200).
"$PROGRAM" train --preset toy-translate --steps 400 --eval-every 200 --sample-every 400 -o "$work/run" > "$work/out" 2>&1 ||
    fail "training: $(cat "$work/out")"
grep -q '19000 pairs to learn from, .* in 1000 held out' "$work/out" || fail "the held-out pairs are told: $(cat "$work/out")"
"$PROGRAM" eval --model "$work/run" --data translate --limit 200 > "$work/eval" || fail "eval of made pairs"
right=$(sed -n 's/^exact *\([0-9]*\) of 200 .*/\1/p' "$work/eval")
[ "${right:-0}" -ge 180 ] || fail "after 400 steps $right of 200 are right, expected 180: $(cat "$work/eval")"
grep -q '^BLEU  *9[0-9]\.' "$work/eval" || fail "BLEU: $(cat "$work/eval")"

# Its run goes on, and its pairs are no file that could be missing.
"$PROGRAM" train --resume --steps 402 -o "$work/run" > "$work/out" 2>&1 || fail "it goes on: $(cat "$work/out")"

# The copy toy's pairs have no end mark, in training as in use.
"$PROGRAM" train --preset toy-copy -o "$work/copy" > "$work/out" 2>&1 || fail "the copy toy: $(cat "$work/out")"
same copies "$("$PROGRAM" translate --model "$work/copy" 'dog run' 'eat cat' | tr '\n' '/')" 'dog run/eat cat/'
"$PROGRAM" eval --model "$work/copy" --data copy | grep -q '^tokens  *50 in 25 texts' || fail "its pairs have two labels each"

# As it ships.
same one "$("$PROGRAM" translate --model toy-translate 'the man calls the friend')" 'der Mann ruft den Freund an'
same several "$(printf 'yesterday the girl bought the book\nPaul says that the child can read the letter today\n' |
    "$PROGRAM" translate --model toy-translate - | tr '\n' '/')" \
    'gestern hat das Mädchen das Buch gekauft/Paul sagt, dass das Kind heute den Brief lesen kann/'
same beam "$("$PROGRAM" translate --model toy-translate --beam 3 'the child opens the door')" 'das Kind macht die Tür auf'

# Texts are looked at with the marks that the model has learned: the end is a position, too.
"$PROGRAM" trace --model toy-translate --input 'the man sleeps' --target 'der Mann schläft' > "$work/trace" || fail "trace"
grep -q '^decoder.0.cross_attn.weights  *(1,2,4,5)' "$work/trace" || fail "<s> and </s> stand around the source: $(grep cross_attn.weights "$work/trace")"
"$PROGRAM" explain --model toy-translate --input 'the man sleeps' --target 'der Mann schläft' 'decoder.0.cross_attn.weights[0,1,2,3]' > "$work/out" ||
    fail "explain: $(cat "$work/out")"
"$PROGRAM" heatmap --model toy-translate --input 'the man sleeps' --target 'der Mann schläft' \
    --stage decoder.0.cross_attn.weights --head 1 -o "$work/heads.csv" || fail "heatmap"
grep -q schläft "$work/heads.csv" || fail "the picture's labels are words: $(cat "$work/heads.csv")"

# It does not know all words.
"$PROGRAM" translate --model toy-translate 'the cat jumps' > "$work/out" 2>&1 && fail "an unknown word is refused"
grep -q '"jumps" is not known; the words are: alone Anna .* and [0-9]* more, which `attend inspect` lists' "$work/out" || fail "and said: $(cat "$work/out")"
"$PROGRAM" inspect toy-translate | grep -q '^words: .* zumacht$' || fail "inspect lists all words"
"$PROGRAM" generate --model toy-translate --prompt 'the man' > "$work/out" 2>&1 && fail "it does not generate"
[ "$failed" = 0 ]
