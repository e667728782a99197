#!/bin/sh
# The ways through the source that docs/architecture.md writes down: every function is where it says, and
# each list goes downwards, app -> views -> engine -> kernels, in the engine from theme to theme.
set -u
. tests/support.sh

file=docs/architecture.md
# A line "list number path function" for each place; a list begins with its number 1.
awk '/^[0-9]+\. `[^`]*:[a-z_0-9]+`/ {
    if ($1 == "1.") { list++ }
    line = $0
    while (match(line, /`[^`]*\.[ch]:[a-z_0-9]+`/)) {
        place = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        split(place, parts, ":")
        print list, $1, parts[1], parts[2]
    }
}' "$file" > "$work/places"
[ "$(wc -l < "$work/places")" -ge 30 ] || fail "$file has no lists of functions"

height() { # of a file: what is above has more
    order='kernels engine/base engine/files engine/devices engine/tape engine/tokenizers engine/lessons
        engine/models engine/generation engine/training engine/playground views app'
    at=0
    for folder in $order; do
        at=$((at + 1))
        case $1 in
        "$folder"/*) echo $at; return ;;
        esac
    done
    echo 0
}

last_list=0
last_height=99
while read -r list number path name; do
    [ -f "$path" ] || { fail "$file: there is no $path"; continue; }
    # Where it is defined its name stands in a line that begins at the margin and ends no statement.
    grep -E "^[a-zA-Z].*[ *]$name\\(" "$path" | grep -qv ';$' || fail "$file: $path does not define $name"
    here=$(height "$path")
    [ "$here" -gt 0 ] || fail "$file: $path lies in no layer"
    [ "$list" = "$last_list" ] || last_height=99
    [ "$here" -le "$last_height" ] || fail "$file: list $list goes up at $number $path"
    last_list=$list
    last_height=$here
done < "$work/places"
[ "$failed" = 0 ]
