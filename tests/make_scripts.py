#!/usr/bin/env python3
# make_scripts.py - writes the table in engine/tokenizers/sentencepiece/script.c from Unicode's Scripts.txt and DerivedAge.txt
# (Debian's unicode-data), as they were in Unicode 9.0, which SentencePiece 0.1.97 follows.
import re
import sys


def ranges(path):
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line:
            codes, value = (field.strip() for field in line.split(";"))
            first, _, last = codes.partition("..")
            yield int(first, 16), int(last or first, 16), value


folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode"
age = {c: float(v) for a, b, v in ranges(folder + "/DerivedAge.txt") for c in range(a, b + 1)}
script = {c: v for a, b, v in ranges(folder + "/Scripts.txt") for c in range(a, b + 1)
          if age.get(c, 99.0) <= 9.0}
script.update({0x589: "Common", 0x61C: "Common", 0x953: "Devanagari", 0x954: "Devanagari"})
for c, name in script.items():  # Japanese mixes its scripts within a word
    if name in ("Hiragana", "Katakana") or c == 0x30FC:
        script[c] = "Han"
names = ["Common", "Inherited"] + sorted(set(script.values()) - {"Common", "Inherited"})
merged = []
for c in sorted(script):
    if script[c] == "Common":
        continue
    gap = range(merged[-1][1] + 1, c) if merged else []
    if merged and merged[-1][2] == script[c] and not any(x in script for x in gap):
        # what is not assigned yet counts as common: only runs without a gap are joined
        if len(gap) == 0:
            merged[-1][1] = c
            continue
    merged.append([c, c, script[c]])
for first, last, name in merged:
    print("{0x%x, 0x%x, %d}," % (first, last, names.index(name)))
