#!/bin/sh
# Compares with the package transformers, where PYTHON (python3) has it: the fields of its configurations, the ids of
# its tokenizers; and where it has torch as well: their folders load here, ours load there, with the same logits.
set -u
python=${PYTHON:-python3}
if ! "$python" -c 'import transformers' 2>/dev/null; then
    echo "skipped: transformers is not installed (make peers): neither configurations nor models were compared"
    exit 77
fi
. tests/support.sh
ATTEND_ASSETS=$PWD
export ATTEND_ASSETS
mkdir "$work/configurations" "$work/models"
"$python" tests/compare_configurations.py "$PROGRAM" "$work/configurations" || fail 'configurations and tokenizers'
if "$python" -c 'import torch, safetensors' 2>/dev/null; then
    "$python" tests/compare_transformers.py "$PROGRAM" "$work/models" || fail 'models'
else
    echo "skipped: torch is not installed (TORCH=pypi make peers): no logits, losses and generated texts were compared"
fi
[ "$failed" = 0 ]
