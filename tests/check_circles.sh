#!/bin/sh
# Fails when files call one another in a circle: a uses what b defines and b, directly or by others, what a
# defines. Called with the objects of the program, whose relocations say it exactly: a reference from code
# to a symbol that another object defines is a use. A table of functions (OPS, CPU_BACKEND, the families) is
# no use of them: by it what lies below reaches what lies above without knowing it. In app/, where nothing
# lies above, tables count too. Headers may not include one another in a circle at all.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Circles that are there, sorted, each with its reason; at most six, of two or three files.
cat > "$work/listed" << 'LIST'
engine/files/safetensors engine/files/safetensors_header: a file and its header are read as one; the header's sentences name sizes
engine/playground/playground engine/playground/playground_undo: a change opens and closes models, and opening one is a change
engine/tokenizers/formats/hf_pipeline engine/tokenizers/formats/hf_tokenizer: parts of one JSON file that refuse in the same words
engine/training/checkpoint engine/training/checkpoint_list: a checkpoint is named as it is listed, and the newest are kept
engine/training/dataset engine/training/dataset_pairs: two ways to read the same batches
LIST

# "d symbol module": who defines it; "u symbol module": who uses it. A module is an object's path without
# the folder of the build and without its level of instructions.
MODULE='function module(path) {
    match(path, /(kernels|engine|views|app)\/.*/)
    path = substr(path, RSTART)
    sub(/:$/, "", path)
    sub(/(\.(baseline|avx2|avx512))?\.o$/, "", path)
    return path
}'
uses_of() { # sections, objects
    sections=$1
    shift
    # shellcheck disable=SC2086
    objdump -r $sections "$@" 2> /dev/null | awk "$MODULE"'
        / file format / { user = module($1) }
        /^[0-9a-f]+ R_/ { symbol = $3; sub(/[-+]0x[0-9a-f]+$/, "", symbol); print "u", symbol, user }'
}
code='-j .text -j .text.unlikely -j .text.hot -j .text.startup'
tables='-j .data -j .data.rel -j .data.rel.local -j .data.rel.ro -j .data.rel.ro.local'
{
    nm -P -g -A --defined-only "$@" | awk "$MODULE"'NF >= 3 { print "d", $2, module($1) }'
    uses_of "$code" "$@"
    for object in "$@"; do
        case $object in
        app/* | */app/*) printf '%s\n' "$object" ;;
        esac
    done > "$work/app"
    # shellcheck disable=SC2046
    uses_of "$tables" $(cat "$work/app")
} | sort -u > "$work/symbols"
awk '$1 == "d" { defined[$2] = $3 } $1 == "u" { n++; symbol[n] = $2; user[n] = $3 }
    END { for (i = 1; i <= n; i++) {
        by = defined[symbol[i]]
        if (by != "" && by != user[i]) { print user[i], by, symbol[i] }
    } }' "$work/symbols" > "$work/uses"
[ "$(wc -l < "$work/uses")" -gt 100 ] || { echo "check_circles: the objects hold no uses of one another"; exit 1; }

# Headers by what they include.
find kernels engine views app plugins -name '*.h' -exec awk '
    /^#include ".*\.h"$/ { gsub(/"/, "", $2); print FILENAME, $2, "include" }' {} + >> "$work/uses"

# The groups of files that all reach one another.
awk '
function visit(file, mark,    k) {
    if (seen[mark, file]) { return }
    seen[mark, file] = 1
    for (k = 1; k <= n_to[file]; k++) { if (kept[to[file, k]]) { visit(to[file, k], mark) } }
}
{
    kept[$1] = kept[$2] = 1
    if (!(($1, $2) in edge)) { edge[$1, $2] = 1; to[$1, ++n_to[$1]] = $2; from[$2, ++n_from[$2]] = $1 }
}
END {
    for (again = 1; again;) { # who uses nobody, or is used by nobody, is in no circle
        again = 0
        for (file in kept) {
            if (!kept[file]) { continue }
            out = into = 0
            for (k = 1; k <= n_to[file]; k++) { out += kept[to[file, k]] }
            for (k = 1; k <= n_from[file]; k++) { into += kept[from[file, k]] }
            if (out == 0 || into == 0) { kept[file] = 0; again = 1 }
        }
    }
    for (file in kept) { if (kept[file]) { visit(file, file); n++; left[n] = file } }
    for (i = 1; i <= n; i++) {
        group = left[i]
        for (k = 1; k <= n; k++) {
            both = seen[left[i], left[k]] && seen[left[k], left[i]] && i != k
            if (both) { print left[i], left[k] }
        }
    }
}' "$work/uses" | sort > "$work/pairs"
awk '{ others[$1] = others[$1] " " $2 } END { for (file in others) { print file others[file] } }' "$work/pairs" |
    while read -r group; do
        printf '%s\n' $group | sort | tr '\n' ' ' | sed 's/ $//'
        echo
    done | sort -u > "$work/found"

sed 's/: .*//' "$work/listed" | sort > "$work/allowed"
bad=0
for circle in $(comm -23 "$work/found" "$work/allowed" | tr ' ' ','); do
    bad=1
    echo "check_circles: these files use one another in a circle:"
    printf '%s\n' "$circle" | tr ',' '\n' > "$work/members"
    awk 'NR == FNR { member[$1] = 1; next } member[$1] && member[$2] { print "  " $1 " uses " $3 " of " $2 }' \
        "$work/members" "$work/uses" | head -20
done
for circle in $(comm -13 "$work/found" "$work/allowed" | tr ' ' ','); do
    bad=1
    echo "check_circles: is listed and no longer there: $(printf '%s' "$circle" | tr ',' ' ')"
done
[ "$(wc -l < "$work/listed")" -le 6 ] || { echo "check_circles: more than six circles are listed"; bad=1; }
awk 'NF > 3 { exit 1 }' "$work/allowed" || { echo "check_circles: a listed circle has more than three files"; bad=1; }
exit $bad
