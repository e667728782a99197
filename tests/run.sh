#!/bin/sh
# Runs every test program and test script; prints each one's result and, last, the sums.
# BUILD and PROGRAM say what was built; a script exits 77 after "skipped: why".
set -u
: "${BUILD:=build}" "${PROGRAM:=attend}"
# The tests lie elsewhere than the program: its own files are found here.
export BUILD PROGRAM ATTEND_ASSETS="$PWD"
# A sanitized program is slow and uses a lot of address space; leaks are faults too.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}"
passed=0 failed=0 skipped=0
log=$BUILD/tests/log
mkdir -p "$log"

for test in "$BUILD"/tests/test_*; do
    case $test in *.o | *.d) continue ;; esac
    name=$(basename "$test")
    [ -f "tests/$name.c" ] || continue
    if "$test" > "$log/$name" 2>&1; then
        count=$(grep -c '^\[       OK' "$log/$name")
        passed=$((passed + count))
        skips=$(grep -c '^skipped: ' "$log/$name")
        skipped=$((skipped + skips))
        printf '%-28s %4d passed\n' "$name" "$count"
        grep '^skipped: ' "$log/$name"
    else
        cat "$log/$name"
        bad=$(sed -n 's/^ *\([0-9]*\) FAILED TEST(S)$/\1/p' "$log/$name" | tail -1)
        failed=$((failed + ${bad:-1}))
        printf '%-28s FAILED\n' "$name"
    fi
done

for script in tests/test_*.sh; do
    [ -f "$script" ] || continue
    name=$(basename "$script")
    sh "$script" > "$log/$name" 2>&1
    case $? in
    0)  passed=$((passed + 1)); printf '%-28s passed\n' "$name"; grep '^skipped: ' "$log/$name" ;;
    77) skipped=$((skipped + 1)); printf '%-28s %s\n' "$name" "$(grep '^skipped: ' "$log/$name" | head -1)" ;;
    *)  failed=$((failed + 1)); cat "$log/$name"; printf '%-28s FAILED\n' "$name" ;;
    esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
