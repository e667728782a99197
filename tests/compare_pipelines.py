"""Compares tokenizer.json files with the package tokenizers, id by id: added tokens, ways to split, marks of words.

    python3 tests/compare_pipelines.py [--strings N] [--texts N] [--text FILE]...

Skips and fails as compare_tokenizers.py does.
"""

import argparse
import os
import random
import sys
import tempfile
import unicodedata

import compare_tokenizers as common
from compare_tokenizers import Ours, compare
import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, trainers

SPECIAL = ["<|endoftext|>", "<s>", "</s>", "<mask>", "[CLS]", "caf\u00e9 e\u0301", "_x_", " <b> ", "\n<br>\n", "<|end"]
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
PLAIN = ["the", "ing the", "  ", "\u2581\u2581", "caf\u00e9", "e\u0301", "\u4f60\u597d", "a", "ab", "abc", " b ", "\n\n"]


def salted(strings, seed):
    """Strings with the texts of added tokens, white space and words strewn in."""
    draw = random.Random(seed)
    salt = SPECIAL + PLAIN + [" ", "  ", "\t", "\u3000", "\n", "_", "x", "1", "\u0301", "\u00bd", "\u24b6", "-", "\u2581", "\u200d"]
    salted_strings = []
    for string in strings:
        parts = [string[:draw.randint(0, 12)]]
        for _ in range(draw.randint(1, 8)):
            parts += [draw.choice(salt), draw.choice(["", "", " ", string[:draw.randint(0, 4)]])]
        salted_strings.append("".join(parts))
    return salted_strings


def drawn_tokens(draw):
    """A few added tokens with any options."""
    return [AddedToken(text, single_word=draw.random() < 0.3, lstrip=draw.random() < 0.3, rstrip=draw.random() < 0.3,
                       normalized=draw.random() < 0.4, special=text in SPECIAL and draw.random() < 0.8)
            for text in draw.sample(SPECIAL + PLAIN, draw.randint(1, 8))]


def save(tokenizer, folder):
    path = os.path.join(folder, "tokenizer.json")
    tokenizer.save(path)
    return path


def saved_again(ours, folder):
    path = os.path.join(folder, "again.tokenizer")
    ours.save(path)
    return Ours(path)


def compare_added(folder, base, strings):
    marks = normalizers.Replace(" ", "\u2581")
    kinds = {"bytes": (None, pre_tokenizers.ByteLevel(add_prefix_space=False)),
             "prefix space": (None, pre_tokenizers.ByteLevel(add_prefix_space=True)),
             "nfc": (normalizers.NFC(), pre_tokenizers.ByteLevel(add_prefix_space=False))}
    for i, (name, (normalizer, pre_tokenizer)) in enumerate(kinds.items()):
        for k in range(4):
            theirs = tokenizers.Tokenizer.from_str(base["bytes"])
            theirs.pre_tokenizer = pre_tokenizer
            if normalizer is not None:
                theirs.normalizer = normalizer
            for token in drawn_tokens(random.Random(10 * i + k)):
                (theirs.add_special_tokens if token.special else theirs.add_tokens)([token])
            ours = Ours(save(theirs, folder))
            compare(f"added tokens {k}, {name}", ours, lambda text: theirs.encode(text).ids, strings)
            compare("  the same from our text file", saved_again(ours, folder), lambda text: theirs.encode(text).ids,
                    strings[:500])
            ours.tokenizer.special_as_text = True
            theirs.encode_special_tokens = True
            compare("  special tokens as text", ours, lambda text: theirs.encode(text).ids, strings)
    kinds = {"Llama": (normalizers.Sequence([normalizers.Prepend("\u2581"), marks]), None), "Gemma": (marks, None)}
    for scheme in ("always", "first", "never"):
        kinds[f"Metaspace {scheme}"] = (None, pre_tokenizers.Metaspace(prepend_scheme=scheme))
    for i, (name, (normalizer, pre_tokenizer)) in enumerate(kinds.items()):
        for k in range(3):
            theirs = tokenizers.Tokenizer.from_str(base["marks"])
            if normalizer is not None:
                theirs.normalizer = normalizer
            if pre_tokenizer is not None:
                theirs.pre_tokenizer = pre_tokenizer
            elif name == "Gemma":
                theirs.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
            for token in drawn_tokens(random.Random(100 + 10 * i + k)):
                (theirs.add_special_tokens if token.special else theirs.add_tokens)([token])
            compare(f"added tokens {k}, {name}", Ours(save(theirs, folder)), lambda text: theirs.encode(text).ids,
                    strings)


def compare_splits(folder, base, strings):
    isolated = pre_tokenizers.Split(Regex(common.SPLITS["llama3"]), "isolated")
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytes_words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    parts = {
        "Whitespace": [pre_tokenizers.Whitespace()], "WhitespaceSplit": [pre_tokenizers.WhitespaceSplit()],
        "Punctuation": [pre_tokenizers.Punctuation()], "BertPreTokenizer": [pre_tokenizers.BertPreTokenizer()],
        "Digits": [pre_tokenizers.Digits()], "each of Digits": [pre_tokenizers.Digits(individual_digits=True)],
        "Llama 3": [isolated], "CLIP": [pre_tokenizers.Split(Regex(CLIP), "removed", invert=True)],
        "three": [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits()],
        "Punctuation, Whitespace": [pre_tokenizers.Punctuation(), pre_tokenizers.Whitespace()],
    }
    for name, rules in parts.items():
        for kind, last in {"characters": [], "bytes": [bytes_only], "bytes in words": [bytes_words]}.items():
            theirs = tokenizers.Tokenizer.from_str(base["bytes" if last else "plain"])
            theirs.pre_tokenizer = pre_tokenizers.Sequence(rules + last) if len(rules + last) > 1 else rules[0]
            ours = Ours(save(theirs, folder))
            compare(f"{name}, {kind}", ours, lambda text: theirs.encode(text).ids, strings)
            compare("  the same from our text file", saved_again(ours, folder), lambda text: theirs.encode(text).ids,
                    strings[:500])
            path = os.path.join(folder, "written.json")
            if name in ("Llama 3", "CLIP") and kind == "bytes":
                ours.save(path)
                written = tokenizers.Tokenizer.from_file(path)
                compare("  and as we write it", ours, lambda text: written.encode(text).ids, strings[:500])


def known_to_python(strings):
    """Without strings of which Python's tables know not all, or which the package brings into another normal form."""
    form = normalizers.NFC()
    return [s for s in strings if not any(unicodedata.category(c) == "Cn" for c in s)
            and form.normalize_str(s) == unicodedata.normalize("NFC", s)]


def compare_marked_words(folder, strings, texts):
    """Symbols that are written by their place in the word: CLIP's and GPT-1's </w>, and ## within words."""
    bytes_last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    clip = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CLIP), "removed", invert=True), bytes_last])
    clip_form = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    kinds = {
        "CLIP": (clip_form, clip, {"end_of_word_suffix": "</w>"}),
        "lower case, GPT-1": (normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer(), {"end_of_word_suffix": "</w>"}),
        "spaces, suffix": (None, pre_tokenizers.WhitespaceSplit(), {"end_of_word_suffix": "</w>"}),
        "prefix": (None, pre_tokenizers.Whitespace(), {"continuing_subword_prefix": "##"}),
        "both": (None, pre_tokenizers.Whitespace(), {"continuing_subword_prefix": "@", "end_of_word_suffix": "$"}),
        "bytes, both": (None, clip, {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}),
    }
    lines = [text[:400].replace("\0", "") for text in texts[:1500]] + [s.replace("\0", "") for s in strings[:5000]]
    for name, (normalizer, pre_tokenizer, affixes) in kinds.items():
        model = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=name == "prefix", **affixes))
        model.pre_tokenizer = pre_tokenizer
        if normalizer is not None:
            model.normalizer = normalizer
        if pre_tokenizer is not clip and "end_of_word_suffix" in affixes:
            model.decoder = decoders.BPEDecoder(suffix=affixes["end_of_word_suffix"])
        model.train_from_iterator(lines, trainers.BpeTrainer(
            vocab_size=4000, show_progress=False, limit_alphabet=500, special_tokens=["<unk>"], max_token_length=12,
            **affixes))
        ours = Ours(save(model, folder))
        compare(f"words, {name}", ours, lambda text: model.encode(text).ids, strings + texts)
        compare("  the same from our text file", saved_again(ours, folder), lambda text: model.encode(text).ids,
                strings[:1000])
        if name in ("lower case, GPT-1", "spaces, suffix"):
            known = [text for text in strings + texts if 0 not in model.encode(text).ids]
            compare("  and back", ours, lambda text: model.encode(text).ids, known, decode=model.decode)
        long = ["a" * 4000, "".join(strings[:200]).replace(" ", ""), "ab1" * 5000]
        compare("  long words", ours, lambda text: model.encode(text).ids, long)


def make_bases(strings, texts):
    """Vocabularies whose merges cross everything, so that each way to split shows in the ids."""
    lines = [text[:400].replace("\0", "") for text in texts[:1500]] + [s.replace("\0", "") for s in strings[:10000]]
    marks = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    marks.normalizer = normalizers.Replace(" ", "\u2581")
    plain = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    for model in (marks, plain):
        trainer = trainers.BpeTrainer(vocab_size=5000, show_progress=False, max_token_length=12, limit_alphabet=800,
                                      special_tokens=["<unk>"])
        model.train_from_iterator(lines, trainer)
    marks.normalizer = normalizers.Sequence([])
    return {"bytes": common.train_crossing(strings, texts).to_str(), "marks": marks.to_str(), "plain": plain.to_str()}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--strings", type=int, default=10_000)
    options.add_argument("--texts", type=int, default=1500)
    options.add_argument("--text", action="append", default=[])
    options = options.parse_args()
    folder = tempfile.mkdtemp()
    Ours.build(folder)
    strings = common.random_strings(options.strings, 5)
    texts = common.real_texts(options.text, options.texts)
    base = make_bases(strings, texts)
    few = texts[::max(1, len(texts) // max(100, options.strings // 10))]
    compare_added(folder, base, salted(strings, 6) + few)
    compare_splits(folder, base, strings + few)
    compare_marked_words(folder, known_to_python(strings), known_to_python(few))
    if common.FAILED:
        print("different: " + "; ".join(common.FAILED))
        sys.exit(1)


if __name__ == "__main__":
    main()
