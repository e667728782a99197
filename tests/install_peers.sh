#!/bin/sh
# Installs the Python packages that peers/packages.txt lists into a folder of their own, where PyPI
# can be reached; otherwise says what is skipped and why.
#
#     install_peers.sh FOLDER LIST
set -u
folder=$1 list=$2
skip() {
    rm -rf "$folder"
    echo "skipped: the comparisons with Python packages: $*"
    exit 1
}
cmp -s "$list" "$folder/packages.txt" && exit 0
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m venv "$folder" > "$folder.log" 2>&1 || skip "python3 -m venv: $(tail -n 1 "$folder.log")"
timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
    --only-binary :all: -r "$list" > "$folder.log" 2>&1 || skip "pip install: $(tail -n 1 "$folder.log")"
cp "$list" "$folder/packages.txt"
