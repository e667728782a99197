#!/bin/sh
# Installs the Python packages that peers/packages.txt lists into a folder of their own, where PyPI
# can be reached; otherwise says what is skipped and why. torch comes from its index of CPU builds,
# where that can be reached, or, with TORCH=pypi, from PyPI.
#
#     install_peers.sh FOLDER LIST
set -u
folder=$1 list=$2
skip() {
    rm -rf "$folder"
    echo "skipped: the comparisons with Python packages: $*"
    exit 1
}
install() { # seconds, then arguments of pip install
    seconds=$1
    shift
    timeout "$seconds" "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
        --only-binary :all: "$@" > "$folder.log" 2>&1
}
if ! cmp -s "$list" "$folder/packages.txt"; then
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    python3 -m venv "$folder" > "$folder.log" 2>&1 || skip "python3 -m venv: $(tail -n 1 "$folder.log")"
    install 300 -r "$list" || skip "pip install: $(tail -n 1 "$folder.log")"
    cp "$list" "$folder/packages.txt"
fi
"$folder/bin/python" -c 'import torch' 2> /dev/null && exit 0
case ${TORCH:-cpu} in
pypi) install 3000 torch numpy ;;
*) install 600 torch numpy --index-url https://download.pytorch.org/whl/cpu ;;
esac || echo "skipped: the comparisons of models with torch: pip install: $(tail -n 1 "$folder.log")"
