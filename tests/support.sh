# support.sh - what the test scripts share: the program and a folder by their whole paths, what goes
# away with the script, and whether something was wrong. A script sources this from the repository's
# root and ends with `[ "$failed" = 0 ]`.
# shellcheck shell=sh
: "${PROGRAM:=attend}" "${BUILD:=build}"
case $PROGRAM in /*) ;; *) PROGRAM=$PWD/$PROGRAM ;; esac
work=$(mktemp -d) || exit 1
child=   # a process that has to end with the script
mounted= # a file system as well
clean() {
    [ -z "$child" ] || kill -9 "$child" 2> /dev/null
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$work"
}
trap clean EXIT

failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

# Waits until the child has written a file, or has ended without it.
written() {
    until [ -s "$1" ] || ! kill -0 "$child" 2> /dev/null; do sleep 0.02; done
}

# Lets programs allocate so many megabytes from here on; at once, where they are sanitized, which alone
# takes terabytes of addresses.
limit_memory() {
    case $BUILD in
    *sanitize*)
        ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1:max_allocation_size_mb=$1
        export ASAN_OPTIONS
        ;;
    *) ulimit -v $(($1 * 1000)) ;;
    esac
}

# Text to learn from: so many stories of so many sentences, each with its end mark in a line.
stories() {
    awk -v n_stories="$1" -v n_sentences="$2" 'BEGIN {
        split("cat dog bird fish tree house ball boat", noun, " ")
        split("sees likes finds hides", verb, " ")
        for (i = 0; i < n_stories; i++) {
            for (k = 0; k < n_sentences; k++)
                printf "the %s %s the %s. ", noun[(i * 7 + k * 3) % 8 + 1], verb[(i + k) % 4 + 1], noun[(i * 5 + k) % 8 + 1]
            print "<|endoftext|>"
        } }'
}
