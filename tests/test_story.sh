#!/bin/sh
# The story models as they ship: how they go on from a few words, always with the likeliest token.
set -u
. tests/support.sh
goes_on() { # model, prompt, what follows it
    "$PROGRAM" generate --model "$1" --prompt "$2" --temperature 0 --tokens 40 > "$work/out" 2> "$work/err" || fail "$1: $(cat "$work/err")"
    [ "$(cat "$work/out")" = "$2$3" ] || fail "$1: expected \"$2$3\", found \"$(cat "$work/out")\""
}
goes_on story 'Bloom lived in a big garden' ' with a big garden. Every day he picked a daisy. One day it rained and rained. The cat was hungry, and the cat ran off.'
goes_on story 'Lily had a flute. Tom had a kite.' ' They ran up the hill as fast as they could. He was tired and looked at his ball. She was tired and looked at her coat.'
goes_on story 'Once there was a little girl' ' named the named the last. She lived in a big garden. In the evening she sang to the birds. One day it rained and rained. "May I come in?"'
goes_on story-gpt2 'Bloom lived in a big garden' ' with a kitten. In the summer she fed the kitten. One day she found a hook behind the oak. "Are you alone?" asked Max. "Come in'
goes_on story-gpt2 'Lily had a flute. Tom had a kite.' ' They sat down under the pine and talked. He was tired and forgot his kite. She was tired and looked at her flute.'
goes_on story-gpt2 'Once there was a little girl' ' named Lily. She lived in a big garden. In the summer she sat under the willow. On Thursday Sam came to see her. "Are you alone'
[ "$failed" = 0 ]
