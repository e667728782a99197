#!/bin/sh
# Fails when a folder includes what it must not: kernels <- engine <- views <- app, and inside engine from
# base upwards.
set -u
bad=0
files() { # of a folder and the folders in it
    find "$1" -name '*.[ch]' 2> /dev/null
}
forbid() { # folder, pattern, why
    for file in $(files "$1"); do
        ! grep -nHE "$2" "$file" || { echo "check_layers: $3"; bad=1; }
    done
}
forbid kernels '#include "(engine|views|app)/' 'kernels include only kernels'
forbid engine '#include "(views|app)/' 'engine includes only kernels and engine'
forbid views '#include "app/' 'views include only kernels, engine and views'
forbid app 'view_find\("' 'app asks a view what it is, not whether it has a name'
forbid_in() { # files, pattern, why
    ! grep -nHE "$2" $1 || { echo "check_layers: $3"; bad=1; }
}
forbid_in 'tests/view_world.* tests/test_view* tests/test_frames.c tests/support_frames.* tests/test_canvas.c' \
    '#include "app/' 'tests of views include no app header'
for folder in kernels engine views; do
    forbid $folder '\b(printf|fprintf|puts|exit|abort)\(' "no printf, exit or abort in $folder/"
done

# One place opens devices: nobody else knows that there is a CPU.
for folder in app views engine/playground engine/training engine/generation engine/models engine/tape; do
    forbid "$folder" '#include "kernels/cpu\.h"' 'devices are opened by engine/devices/ alone'
done

# Only a device follows its pointers: others ask the tape for numbers, or the parameters.
for folder in app views engine/playground engine/generation engine/lessons; do
    forbid "$folder" 'array_(floats|ids)\(|params(\.|->)values\b' 'numbers are asked for by tape_values, tape_ids and params_values'
done

# Themes of the engine, lowest first: none includes one that comes after it.
above=
for theme in playground training generation models lessons tokenizers tape devices files base; do
    [ -z "$above" ] || forbid "engine/$theme" "#include \"engine/($above)/" "engine/$theme includes nothing of $above"
    above="${above:+$above|}$theme"
done

# Rooms of the tokenizers: what the kinds share knows neither, a kind not the other, and the readers and
# writers of files know both.
rooms=engine/tokenizers
for file in $rooms/*.[ch]; do
    forbid "$file" "#include \"$rooms/(sentencepiece|byte_level|formats)/" "$rooms/ includes none of its folders"
done
forbid $rooms/sentencepiece "#include \"$rooms/(byte_level|formats)/" 'sentencepiece/ includes neither byte_level/ nor formats/'
forbid $rooms/byte_level "#include \"$rooms/(sentencepiece|formats)/" 'byte_level/ includes neither sentencepiece/ nor formats/'

# What reaches a terminal goes through one writer: words from outside may hold control codes.
for file in $(files app); do
    case $file in app/output.c | app/terminal/*) continue ;; esac
    forbid "$file" '(^|[^a-z_])(v?f?printf|puts|putchar|fputs|fputc|putc|fwrite|perror)\(' 'app/ writes through app/output.h'
done

for file in $(files kernels) $(files engine) $(files views) $(files app); do
    name=$(basename "$file")
    [ "${file#app/terminal/}" != "$file" ] || ! grep -nE '#include <(n?curses|ncursesw/curses)\.h>' "$file" || {
        echo "check_layers: $file: only app/terminal includes curses"; bad=1; }
    ! grep -nE '#include <(cuda|cublas)' "$file" || { echo "check_layers: $file: CUDA headers only in kernels/*.cu"; bad=1; }
    head -1 "$file" | grep -q "^// $name - " || { echo "check_layers: $file: first line is not '// name - what it is'"; bad=1; }
    lines=$(wc -l < "$file")
    [ "$lines" -le 400 ] || { echo "check_layers: $file: $lines lines, 400 are allowed"; bad=1; }
done
exit $bad
