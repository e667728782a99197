"""Makes tests/byte_level/: a small vocabulary of our own and the ids that the packages give for it and for GPT-2.

    python3 tests/make_byte_level.py [GPT2_FOLDER]

vocab.json and merges.txt were trained without any split, so that merges cross every kind of character and each
way to split shows in the ids. expected.txt: kind, split, text (as our text file escapes it), ids; by tabs.
"""

import base64
import json
import os
import sys

import tiktoken
import tokenizers
from tokenizers import Regex, pre_tokenizers

import compare_tokenizers as compare

CRAFTED = [
    "", " ", "  ", "a", "Hello, world!", "Hello  world", " Hello\n\nworld\r\n", "it's we're I'll you'd I'm they've",
    "IT'S WE'RE I'LL", "don't 'tis '' '", "it\u2019s", "a'\u017fb", "1234567 3.14 1,000", "x1y22z333", "\t\tif (x) {\n\t\treturn;\n\t}\n",
    "trailing   ", "   leading", "a\n b", "a \n b", "a \n\n  b\r\n  ", "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u4f60 \u597d\u3000\u4e16\u754c",
    "caf\u00e9 cafe\u0301 na\u00efve", "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439, \u043c\u0438\u0440!", "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467", "\ufeffbom",
    "\u00a0\u0085\u2028\u1680x\u180e", "\u0661\u0662\u0663 \u00bd \u2167", "HTTPServer XMLHttpRequest camelCase ABCdef",
    "a\u0300\u0301B", "\u02b0\u02b1 \u01c5", "<|endoftext|>", "path/to/file.txt//\n/", "!?...\n\n---", "\x00\x01\x7f",
    "lowerlowerlower lowest newest widest", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "supercalifragilisticexpialidocioussupercalifragilisticexpialidocious", "\u6587" * 40, "  \u4e2d 1 a",
]


def escape(text):
    escaped = "".join(chr(byte) if 0x20 < byte < 0x7F and byte != 0x5C else f"\\x{byte:02X}" for byte in text.encode())
    return escaped or "\\0"


def main():
    folder = os.path.join(compare.ROOT, "tests", "byte_level")
    gpt2_folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(compare.ROOT), "shared", "data", "gpt2")
    os.makedirs(folder, exist_ok=True)
    texts = CRAFTED + compare.random_strings(60, 7)

    small = tokenizers.Tokenizer(tokenizers.models.BPE())
    small.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=700, show_progress=False, max_token_length=12,
                                             initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    small.train_from_iterator(texts + compare.random_strings(300, 8), trainer)
    small.model.save(folder)
    with open(os.path.join(folder, "vocab.json"), encoding="utf-8") as file:
        pieces = json.load(file)
    characters = compare.byte_map()
    ranks = {bytes(characters[c] for c in piece): i for piece, i in pieces.items()}
    with open(os.path.join(folder, "ranks.bpe"), "wb") as file:
        for piece, rank in sorted(ranks.items(), key=lambda item: item[1]):
            file.write(base64.b64encode(piece) + b" %d\n" % rank)

    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    lines = []

    def add(kind, split, encode):
        lines.extend(f"{kind}\t{split}\t{escape(text)}\t{' '.join(map(str, encode(text)))}\n" for text in texts)

    splits = {"gpt2": None, "none": "", "o200k": compare.O200K} | compare.SPLITS
    for name, pattern in splits.items():
        small.pre_tokenizer = bytes_only
        if pattern is None:
            small.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        elif pattern:
            small.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), bytes_only])
        add("merges", name, lambda text: small.encode(text).ids)
    for name, pattern in {"gpt2": compare.openai_public.r50k_pat_str, "cl100k": compare.CL100K}.items():
        theirs = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        add("ranks", name, theirs.encode_ordinary)
    gpt2 = tokenizers.ByteLevelBPETokenizer(os.path.join(gpt2_folder, "vocab.json"), os.path.join(gpt2_folder, "merges.txt"))
    add("gpt2", "gpt2", lambda text: gpt2.encode(text).ids)
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main()
