"""What transformers writes of a GPT-2 and its tokenizer, against `attend`: every field is known, and texts have
the same ids, special tokens included. Needs no torch.

usage: compare_configurations.py PROGRAM FOLDER
"""
import json
import os
import pathlib
import random
import subprocess
import sys

import transformers
from transformers import GenerationConfig, GPT2Config, GPT2TokenizerFast

transformers.logging.set_verbosity_error()
PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
TEXTS = ["a<|endoftext|>b", "<|endoftext|>", " the cat<|endoftext|> sat", "no special one", "<|endof", "é\n\n  x  <|endoftext|>\n"]
failures = 0


def check(what, is_right, found=""):
    global failures
    failures += not is_right
    print(f"{what}: {'right' if is_right else f'WRONG: {found}'}")


def attend(*arguments, status=0):
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != status:
        raise SystemExit(f"attend {' '.join(map(str, arguments))}: exit {run.returncode}: {run.stderr}")
    return run.stdout, run.stderr


def check_fields():
    """Each field, also those that are left out where they are as usual; none is called unknown."""
    path = FOLDER / "fields"
    attend("convert", "gpt2-tiny", "--untrained", path)
    config = GPT2Config(vocab_size=256, n_positions=256, n_embd=48, n_layer=3, n_head=3)
    fields = json.loads(config.to_json_string(use_diff=False))
    (path / "config.json").write_text(json.dumps(fields))
    generation = json.loads(GenerationConfig(eos_token_id=[3, 5], temperature=0.7).to_json_string(use_diff=False))
    (path / "generation_config.json").write_text(json.dumps(generation))
    said = attend("generate", "--model", path, "--prompt-ids", "1,2", "--tokens", 1, "--ids")[1]
    check(f"{len(fields)} fields of config.json, {len(generation)} of generation_config.json",
          "not known" not in said and '"temperature" has no effect' in said, said)


def small_tokenizer(path):
    """GPT-2's files with a few merges, and what transformers writes of them."""
    path.mkdir()
    data = pathlib.Path(__file__).parent / "byte_level"
    for name in ("vocab.json", "merges.txt"):
        (path / name).write_bytes((data / name).read_bytes())
    vocab = json.loads((path / "vocab.json").read_text())
    vocab.setdefault("<|endoftext|>", len(vocab))
    (path / "vocab.json").write_text(json.dumps(vocab))


def ids(path, text, *options):
    return [int(id) for id in attend("tokenize", "-t", path, "-f", "ids", *options, "--", text)[0].split()]


def check_ids(what, path):
    theirs = GPT2TokenizerFast.from_pretrained(path)
    draw = random.Random(5)
    texts = TEXTS + ["".join(draw.choice(["<|endoftext|>", "the", " ", "\n", "é", "<|", "x"]) for _ in range(9))
                     for _ in range(20)]
    wrong = [text for text in texts if ids(path, text) != theirs(text)["input_ids"]]
    check(f"ids, {what}", not wrong, wrong[:3])
    wrong = [text for text in texts
             if ids(path, text, "--special", "text") != theirs(text, split_special_tokens=True)["input_ids"]]
    check(f"ids with special tokens as text, {what}", not wrong, wrong[:3])


def check_tokenizers():
    plain = FOLDER / "plain"
    small_tokenizer(plain)
    check_ids("vocab.json", plain)
    saved = FOLDER / "saved"
    GPT2TokenizerFast.from_pretrained(plain).save_pretrained(saved)
    check(f"files that transformers writes: {sorted(os.listdir(saved))}",
          "not known" not in attend("tokenize", "-t", saved, "x")[1])
    check_ids("tokenizer.json", saved)
    fields = json.loads((saved / "tokenizer_config.json").read_text())
    for change in ({"add_prefix_space": True}, {"split_special_tokens": True}):
        for path, name in ((plain, "vocab.json"), (saved, "tokenizer.json")):
            (path / "tokenizer_config.json").write_text(json.dumps(fields | change))
            theirs = GPT2TokenizerFast.from_pretrained(path)
            wrong = [text for text in TEXTS if ids(path, text) != theirs(text)["input_ids"]]
            check(f"{change} beside {name}", not wrong, wrong[:3])


check_fields()
check_tokenizers()
sys.exit(failures > 0)
