"""Model files of Hugging Face and torch against `attend`: logits both ways, and greedy generation.

usage: compare_transformers.py PROGRAM FOLDER
"""
import json
import pathlib
import subprocess
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel, GPT2TokenizerFast

transformers.logging.set_verbosity_error()
PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
IDS = [[5, 17, 3, 42, 8, 8, 90, 11]]
failures = 0


def attend(*arguments):
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"attend {' '.join(map(str, arguments))}: {run.stderr}")
    return run.stdout


def find_data(value):
    if isinstance(value, dict):
        if "data" in value:
            return value["data"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            found = find_data(item)
            if found is not None:
                return found
    return None


def our_logits(model, ids, target=None):
    arguments = ["--ids", ";".join(",".join(map(str, row)) for row in ids)]
    if target is not None:
        arguments += ["--target-ids", ";".join(",".join(map(str, row)) for row in target)]
    text = attend("trace", "--model", model, *arguments, "--stage", "logits", "--format", "json")
    return torch.tensor(find_data(json.loads(text)))


def check(what, found, expected, tolerance=1e-4):
    global failures
    error = (found - expected).abs().max().item()
    if found.shape != expected.shape or not error <= tolerance:
        failures += 1
        print(f"{what}: logits differ by {error}")
    else:
        print(f"{what}: logits within {error:.1e}")


def small_model(tied):
    torch.manual_seed(3)
    config = GPT2Config(vocab_size=131, n_positions=32, n_embd=24, n_layer=2, n_head=3,
                        initializer_range=0.3, tie_word_embeddings=tied)
    model = GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    return model


def their_logits(model, ids=None):
    with torch.no_grad():
        return model(torch.tensor(ids or IDS)).logits.float()


def check_folders():
    for tied in (True, False):
        for name, dtype in (("F32", torch.float32), ("F16", torch.float16), ("BF16", torch.bfloat16)):
            model = small_model(tied).to(dtype)
            path = FOLDER / f"hf-{tied}-{name}"
            model.save_pretrained(path)
            what = f"{'tied' if tied else 'own head'}, {name}"
            expected = their_logits(model.float())
            check(f"theirs here, {what}", our_logits(path, IDS), expected)
            ours = FOLDER / f"ours-{tied}-{name}"
            attend("convert", path, ours)
            check(f"ours there, {what}", their_logits(GPT2LMHeadModel.from_pretrained(ours).eval()),
                  expected)


def check_without_prefix():
    """As the first GPT-2 files are: no prefix, masks among the weights."""
    model = small_model(True)
    path = FOLDER / "bare"
    model.save_pretrained(path)
    tensors = {}
    for name, tensor in load_file(path / "model.safetensors").items():
        tensors[name.removeprefix("transformer.")] = tensor
    for layer in range(2):
        tensors[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(32, 32)).view(1, 1, 32, 32)
        tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    check("without prefix, with masks", our_logits(path, IDS), their_logits(model))


def check_preset():
    path = FOLDER / "preset"
    attend("convert", "gpt2-tiny", path, "--untrained")
    model = GPT2LMHeadModel.from_pretrained(path).eval()
    check("a preset there", their_logits(model), our_logits(path, IDS))
    binary = FOLDER / "preset.bin"
    attend("convert", path, binary)
    attend("convert", binary, FOLDER / "again")
    again = GPT2LMHeadModel.from_pretrained(FOLDER / "again").eval()
    check("through llm.c's file", their_logits(again), their_logits(model), 0.0)


def check_trained():
    """A run's folder: no warning, the ids of its tokenizer, the same losses."""
    global failures
    text = FOLDER / "text.txt"
    text.write_text("".join(f"The {a} sees the {b}.\n<|endoftext|>\n" for a in ("cat", "dog", "owl", "fox")
                            for b in ("tree", "house", "boat", "bird", "river")) * 8)
    (FOLDER / "small.json").write_text(json.dumps(
        {"family": "gpt2", "vocab_size": 60, "n_positions": 32, "n_embd": 16, "n_head": 2, "n_layer": 2}))
    path = FOLDER / "trained"
    attend("train", "--config", FOLDER / "small.json", "--data", text, "--steps", 30, "--batch", 2, "--length", 16,
           "--lr", 0.01, "--threads", 1, "-o", path)
    load = ("import sys, transformers; m = transformers.GPT2LMHeadModel.from_pretrained(sys.argv[1]); "
            "print(m.config.bos_token_id, m.config.eos_token_id, m.generation_config.eos_token_id)")
    run = subprocess.run([sys.executable, "-c", load, path], capture_output=True, text=True)
    if run.returncode != 0 or run.stdout.split() != ["1", "2", "2"] or "token_id" in run.stderr:
        failures += 1
        print(f"a run's folder there: expected the ids 1 2 2 and no warning, found {run.stdout}{run.stderr}")
    else:
        print("a run's folder there: the tokenizer's ids, no warning")
    model = GPT2LMHeadModel.from_pretrained(path).eval()
    check("a run's folder there", their_logits(model, [[5, 17, 3, 42]]), our_logits(path, [[5, 17, 3, 42]]))
    check_eval(model, path, text)


def check_fine_tuned():
    """A Hugging Face folder that was trained on has its tokenizer, in their form."""
    global failures
    start, path = FOLDER / "start", FOLDER / "fine-tuned"
    data = pathlib.Path("../shared/data/gpt2")
    if not (data / "vocab.json").exists():
        print("skipped: no vocab.json of GPT-2")
        return
    GPT2LMHeadModel(GPT2Config(n_positions=32, n_embd=8, n_layer=1, n_head=1)).save_pretrained(start)
    for name in ("vocab.json", "merges.txt"):
        (start / name).write_bytes((data / name).read_bytes())
    attend("train", "--config", start, "--data", FOLDER / "text.txt", "--steps", 2, "--batch", 1, "--length", 16,
           "--threads", 1, "-o", path)
    expected, found = GPT2TokenizerFast.from_pretrained(start), GPT2TokenizerFast.from_pretrained(path)
    text = "Once upon a time, dass das 日本語 \n\n  isn't 12345!"
    same = found(text).input_ids == expected(text).input_ids and len(found) == len(expected) == 50257
    if not same or found.eos_token_id != 50256 or GPT2LMHeadModel.from_pretrained(path).config.eos_token_id != 50256:
        failures += 1
        print("a fine-tuned folder's tokenizer differs")
    else:
        print("a fine-tuned folder's tokenizer: the same ids")


def check_eval(model, path, text):
    """`attend eval` against the mean of their losses, in windows side by side."""
    global failures
    length = model.config.n_positions
    found = json.loads(attend("eval", "--model", path, "--data", text, "--length", length, "--format", "json"))
    ids = []
    for story in text.read_text().split("<|endoftext|>"):
        if story.strip():
            words = attend("tokenize", "--tokenizer", path, "--format", "ids", story.strip()).split()
            ids += [1, *map(int, words), 2]
    losses = []
    for at in range(0, len(ids) - 1, length):
        window = torch.tensor([ids[at:at + length + 1]])
        with torch.no_grad():
            logits = model(window[:, :-1]).logits[0]
        losses.append(torch.nn.functional.cross_entropy(logits, window[0, 1:], reduction="none"))
    loss = torch.cat(losses).double()
    if found["tokens"] != len(loss) or abs(found["loss"] - loss.mean().item()) > 1e-5:
        failures += 1
        print(f"eval: found {found}, expected loss {loss.mean().item()} of {len(loss)} tokens")
    else:
        print(f"eval: the same loss within {abs(found['loss'] - loss.mean().item()):.1e}")


def check_generation():
    global failures
    model = small_model(True)
    path = FOLDER / "generate"
    model.generation_config.eos_token_id = None
    model.config.eos_token_id = None
    model.save_pretrained(path)
    expected = model.generate(torch.tensor(IDS), max_new_tokens=20, do_sample=False,
                              pad_token_id=0)[0].tolist()
    text = attend("generate", "--model", path, "--prompt-ids", ",".join(map(str, IDS[0])),
                  "--tokens", 20, "--temperature", 0, "--ids")
    found = [int(id) for id in text.strip().split(",")]
    if found != expected:
        failures += 1
        print(f"greedy generation: expected {expected}, found {found}")
    else:
        print("greedy generation: the same tokens")


def check_other_families():
    """Weights that torch's save_file wrote for the other families."""
    for case in sorted(pathlib.Path("tests/reference").iterdir()):
        if not (case / "model.safetensors").exists():
            continue
        config = json.loads((case / "config.json").read_text())
        path = FOLDER / f"torch-{case.name}"
        path.mkdir()
        save_file(load_file(case / "model.safetensors"), path / "model.safetensors")
        (path / "config.json").write_text((case / "config.json").read_text())
        stages = load_file(case / "expected.safetensors")
        if "src.tokens" in stages:
            found = our_logits(path, stages["src.tokens"].tolist(),
                               torch.cat([stages["tgt.tokens"], stages["labels"][:, -1:]], 1).tolist())
        else:
            found = our_logits(path, stages["tokens"].tolist())
        check(f"{case.name} from torch", found.double(), stages["logits"].double(), 2e-5)


check_folders()
check_without_prefix()
check_preset()
check_generation()
check_trained()
check_fine_tuned()
check_other_families()
sys.exit(1 if failures else 0)
