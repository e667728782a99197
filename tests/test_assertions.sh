#!/bin/sh
# docs/assertions.md names every file with assertions, how many it has, and functions that exist: whoever adds
# an assertion says there what keeps a file, an option or a key away from it.
set -u
. tests/support.sh
table=docs/assertions.md
find kernels engine views app plugins -name '*.[ch]' -exec grep -cE '(^|[^A-Za-z_])assert\(' {} + | grep -v ':0$' |
    sort > "$work/found"
[ "$(wc -l < "$work/found")" -gt 20 ] || fail 'found few files with assertions'
sed -nE 's/^\| `([^`:]+)` \| ([0-9]+) \|.*/\1:\2/p' "$table" | sort > "$work/said"
diff "$work/said" "$work/found" > "$work/differ" ||
    fail "$table (<) and the code (>) differ in FILE:NUMBER OF ASSERTIONS: $(grep '^[<>]' "$work/differ")"
grep -oE '`[a-z_/0-9]+\.[ch]:[a-z_0-9]+`' "$table" | tr -d '\140' | sort -u > "$work/guards"
[ -s "$work/guards" ] || fail "$table names no functions"
while IFS=: read -r file function; do
    grep -qE "(^|[^a-z_0-9])$function\(" "$file" || fail "$table: $file has no function $function"
done < "$work/guards"
[ "$failed" = 0 ]
