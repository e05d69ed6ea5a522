"""Trains the reader: `python3 train.py --lists rows.jsonl.gz --data DATA --vocabulary vocab.txt --start model.safetensors --out DIR --minutes 90`.

Answers: listwise over the pieces of what retrieval brought up (a null of logit 0 is a candidate, so that "none of these" can win), and each
piece by itself. Beside it, to begin with, claims (three ways, or two where the set does not tell them apart) and pairs (the same question or not).
The vectors of words stay as the shipped file gives them back (`weights.rounded_words`).
"""

import argparse
import json
import random
import time
from pathlib import Path

import numpy
import torch
from torch.nn import functional as F

import weights
from evaluate import evaluate
from model import Reader, from_start
from rows import Claims, Lists, Pairs, Tokens, balanced, pad, read_families

MASKED = -1e4
# Products in bfloat16: twice as fast where the processor has AVX-512 BF16; the weights themselves stay float32.
HALF = torch.cpu._is_avx512_bf16_supported()


def hidden_rows(reader: Reader, rows: list, parts: int) -> torch.Tensor:
    """First hidden state of each row; rows of like length are read together, so that little is padded."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
    size = -(-len(order) // parts)
    with torch.autocast("cpu", torch.bfloat16, enabled=HALF):
        out = [reader.first(*pad([rows[i] for i in order[k : k + size]])) for k in range(0, len(order), size)]
    return torch.cat(out).float()[torch.tensor(numpy.argsort(order))]


def answers_loss(reader: Reader, lists: Lists, chosen: list[int], args, rng: random.Random) -> torch.Tensor:
    rows, labels, grid = [], [], torch.full((len(chosen), args.width), -1, dtype=torch.long)
    for k, i in enumerate(chosen):
        with_head = rng.random() < args.head_share
        for column, piece in enumerate(lists.choose(i, args.width, rng, args.removed)):
            grid[k, column] = len(rows)
            rows.append(lists.row(i, piece, with_head))
            labels.append(float(lists.labels[i][piece]))
    labels = torch.tensor(labels)
    logits = reader.head_answer(hidden_rows(reader, rows, 5)).squeeze(-1)
    there = grid >= 0
    scores = torch.where(there, logits[grid.clamp(min=0)], torch.tensor(MASKED))
    answers = there & (labels[grid.clamp(min=0)] == 1)
    null = torch.zeros(len(chosen), 1)
    all_ = torch.logsumexp(torch.cat([scores, null], 1), 1)
    some = answers.any(1)
    right = torch.where(some, torch.logsumexp(scores.masked_fill(~answers, MASKED), 1), null.squeeze(1))
    return (all_ - right).mean() + 0.5 * F.binary_cross_entropy_with_logits(logits, labels)


def claims_loss(reader: Reader, claims: Claims, chosen: list[int]) -> torch.Tensor:
    logits = reader.head_claim(hidden_rows(reader, [claims.row(i) for i in chosen], 2)).log_softmax(1)
    labels = torch.tensor([claims.labels[i] for i in chosen])
    # "Unsupported" is contradicted or not found.
    neither = torch.logsumexp(logits[:, 1:], 1)
    return -torch.where(labels == 3, neither, logits.gather(1, labels.clamp(max=2)[:, None]).squeeze(1)).mean()


def pairs_loss(reader: Reader, pairs: Pairs, chosen: list[int], rng: random.Random) -> torch.Tensor:
    logits = reader.head_pair(hidden_rows(reader, [pairs.row(i, rng.random() < 0.5) for i in chosen], 1)).squeeze(-1)
    return F.binary_cross_entropy_with_logits(logits, torch.tensor([pairs.same[i] for i in chosen]))


def optimizer_of(reader: Reader, rate: float) -> torch.optim.Optimizer:
    is_head = lambda name: name.startswith("head_")
    named = [(n, p) for n, p in reader.named_parameters() if p.requires_grad]
    return torch.optim.AdamW(
        [
            dict(params=[p for n, p in named if not is_head(n) and p.ndim >= 2], lr=rate, weight_decay=0.01),
            dict(params=[p for n, p in named if not is_head(n) and p.ndim < 2], lr=rate, weight_decay=0.0),
            dict(params=[p for n, p in named if is_head(n)], lr=rate * 5, weight_decay=0.0),
        ],
        betas=(0.9, 0.98),
    )


def train(reader: Reader, families: dict, args) -> None:
    optimizer = optimizer_of(reader, args.rate)
    base = [group["lr"] for group in optimizer.param_groups]
    rng, pick = random.Random(args.seed), numpy.random.default_rng(args.seed)
    lists, claims, pairs = (families[name][0] for name in ("lists", "claims", "pairs"))
    chances = {id(one): balanced(one.sets) for one in (lists, claims, pairs)}
    draw = lambda one, count: pick.choice(len(one), size=count, p=chances[id(one)]).tolist()
    reader.train()
    began, step, sums = time.monotonic(), 0, {}
    kept = began
    if (args.out / "part.pt").exists():
        part = torch.load(args.out / "part.pt", weights_only=True)
        reader.load_state_dict(part["state"])
        optimizer.load_state_dict(part["optimizer"])
        step, began = part["step"], began - part["seconds"]
        rng.seed(args.seed + step)
        pick = numpy.random.default_rng(args.seed + step)
    while True:
        done = (time.monotonic() - began) / 60 / args.minutes
        if done >= 1:
            break
        for group, rate in zip(optimizer.param_groups, base):
            group["lr"] = rate * min(1, (step + 1) / 60) * (1 - done)
        optimizer.zero_grad(set_to_none=True)
        parts = {"answers": answers_loss(reader, lists, draw(lists, args.questions), args, rng)}
        parts["answers"].backward()
        beside = done < args.beside
        if beside and args.claims:
            parts["claims"] = claims_loss(reader, claims, draw(claims, args.claims))
            (0.5 * parts["claims"]).backward()
        if beside and args.pairs:
            parts["pairs"] = pairs_loss(reader, pairs, draw(pairs, args.pairs), rng)
            (0.4 * parts["pairs"]).backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        for key, value in parts.items():
            sums[key] = sums.get(key, 0) + float(value.detach())
        if step % args.log == 0:
            print(f"step {step}, {100 * done:.1f} %: " + ", ".join(f"{k} {v / args.log:.3f}" for k, v in sums.items()), flush=True)
            sums = {}
        if time.monotonic() - kept > 300:
            kept = time.monotonic()
            torch.save(dict(state=reader.state_dict(), optimizer=optimizer.state_dict(), step=step, seconds=kept - began), args.out / "part.pt")
    print(f"trained {step} steps in {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lists", type=Path, nargs="+", required=True, help="what dump.ts --texts wrote")
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--vocabulary", type=Path, required=True)
    options.add_argument("--start", type=Path, required=True, help="weights to begin with (safetensors)")
    options.add_argument("--out", type=Path, required=True, help="a run that was broken off goes on from part.pt there")
    options.add_argument("--layers", default="0,1,2,3", help="layers that are kept of what it begins with")
    options.add_argument("--embedding-bits", type=int, default=6)
    options.add_argument("--minutes", type=float, default=90, help="the schedule ends with this time")
    options.add_argument("--rate", type=float, default=1.2e-4)
    options.add_argument("--questions", type=int, default=12)
    options.add_argument("--width", type=int, default=8)
    options.add_argument("--claims", type=int, default=24, help="claims beside each step, to begin with")
    options.add_argument("--pairs", type=int, default=16, help="pairs of questions, likewise")
    options.add_argument("--beside", type=float, default=0.39, help="share of the time in which claims and pairs are learned beside; their heads do not ship")
    options.add_argument("--head-share", type=float, default=0.75)
    options.add_argument("--removed", type=float, default=0.1, help="share of lists whose answering pieces are left out")
    options.add_argument("--log", type=int, default=50, help="steps between two lines")
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    torch.manual_seed(args.seed)
    began = time.monotonic()
    families = read_families(args.lists, args.data, Tokens(args.vocabulary))
    print(f"read after {time.monotonic() - began:.0f} s: " + ", ".join(f"{name} {len(a)} + {len(b)}" for name, (a, b) in families.items()), flush=True)

    reader = from_start(args.start, tuple(int(layer) for layer in args.layers.split(",")))
    pieces = args.vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    words = reader.bert.embeddings["word_embeddings"].weight
    words.data = torch.from_numpy(weights.rounded_words(words.detach().numpy(), pieces, args.embedding_bits))
    reader.bert.embeddings.requires_grad_(False)
    args.out.mkdir(parents=True, exist_ok=True)
    train(reader, families, args)
    reader.eval()
    torch.save(dict(state=reader.state_dict()), args.out / "reader.pt")
    report = evaluate(reader, {name: dev for name, (_, dev) in families.items()})
    (args.out / "report.json").write_text(json.dumps(report, indent=1))
    for key, value in report.items():
        print(f"{key:50} {value}", flush=True)


if __name__ == "__main__":
    main()
