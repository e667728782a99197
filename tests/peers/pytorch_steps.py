#!/usr/bin/env python3
"""The same work as `attend bench` in PyTorch, eager, as its users would write it for speed.

usage: pytorch_steps.py CASE [STEPS]

Prints one JSON object: "ms", the fastest step of STEPS, and "first_s", the seconds from the start
of the process to the end of its first step. Newer versions get what they have: fused attention,
fused AdamW.
"""
import json
import math
import os
import sys
import time



def process_start():
    """When this process began, on the clock of time.time()."""
    with open("/proc/uptime") as uptime, open("/proc/self/stat") as stat:
        machine_start = time.time() - float(uptime.read().split()[0])
        ticks = float(stat.read().rsplit(")", 1)[1].split()[19])
    return machine_start + ticks / os.sysconf("SC_CLK_TCK")


PROCESS_START = process_start()

import torch
from torch import nn
from torch.nn import functional as F

HAS_FUSED_ATTENTION = hasattr(F, "scaled_dot_product_attention")

# name: vocabulary, positions, width, heads, layers, batch, length
TRAINING = {
    "train-tiny": (256, 256, 48, 3, 3, 16, 64),
    "train-10m": (4096, 2048, 384, 6, 6, 8, 256),
    "train-10m-long": (4096, 2048, 384, 6, 6, 1, 2048),
    "train-124m": (50257, 1024, 768, 12, 12, 1, 256),
    "train-124m-wide": (50257, 1024, 768, 12, 12, 4, 256),
}
# the same without a batch; the length is the text's
GENERATION = {
    "generate-tiny": (256, 256, 48, 3, 3, 64),
    "generate-10m": (4096, 2048, 384, 6, 6, 128),
    "generate-124m": (50257, 1024, 768, 12, 12, 32),
}


class Attention(nn.Module):
    def __init__(self, width, n_heads, n_positions):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        mask = torch.ones(n_positions, n_positions, dtype=torch.bool).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = (part.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
                   for part in self.qkv(x).split(C, dim=2))
        if cache is not None:
            keys, values, position = cache
            keys[:, :, position:position + T] = k
            values[:, :, position:position + T] = v
            k, v = keys[:, :, :position + T], values[:, :, :position + T]
        if HAS_FUSED_ATTENTION:
            context = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        else:
            scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(C // self.n_heads))
            if cache is None:
                scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
            context = F.softmax(scores, dim=-1) @ v
        return self.out(context.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, width, n_heads, n_positions):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, n_heads, n_positions)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x, cache=None):
        x = x + self.attention(self.norm1(x), cache)
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, vocabulary, n_positions, width, n_heads, n_layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(n_positions, width)
        self.blocks = nn.ModuleList(Block(width, n_heads, n_positions) for _ in range(n_layers))
        self.norm = nn.LayerNorm(width)
        for parameter in (self.tokens.weight, self.positions.weight):
            nn.init.normal_(parameter, std=0.02)

    def forward(self, ids, caches=None, position=0):
        x = self.tokens(ids) + self.positions.weight[position:position + ids.shape[1]]
        for i, block in enumerate(self.blocks):
            x = block(x, None if caches is None else (*caches[i], position))
        return F.linear(self.norm(x), self.tokens.weight)


def make_optimizer(model):
    try:
        return torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    except (RuntimeError, TypeError):
        return torch.optim.AdamW(model.parameters(), lr=1e-4)


def training_step(case):
    vocabulary, n_positions, width, n_heads, n_layers, batch, length = TRAINING[case]
    model = Gpt2(vocabulary, n_positions, width, n_heads, n_layers)
    optimizer = make_optimizer(model)
    ids = torch.randint(vocabulary, (batch, length + 1))

    def step():
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return 1

    return step


def toy_step():
    """The copy toy: 2 items of 3 tokens into an encoder-decoder of one layer a side, width 8."""
    width, vocabulary = 8, 8
    embed = nn.Embedding(vocabulary, width)
    model = nn.Transformer(width, 2, 1, 1, 32, dropout=0.0, batch_first=True)
    head = nn.Linear(width, vocabulary)
    optimizer = make_optimizer(nn.ModuleList((embed, model, head)))
    source = torch.tensor([[1, 5, 4], [1, 3, 6]])
    mask = nn.Transformer.generate_square_subsequent_mask(2)

    def step():
        out = model(embed(source), embed(source[:, :-1]), tgt_mask=mask)
        loss = F.cross_entropy(head(out).flatten(0, 1), source[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return 1

    return step


def generation_step(case):
    vocabulary, n_positions, width, n_heads, n_layers, length = GENERATION[case]
    model = Gpt2(vocabulary, n_positions, width, n_heads, n_layers).eval()
    shape = (1, n_heads, length, width // n_heads)
    caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(n_layers)]

    @torch.no_grad()
    def text():
        token = torch.ones((1, 1), dtype=torch.long)
        for position in range(length):
            token = model(token, caches, position)[:, -1].argmax(-1, keepdim=True)
        return length

    return text


def main():
    case = sys.argv[1]
    n_steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    torch.manual_seed(1)
    make = toy_step if case == "toy" else None
    step = make() if make else training_step(case) if case in TRAINING else generation_step(case)
    fastest = math.inf
    first_s = None
    for _ in range(n_steps):
        start = time.perf_counter()
        parts = step()
        fastest = min(fastest, (time.perf_counter() - start) / parts)
        first_s = first_s or time.time() - PROCESS_START
    print(json.dumps({"version": torch.__version__, "ms": fastest * 1e3, "first_s": first_s}))


main()
