#!/bin/sh
# Compares with the packages torch, transformers and safetensors, where PYTHON (python3) has them:
# their folders load here, ours load there, with the same logits.
set -u
python=${PYTHON:-python3}
if ! "$python" -c 'import torch, transformers, safetensors' 2>/dev/null; then
    echo "skipped: transformers is not installed (pip install torch transformers)"
    exit 77
fi
. tests/support.sh
exec "$python" tests/compare_transformers.py "$PROGRAM" "$work"
