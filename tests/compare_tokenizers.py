"""Compares our byte-level tokenizers with the packages tiktoken and tokenizers, id by id.

    python3 tests/compare_tokenizers.py [--strings N] [--texts N] [--gpt2 FOLDER] [--text FILE]... [--speed]

Needs build/libattend.a (run make first) and a C compiler. Says "skipped: why" and ends with 77 where a package
or GPT-2's files are missing. The texts are cut into lines of at most 2,000 characters.
"""

import argparse
import base64
import ctypes
import glob
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

try:
    import tiktoken
    import tokenizers
    from tokenizers import Regex, normalizers, pre_tokenizers
    from tiktoken_ext import openai_public
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (pip install tiktoken tokenizers)")
    sys.exit(77)


class Tokenizer(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("pieces", ctypes.c_void_p), ("n_pieces", ctypes.c_int),
                ("roles", ctypes.c_int * 4), ("special_as_text", ctypes.c_bool), ("detail", ctypes.c_void_p)]


class TokenIds(ctypes.Structure):
    _fields_ = [("ids", ctypes.POINTER(ctypes.c_int32)), ("count", ctypes.c_size_t),
                ("capacity", ctypes.c_size_t)]


class Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 512)]


class Ours:
    """One of our tokenizers, through a shared object made of the archive."""

    library = None

    @classmethod
    def build(cls, folder):
        archive = os.path.join(ROOT, os.environ.get("BUILD", "build"), "libattend.a")
        if not os.path.exists(archive):
            print(f"skipped: {archive} is not there (run make)")
            sys.exit(77)
        shared = os.path.join(folder, "attend.so")
        packages = ["ncursesw", "jansson", "libcmark", "libutf8proc", "zlib"]
        libraries = subprocess.check_output(["pkg-config", "--libs"] + packages, text=True).split()
        subprocess.check_call([os.environ.get("CC", "cc"), "-shared", "-o", shared, "-Wl,--whole-archive",
                               archive, "-Wl,--no-whole-archive"] + libraries + ["-lm", "-ldl", "-pthread"])
        cls.library = ctypes.CDLL(shared)
        for name in ("tokenizer_load", "tokenizer_save", "tokenizer_encode", "tokenizer_decode"):
            getattr(cls.library, name).restype = ctypes.c_bool

    def __init__(self, path):
        self.tokenizer = Tokenizer()
        self.call("tokenizer_load", ctypes.byref(self.tokenizer), path.encode())

    def call(self, name, *arguments):
        error = Error()
        if not getattr(self.library, name)(*arguments, ctypes.byref(error)):
            raise RuntimeError(error.text.decode())

    def save(self, path):
        self.call("tokenizer_save", ctypes.byref(self.tokenizer), path.encode())

    def encode_into(self, text, ids):
        self.call("tokenizer_encode", ctypes.byref(self.tokenizer), text, ctypes.c_size_t(len(text)),
                  ctypes.byref(ids), None)

    def encode(self, text):
        ids = TokenIds()
        self.encode_into(text.encode(), ids)
        result = ids.ids[:ids.count]
        self.library.token_ids_free(ctypes.byref(ids))
        return result

    def decode(self, ids):
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        array = (ctypes.c_int32 * len(ids))(*ids)
        self.call("tokenizer_decode", ctypes.byref(self.tokenizer), array, ctypes.c_size_t(len(ids)),
                  ctypes.byref(text), ctypes.byref(length))
        result = ctypes.string_at(text, length.value)
        self.library.free(text)
        return result


def random_strings(n, seed):
    """Strings of mixed scripts, white space, contractions, marks, emoji and any code point at all."""
    draw = random.Random(seed)
    pools = [range(0x20, 0x7F), range(0, 0x80), range(0x80, 0x250), range(0x4E00, 0x9FFF), range(0x1F300, 0x1FB00),
             range(0x370, 0x2000), [9, 10, 13, 32, 32, 32, 0x85, 0xA0, 0x3000, 0x180E, 0x2028, 0x1680, 0x200B],
             [ord(c) for c in "''''stmdrevlSTREDLVM\u017f  \n"], [ord(c) for c in "aAbB eE\u0300\u0301\u02b0"],
             [ord(c) for c in "12 345\u0661\u00bd6/\r\n./"], list(range(0xD800)) + list(range(0xE000, 0x110000))]
    strings = []
    for _ in range(n):
        length, text = draw.randint(0, 30), ""
        while len(text) < length:
            pool = draw.choice(pools)
            text += "".join(chr(draw.choice(pool)) for _ in range(draw.randint(1, 6)))
        strings.append(text)
    return strings


def real_texts(paths, most):
    """Pieces of the given files, or of what a Debian system has lying about; of more than most, every n-th."""
    if not paths:
        paths = glob.glob("/usr/share/common-licenses/*") + glob.glob("/usr/share/man/man7/*.gz")[:40]
        for language in ("de", "zh_CN", "ja", "ru", "fr"):
            paths += sorted(glob.glob(f"/usr/share/man/{language}/man[18]/*.gz"))[:40]
        for folder in ("app", "docs", "engine", "kernels", "lessons", "tests", "views"):
            paths += sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.[chm]*"), recursive=True))
    texts = []
    for path in paths:
        if os.path.isfile(path):
            with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                text = file.read().decode("utf-8", "replace")
            texts += [text[i:i + 2000] for i in range(0, len(text), 2000)]
    return texts[::-(-len(texts) // most)]


def byte_map():
    kept = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    moved = [byte for byte in range(256) if byte not in kept]
    return {chr(byte): byte for byte in kept} | {chr(256 + i): byte for i, byte in enumerate(moved)}


FAILED = []


def compare(name, ours, encode, texts, round_trip=False, decode=None):
    n_different = 0
    for text in texts:
        found, expected = ours.encode(text), encode(text)
        comes_back = round_trip and "<|endoftext|>" not in text  # decoding leaves that token out
        wrong = found != expected or (comes_back and ours.decode(found) != text.encode())
        wrong = wrong or (decode is not None and ours.decode(found) != decode(expected).encode())
        n_different += wrong
        if wrong and n_different <= 3:
            print(f"  {name}: {text[:100]!r}\n    ours     {found[:40]}\n    expected {expected[:40]}")
    if n_different > 0:
        FAILED.append(name)
    print(f"{name}: {len(texts)} texts, {sum(map(len, texts))} characters, {n_different} differ", flush=True)


def rewrite(source, target, change):
    with open(source, encoding="utf-8", newline="") as file:
        text = file.read()
    with open(target, "w", encoding="utf-8", newline="") as file:
        file.write(change(text))


SHORT = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLITS = {
    "llama3": SHORT + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + SPACES,
    "qwen2": SHORT + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*" + SPACES,
    "tekken": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
              r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
              r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + SPACES,
}


def compare_written(path, name, theirs, texts):
    """The tokenizer.json that we write of the one that they wrote."""
    Ours(path).save(path + ".ours.json")
    written = tokenizers.Tokenizer.from_file(path + ".ours.json")
    n_different = sum(written.encode(text).ids != theirs.encode(text).ids for text in texts)
    if n_different > 0 or written.get_vocab() != theirs.get_vocab():
        FAILED.append(f"written tokenizer.json, {name}")
    print(f"written tokenizer.json, {name}: {len(texts)} texts, {n_different} differ", flush=True)


def compare_json_variants(folder, base, texts):
    """base: a tokenizer whose merges cross everything, so that each way to split shows in the ids."""
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
    variants = {
        "gpt2": (None, gpt2), "unsplit": (None, bytes_only),
        "prefix space": (None, pre_tokenizers.ByteLevel(add_prefix_space=True)),
        "nfc": (normalizers.NFC(), gpt2), "nfkc": (normalizers.NFKC(), gpt2), "nfd": (normalizers.NFD(), gpt2),
        "digits": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2])),
    }
    for name, pattern in (SPLITS | {"o200k": O200K}).items():
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        variants[name] = (None, pre_tokenizers.Sequence([split, bytes_only]))
    path = os.path.join(folder, "tokenizer.json")
    for name, (normalizer, pre_tokenizer) in variants.items():
        theirs = tokenizers.Tokenizer.from_str(base.to_str())
        theirs.pre_tokenizer = pre_tokenizer
        if normalizer is not None:
            theirs.normalizer = normalizer
        theirs.save(path)
        chosen = texts
        if normalizer is not None:  # theirs has tables of an older Unicode: not where it normalizes otherwise
            chosen = [text for text in texts
                      if normalizer.normalize_str(text) == unicodedata.normalize(name.upper(), text)
                      and not any(unicodedata.category(c) == "Cn" for c in text)]
            print(f"  {len(texts) - len(chosen)} texts left out: Python normalizes them otherwise, or they hold "
                  "code points that it does not know")
        compare(f"tokenizer.json, {name}", Ours(path), lambda text: theirs.encode(text).ids, chosen)
        if name != "digits":
            compare_written(path, name, theirs, chosen)
    theirs = tokenizers.Tokenizer.from_str(base.to_str())
    theirs.pre_tokenizer = gpt2
    theirs.add_tokens(["the", "  ", "ing the"])
    theirs.add_special_tokens(["<|end|>"])
    theirs.save(path)
    compare("tokenizer.json, added tokens", Ours(path), lambda text: theirs.encode(text).ids, texts)
    compare_written(path, "added tokens", theirs, texts)

    def merges_as_strings(text):
        data = json.loads(text)
        data["model"]["merges"] = [" ".join(pair) for pair in data["model"]["merges"]]
        data["model"]["ignore_merges"] = True
        return json.dumps(data)

    rewrite(path, path + ".strings.json", merges_as_strings)
    theirs = tokenizers.Tokenizer.from_file(path + ".strings.json")
    compare("tokenizer.json, merges as strings, words whole", Ours(path + ".strings.json"),
            lambda text: theirs.encode(text).ids, texts)


def compare_character_files(folder, strings, texts):
    """Files made from SentencePiece models: characters, ▁ for spaces, bytes for what has no piece."""
    replace = normalizers.Replace(" ", "\u2581")
    byte_pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    for fallback in (True, False):
        model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
        model.normalizer = replace
        model.decoder = tokenizers.decoders.Sequence([
            tokenizers.decoders.Replace("\u2581", " "), tokenizers.decoders.ByteFallback(),
            tokenizers.decoders.Fuse(), tokenizers.decoders.Strip(" ", 1, 0)])
        trainer = tokenizers.trainers.BpeTrainer(vocab_size=4000, show_progress=False, max_token_length=12,
                                                 limit_alphabet=600, special_tokens=["<unk>", "<s>"] +
                                                 (byte_pieces if fallback else []))
        # without NUL, which jansson takes in no key of an object
        model.train_from_iterator([text[:400].replace("\0", "") for text in texts[:1500] + strings], trainer)
        data = json.loads(model.to_str())  # the byte pieces are no added tokens in such files
        data["added_tokens"] = data["added_tokens"][:2]
        base = json.dumps(data)
        prepend = normalizers.Sequence([normalizers.Prepend("\u2581"), replace])
        nothing = normalizers.Sequence([])
        variants = {"as Llama": (prepend, None), "as Gemma": (replace, pre_tokenizers.Split(" ", "merged_with_previous")),
                    "nfkc": (normalizers.Sequence([normalizers.NFKC(), prepend]), None)}
        for scheme in ("always", "first", "never"):
            for split in (True, False):
                variants[f"Metaspace {scheme} {split}"] = (
                    nothing, pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split))
        for name, (normalizer, pre_tokenizer) in variants.items():
            theirs = tokenizers.Tokenizer.from_str(base)
            theirs.normalizer = normalizer
            if pre_tokenizer is not None:
                theirs.pre_tokenizer = pre_tokenizer
            if name.startswith("Metaspace"):
                theirs.add_tokens([tokenizers.AddedToken("the", normalized=False)])
            path = os.path.join(folder, "tokenizer.json")
            theirs.save(path)
            chosen = [text for text in texts + strings if "<s>" not in text and "<unk>" not in text]  # ours: text
            if name == "nfkc":
                chosen = [text for text in chosen if text.isascii() or text.isalnum()][:2000]
            compare(f"characters, bytes for the unknown {fallback}, {name}", Ours(path),
                    lambda text: theirs.encode(text).ids, chosen, decode=theirs.decode if fallback else None)
            Ours(path).save(path + ".tokenizer")
            compare("  the same from our text file", Ours(path + ".tokenizer"),
                    lambda text: theirs.encode(text).ids, chosen[:1000])


def train_crossing(strings, texts):
    """A vocabulary that was trained without any split."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=6000, show_progress=False,
                                             initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                             max_token_length=24)
    model.train_from_iterator([text[:400] for text in texts[:1500]] + strings[:20000], trainer)
    return model


def speed(ours, theirs, texts):
    text = "".join(texts)
    while len(text) < 20_000_000:
        text += text
    text = text[:20_000_000]
    data = text.encode()
    for _ in range(3):
        ids = TokenIds()
        start = time.process_time()
        ours.encode_into(data, ids)
        ours_s = time.process_time() - start
        ours.library.token_ids_free(ctypes.byref(ids))
        start = time.process_time()
        theirs.encode_ordinary(text)
        theirs_s = time.process_time() - start
        print(f"speed: ours {len(data) / ours_s / 1e6:.1f} MB/s, tiktoken {len(data) / theirs_s / 1e6:.1f} MB/s, "
              f"{theirs_s / ours_s:.1f} times")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--strings", type=int, default=100_000)
    options.add_argument("--gpt2", default=os.path.join(os.path.dirname(ROOT), "shared", "data", "gpt2"))
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--text", action="append", default=[])
    options.add_argument("--speed", action="store_true")
    options = options.parse_args()
    vocabulary, merges = (os.path.join(options.gpt2, name) for name in ("vocab.json", "merges.txt"))
    if not os.path.exists(vocabulary) or not os.path.exists(merges):
        print(f"skipped: no vocab.json and merges.txt in {options.gpt2}")
        sys.exit(77)
    folder = tempfile.mkdtemp()
    Ours.build(folder)
    strings, texts = random_strings(options.strings, 1), real_texts(options.text, options.texts)
    with open(vocabulary, encoding="utf-8") as file:
        pieces = json.load(file)
    characters = byte_map()
    ranks = {bytes(characters[c] for c in piece): i for piece, i in pieces.items() if piece != "<|endoftext|>"}

    gpt2 = tiktoken.Encoding("reference", pat_str=openai_public.r50k_pat_str, mergeable_ranks=ranks,
                             special_tokens={"<|endoftext|>": len(ranks)})

    def encode(text):  # what a text spells out is the token
        return gpt2.encode(text, allowed_special="all")

    ours = Ours(options.gpt2)
    compare("gpt2 and tiktoken, random", ours, encode, strings, True)
    compare("gpt2 and tiktoken, real", ours, encode, texts, True)
    huggingface = tokenizers.ByteLevelBPETokenizer(vocabulary, merges)
    huggingface.add_special_tokens(["<|endoftext|>"])
    compare("gpt2 and tokenizers, random", ours, lambda text: huggingface.encode(text).ids, strings)
    compare("gpt2 and tokenizers, real", ours, lambda text: huggingface.encode(text).ids, texts)

    few = strings[:max(1, len(strings) // 5)] + texts[:2000]
    path = os.path.join(folder, "gpt2.bpe")
    with open(path, "wb") as file:
        for piece, rank in sorted(ranks.items(), key=lambda item: item[1]):
            file.write(base64.b64encode(piece) + b" %d\n" % rank)
    compare("rank file and tiktoken", Ours(path), encode, few, True)
    path = os.path.join(folder, "gpt2.tokenizer")
    ours.save(path)
    compare("our text file", Ours(path), encode, few, True)

    base = train_crossing(strings, texts)
    crossing = {bytes(characters[c] for c in piece): i for piece, i in base.get_vocab().items()}
    path = os.path.join(folder, "crossing.bpe")
    with open(path, "wb") as file:
        for piece, rank in sorted(crossing.items(), key=lambda item: item[1]):
            file.write(base64.b64encode(piece) + b" %d\n" % rank)
    Ours(path).save(path + ".tokenizer")
    for name, pattern in {"gpt2": openai_public.r50k_pat_str, "cl100k": CL100K, "o200k": O200K}.items():
        rewrite(path + ".tokenizer", path + "2.tokenizer", lambda text: text.replace("split gpt2", "split " + name, 1))
        theirs = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=crossing, special_tokens={})
        compare(f"ranks split as {name}", Ours(path + "2.tokenizer"), theirs.encode_ordinary, few, True)
    compare_json_variants(folder, base, few)
    compare_character_files(folder, strings[:len(strings) // 5], texts[:2000])
    if options.speed:
        speed(ours, gpt2, [text for text in texts if text.isascii()])
    if FAILED:
        print("different: " + "; ".join(FAILED))
        sys.exit(1)


# tiktoken fetches ranks when it is asked for an encoding whole; the patterns are those of its cl100k_base and
# o200k_base.
CL100K = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
          r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + SHORT + "?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + SHORT + "?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*" + SPACES)

if __name__ == "__main__":
    main()
