#!/bin/sh
# Drives the real program on files that lie: each must end in one sentence on standard error, exit
# status 1 and nothing on standard output. Good files must print.
set -u
. tests/support.sh
reference=$(cd tests/reference && pwd)
disk=$work/disk
cd "$work" || exit 1

# check NAME SENTENCE COMMAND...: the command must fail with a line that holds NAME and SENTENCE.
check() {
    name=$1 sentence=$2
    shift 2
    "$@" > out 2> err
    status=$?
    [ $status = 1 ] || fail "$name: expected exit status 1, found $status: $(head -c 300 err)"
    [ ! -s out ] || fail "$name: expected nothing on standard output, found $(head -c 100 out)"
    [ "$(wc -l < err)" = 1 ] || fail "$name: expected one line, found $(head -c 600 err)"
    grep -qF -- "$name" err || fail "$name: expected its name, found $(cat err)"
    grep -qF -- "$sentence" err || fail "$name: expected \"$sentence\", found $(cat err)"
}

inspect() {
    name=$1 sentence=$2
    check "$name" "$sentence" "$PROGRAM" inspect "$name"
}

# bytes N...: each number as one byte.
bytes() {
    for byte; do
        printf "\\$(printf %03o "$byte")"
    done
}

# make NAME HEADER DATA_BYTES [CLAIMED]: a safetensors file with that header.
make() {
    length=${4:-${#2}}
    {
        bytes $((length % 256)) $((length / 256 % 256)) $((length / 65536 % 256)) 0 0 0 0 0
        printf %s "$2"
        head -c "$3" /dev/zero
    } > "$1"
}

entry() { # NAME DTYPE SHAPE BEGIN END
    printf '"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%s,%s]}' "$@"
}

# ---- good files print

for file in "$reference"/*/*; do
    "$PROGRAM" inspect "$file" > out 2> err && [ -s out ] && [ ! -s err ] || fail "$file does not print"
    "$PROGRAM" inspect --format json "$file" > out 2> err && [ -s out ] || fail "$file gives no JSON"
done
for case in "$reference"/*/; do
    "$PROGRAM" inspect "$case" 2> err | grep -q '^  parameters  *[0-9]' || fail "$case does not print"
done
make good "{$(entry a F32 2,3 0 24),$(entry b I64 1 24 32),$(entry c BOOL 0 32 32)}" 32
"$PROGRAM" inspect good | grep -q '^a .*(2,3)' || fail 'good: tensor a is missing'

# ---- the file itself

inspect missing 'cannot read: No such file or directory'
: > empty
inspect empty 'which starts with 8 bytes, found 0'
mkdir nothing
inspect nothing 'in this folder, found neither'
mkdir model.json
inspect model.json 'expected config.json or model.safetensors'
model=$reference/gpt2-small/model.safetensors
size=$(wc -c < "$model")
for cut in 1 7 8 9 100 1000 $((size - 1)); do
    head -c "$cut" "$model" > truncated
    inspect truncated bytes
done
head -c 100 "$model" > truncated
inspect truncated 'bytes, the file has 92 after its first 8: truncated'
head -c $((size - 1)) "$model" > truncated
inspect truncated 'pass the end'
{ cat "$model"; echo; } > longer
inspect longer 'expected the data to end with the last tensor'

# ---- the header

make length '{}' 0 3
inspect length 'the header claims 3 bytes, the file has 2'
{ bytes 255 255 255 255 255 255 255 255; printf '{}'; } > lengths
inspect lengths 'the header claims 18446744073709551615 bytes'
make text 'this is not JSON' 0
inspect text 'expected a header that begins with {'
make json '{"a": nothing}' 0
inspect json 'expected valid JSON'
make twice "{$(entry a F32 1 0 4),$(entry a F32 1 0 4)}" 4
inspect twice 'duplicate object key'
make huge "{$(entry a F32 99999999999999999999999 0 4)}" 4
inspect huge 'too big integer'
make product "{$(entry a F32 4294967296,4294967296 0 4)}" 4
inspect product 'tensor "a": its 2 sizes have a product beyond 64 bits'
make dtype "{$(entry w.1 Q4 1 0 4)}" 4
inspect dtype 'tensor "w.1": unknown dtype "Q4"'
make metadata '{"__metadata__":{"a":1}}' 0
inspect metadata '"a": expected a string'
make control "{$(entry 'a\u001b[31m\n' F32 1 0 8)}" 8
inspect control 'tensor "a\x1b[31m\x0a": F32 of shape (1) needs 4 bytes'

# ---- the offsets

make overlap "{$(entry a F32 2 0 8),$(entry b F32 1 4 8)}" 8
inspect overlap 'tensor "b": its data begin at 4, inside "a", which ends at 8'
make gap "{$(entry a F32 1 0 4),$(entry b F32 1 8 12)}" 12
inspect gap 'tensor "b": its data begin at 8, expected 4'
make beyond "{$(entry a F32 2 0 8)}" 4
inspect beyond 'data offsets [0, 8] pass the end: the file has 4 bytes of data'
make backwards "{$(entry a F32 1 4 0)}" 4
inspect backwards 'expected 0 <= begin <= end, found [4, 0]'
make shape "{$(entry a F32 3 0 8)}" 8
inspect shape 'F32 of shape (3) needs 12 bytes, its data offsets [0, 8] give 8'

# ---- other kinds of files

printf '{\n"a": 1,\n"a": 2}' > twice.json
inspect twice.json 'twice.json:3: expected valid JSON'
printf '[1]' > array.json
inspect array.json 'expected a JSON object'
printf '\223NUMPY\001\000\377\377' > short.npy
inspect short.npy 'expected a .npy file'
printf '{"weight_map": {"a": "gone.safetensors"}}' > model.safetensors.index.json
check gone.safetensors 'cannot read: No such file' "$PROGRAM" inspect model.safetensors.index.json

# ---- outputs

check nowhere/out 'cannot write: No such file' "$PROGRAM" inspect -o nowhere/out good
check nothing 'it is a folder' "$PROGRAM" inspect -o nothing good
if [ -w /dev/full ]; then
    "$PROGRAM" inspect good > /dev/full 2> err
    [ $? = 1 ] || fail 'a full standard output: expected exit status 1'
    grep -q 'standard output: cannot write: No space left' err || fail "full: found $(cat err)"
else
    echo 'skipped: no /dev/full'
fi

mkdir "$disk"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none "$disk" 2> /dev/null; then
    mounted=$disk
    echo old > "$disk/out"
    head -c 65536 /dev/zero > "$disk/filler" 2> /dev/null
    check disk/out 'cannot write: No space left on device' "$PROGRAM" inspect -o disk/out good
    [ "$(cat "$disk/out")" = old ] || fail 'a full disk: the old file is gone'
    [ "$(ls -A "$disk" | wc -l)" = 2 ] || fail "a full disk: something is left: $(ls -A "$disk")"
else
    echo 'skipped: a full disk needs root and mount'
fi

# A file that may not be read, a folder that may not be written: root may everything.
if [ "$(id -u)" = 0 ]; then
    user='setpriv --reuid=65534 --regid=65534 --clear-groups'
else
    user=
fi
chmod 755 "$work"
if $user "$PROGRAM" version > /dev/null 2>&1; then
    cp good unreadable
    chmod 000 unreadable
    mkdir -m 555 closed
    check unreadable 'cannot read: Permission denied' $user "$PROGRAM" inspect unreadable
    check closed/out 'cannot write: Permission denied' $user "$PROGRAM" inspect -o closed/out good
    cp good read-only
    chmod 444 read-only
    chmod 777 "$work"
    check read-only 'cannot write: Permission denied' $user "$PROGRAM" inspect -o read-only good
    cmp -s good read-only || fail 'a read-only file was replaced'
else
    echo 'skipped: no other user can run the program'
fi

# Our own file of llm.c: its tensors are all that is in it.
"$PROGRAM" convert --untrained gpt2-tiny gpt.bin 2> err || fail "a file of llm.c: $(cat err)"
"$PROGRAM" inspect --format json gpt.bin > out 2> err || fail "inspect gpt.bin: $(cat err)"
python3 - out "$(wc -c < gpt.bin)" <<'END' || fail "gpt.bin: $(cat out)"
import json, sys
found = json.load(open(sys.argv[1]))
size = sum(tensor["size_bytes"] for tensor in found["tensors"])
assert found["kind"] == "llm.c" and size + 1024 == int(sys.argv[2]) and found["metadata"]["heads"] == "3", found
END
"$PROGRAM" inspect gpt.bin | grep -q '^  to train ' || fail 'gpt.bin has no costs'
head -c 2000 gpt.bin > short.bin
"$PROGRAM" inspect short.bin > out 2> err && fail 'a short file of llm.c'
grep -q 'short.bin: 2000 bytes, expected' err || fail "a short file of llm.c: $(cat err)"

"$PROGRAM" inspect -o report good || fail 'a report cannot be written'
"$PROGRAM" inspect good | cmp -s - report || fail 'the report differs from standard output'
[ "$failed" = 0 ]
