#!/bin/sh
# Fails when a folder includes what it must not: kernels <- engine <- views <- app.
set -u
bad=0
forbid() { # folder, pattern, why
    hits=$(grep -nE "$2" "$1"/*.c "$1"/*.h 2>/dev/null)
    if [ -n "$hits" ]; then
        echo "$hits"
        echo "check_layers: $3"
        bad=1
    fi
}
forbid kernels '#include "(engine|views|app)/' 'kernels include only kernels'
forbid engine '#include "(views|app)/' 'engine includes only kernels and engine'
forbid views '#include "app/' 'views include only kernels, engine and views'
for folder in kernels engine views; do
    forbid $folder '\b(printf|fprintf|puts|exit|abort)\(' "no printf, exit or abort in $folder/"
done
for file in kernels/*.c kernels/*.h engine/*.[ch] views/*.[ch] app/*.[ch]; do
    [ -f "$file" ] || continue
    [ "$file" = app/terminal.c ] || ! grep -nE '#include <(n?curses|ncursesw/curses)\.h>' "$file" || {
        echo "check_layers: $file: only app/terminal.c includes curses"; bad=1; }
    ! grep -nE '#include <(cuda|cublas)' "$file" || { echo "check_layers: $file: CUDA headers only in kernels/*.cu"; bad=1; }
    head -1 "$file" | grep -q "^// $(basename "$file") - " || { echo "check_layers: $file: first line is not '// name - what it is'"; bad=1; }
    lines=$(wc -l < "$file")
    [ "$lines" -le 400 ] || { echo "check_layers: $file: $lines lines, 400 are allowed"; bad=1; }
done
exit $bad
