#!/usr/bin/env python3
"""Times `attend` beside PyTorch and llm.c, in turns within one run, and prints the ratios.

usage: compare.py PROGRAM [CASE...]

PYTHON: interpreters that have torch, separated by spaces (python3). LLMC: a folder with llm.c's
train_gpt2.c. What is not there is skipped with a word. AVX2=1: everybody without AVX-512.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# name: steps of PyTorch, what the goal is (times PyTorch, times llm.c)
CASES = {
    "toy": (200, None, None),
    "train-tiny": (60, 3.5, 7.0),
    "train-10m": (5, 1.3, 6.0),
    "train-10m-long": (4, 2.6, None),
    "train-124m": (4, 1.35, None),
    "train-124m-wide": (3, 1.25, None),
    "generate-tiny": (8, None, None),
    "generate-10m": (4, None, None),
    "generate-124m": (3, None, None),
}
# of llm.c: preset, batch, length, steps
LLMC_CASES = {
    "train-tiny": ("gpt2-tiny", 16, 64, 40),
    "train-10m": ("gpt2-10m", 8, 256, 2),
    "train-10m-long": ("gpt2-10m", 1, 2048, 1),
    "train-124m": ("gpt2-124m", 1, 256, 2),
}
ROUNDS = 3
HERE = os.path.dirname(os.path.abspath(__file__))
# What PyTorch's users set for it: threads, and memory that is kept rather than given back.
TUNED = {
    "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0))),
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "4294967296",
    "MALLOC_TOP_PAD_": "67108864",
}
AVX2 = {
    "ATTEND_INSTRUCTION_SET": "avx2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "OPENBLAS_CORETYPE": "Haswell",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
} if os.environ.get("AVX2") else {}


def run(command, environment=None):
    """What it printed, and its peak memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                             env={**os.environ, **AVX2, **(environment or {})})
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {child.returncode}: {' '.join(command)}")
    return output, usage.ru_maxrss / 1024


class Attend:
    def __init__(self, program):
        self.name = "attend"
        self.program = program

    def measure(self, case):
        output, peak = run([self.program, "bench", case, "--format", "json"])
        first = json.loads(output)[0]
        ms = first["value"] if first["unit"] == "ms" else 1e3 / first["value"]
        return {"ms": ms, "peak": peak}


class Torch:
    def __init__(self, python):
        self.python = python
        version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"],
                                 capture_output=True, text=True)
        self.version = version.stdout.strip() if version.returncode == 0 else None
        self.name = f"PyTorch {self.version}"

    def measure(self, case):
        script = os.path.join(HERE, "pytorch_steps.py")
        output, peak = run([self.python, script, case, str(CASES[case][0])], TUNED)
        return {"peak": peak, **json.loads(output)}


class Llmc:
    """Its own loop around llm.c's functions, over a checkpoint that `attend convert` wrote."""

    def __init__(self, folder, program, work):
        self.name = "llm.c"
        self.program = program
        self.work = work
        self.binary = os.path.join(work, "llmc")
        machine = "haswell" if AVX2 else "native"
        subprocess.run(["gcc", "-Ofast", f"-march={machine}", "-fopenmp", "-DOMP", "-DTESTING", "-w",
                        "-I", folder, os.path.join(HERE, "llmc_steps.c"), "-o", self.binary, "-lm"],
                       check=True)

    def measure(self, case):
        preset, batch, length, steps = LLMC_CASES[case]
        checkpoint = os.path.join(self.work, preset + ".bin")
        if not os.path.exists(checkpoint):
            run([self.program, "convert", preset, checkpoint, "--untrained"])
        output, peak = run([self.binary, checkpoint, str(batch), str(length), str(steps)],
                           {"OMP_NUM_THREADS": TUNED["OMP_NUM_THREADS"]})
        return {"ms": float(output.split()[-1]), "peak": peak}


def compare(case, ours, peers):
    """Everybody once a round, in turns: a busy moment of the machine meets all of them."""
    best = {}
    for _ in range(ROUNDS):
        for contender in [ours, *peers]:
            found = contender.measure(case)
            kept = best.setdefault(contender.name, found)
            for key in ("ms", "peak"):
                kept[key] = min(kept[key], found[key])
    mine = best[ours.name]
    print(f"{case:16} attend {mine['ms']:10.4g} ms  {mine['peak']:7.0f} MiB")
    for peer in peers:
        theirs = best[peer.name]
        goal = CASES[case][2 if peer.name == "llm.c" else 1]
        print(f"{'':16} {peer.name:24} {theirs['ms']:10.4g} ms  {theirs['peak']:7.0f} MiB  "
              f"attend is {theirs['ms'] / mine['ms']:.2f} × as fast"
              + (f" (goal {goal})" if goal else ""), flush=True)


def first_step(program, pythons, work):
    """From the start of the process to the end of the first step of a GPT of 3 × 48."""
    text = os.path.join(work, "text.txt")
    with open(text, "w") as file:
        for i in range(4000):
            file.write(f"The cat number {i} sat beside dog {i * 7 % 100} and both were glad.\n")
    command = [program, "train", "--preset", "gpt2-tiny", "--data", text, "--steps", "2",
               "--eval-every", "0", "-o"]
    tokenizer = os.path.join(work, "first")
    subprocess.run([*command, tokenizer], check=True, capture_output=True)
    best = None
    for i in range(7):
        start = time.perf_counter()
        child = subprocess.Popen([*command, f"{tokenizer}{i}", "--tokenizer", tokenizer],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            if line.startswith("step 1/"):
                passed = time.perf_counter() - start
                best = min(best or passed, passed)
        child.wait()
    print(f"{'first step':16} attend {best * 1e3:10.4g} ms from the start of the process, the data "
          "made into tokens by a tokenizer that is there (goal 30)")
    for torch in pythons:
        found = min(torch.measure("train-tiny")["first_s"] for _ in range(2))
        print(f"{'':16} {torch.name:24} {found * 1e3:10.4g} ms  attend is "
              f"{found / best:.0f} × as fast", flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    cases = sys.argv[2:] or [*CASES, "first"]
    pythons = [Torch(p) for p in os.environ.get("PYTHON", "python3").split() if shutil.which(p)]
    pythons = [torch for torch in pythons if torch.version]
    work = tempfile.mkdtemp(prefix="attend-bench-")
    try:
        folder = os.environ.get("LLMC")
        llmc = Llmc(folder, program, work) if folder else None
        if not pythons:
            print("skipped: PyTorch is not installed (PYTHON names an interpreter that has torch)")
        if llmc is None:
            print("skipped: llm.c is not here (LLMC names a folder with its train_gpt2.c)")
        for case in cases:
            if case == "first":
                first_step(program, pythons, work)
                continue
            peers = [*pythons, *([llmc] if llmc and case in LLMC_CASES else [])]
            if peers:
                compare(case, Attend(program), peers)
    finally:
        shutil.rmtree(work)


main()
