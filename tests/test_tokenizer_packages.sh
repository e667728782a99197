#!/bin/sh
# Compares ids with those of the packages tiktoken and tokenizers, where PYTHON (python3) has them.
set -u
case ${BUILD:-build} in
*sanitize*)
    echo "skipped: a sanitized archive cannot be loaded into Python"
    exit 77
    ;;
esac
"${PYTHON:-python3}" tests/compare_tokenizers.py --strings "${STRINGS:-1000}" --texts "${TEXTS:-400}" || exit
exec "${PYTHON:-python3}" tests/compare_pipelines.py --strings "${STRINGS:-1000}" --texts "${TEXTS:-400}"
