#!/bin/sh
# Runs every test program and test script, two at a time, since many of them wait for a terminal or for other
# processes; prints each one's result and, last, what failed and the sums. BUILD and PROGRAM say what was built; a
# script exits 77 after "skipped: why".
set -u
: "${BUILD:=build}" "${PROGRAM:=attend}"
# The tests lie elsewhere than the program: its own files are found here.
export BUILD PROGRAM ATTEND_ASSETS="$PWD"
# Packages to compare with, where `make peers` has installed them.
: "${PYTHON:=$([ -x build/peers/bin/python ] && echo build/peers/bin/python || echo python3)}"
export PYTHON
# A sanitized program is slow and uses a lot of address space; leaks are faults too.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}"
log=$BUILD/tests/log

# One test: its result is a line here, and "passed failed skipped" in a file beside what it printed.
run_program() {
    if "$BUILD/tests/$1" > "$log/$1" 2>&1; then
        passed=$(grep -c '^\[       OK' "$log/$1")
        echo "$passed 0 $(grep -c '^skipped: ' "$log/$1")" > "$log/$1.sums"
        printf '%-28s %4d passed\n' "$1" "$passed"
        grep '^skipped: ' "$log/$1"
    else
        failed=$(sed -n 's/^ *\([0-9]*\) FAILED TEST(S)$/\1/p' "$log/$1" | tail -1)
        echo "0 ${failed:-1} 0" > "$log/$1.sums"
        printf '%-28s FAILED\n' "$1"
    fi
}
run_script() {
    sh "tests/$1" > "$log/$1" 2>&1
    case $? in
    0)  echo '1 0 0' > "$log/$1.sums"; printf '%-28s passed\n' "$1"; grep '^skipped: ' "$log/$1" ;;
    77) echo '0 0 1' > "$log/$1.sums"; printf '%-28s %s\n' "$1" "$(grep '^skipped: ' "$log/$1" | head -1)" ;;
    *)  echo '0 1 0' > "$log/$1.sums"; printf '%-28s FAILED\n' "$1" ;;
    esac
}
if [ $# = 1 ]; then
    case $1 in *.sh) run_script "$1" ;; *) run_program "$1" ;; esac
    exit 0
fi

rm -rf "$log"
mkdir -p "$log"
# The long ones first: nothing waits for them in the end.
{
    printf '%s\n' test_sentencepiece.sh test_lessons.sh test_explain test_limits.sh test_train_options \
        test_learn_hostile test_mpi.sh test_lesson_keys test_tokenizer_packages.sh test_screen_colours \
        test_screen_lessons test_train_memory.sh test_plain test_gradient test_playground test_signals
    for test in "$BUILD"/tests/test_*; do
        name=$(basename "$test")
        [ -f "tests/$name.c" ] && echo "$name"
    done
    for script in tests/test_*.sh; do basename "$script"; done
} | awk '!seen[$0]++' | xargs -n 1 -P 2 env --default-signal=HUP sh tests/run.sh

for sums in "$log"/*.sums; do
    grep -q '^[0-9]* 0 ' "$sums" || { echo "---- $(basename "$sums" .sums)"; cat "${sums%.sums}"; }
done
cat "$log"/*.sums | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || passed == 0 }'
