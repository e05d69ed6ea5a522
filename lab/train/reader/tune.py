"""Trains the cross-encoder on, with real collections: `python3 tune.py --start reader.bin --lists train.jsonl.gz --claims claims.jsonl --data DATA --quotes claims.jsonl --out reader.safetensors`.

Lists are the rows of `../ranking/dump.ts`: the candidates of a question compete in one softmax with a bar at log odds of 0 ("nothing here answers"). Claims are sentences of
written answers with windows of the pages that they cite: lines with `claim`, `windows` and `false`. A sentence counts as supported as its best window says (multiple instance learning: Dietterich et al.
1997), so no window has to be marked. Public sets of claims and our own quotes are learned beside them, pair by pair. One pass reads every list and every claim once.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import BertWordPieceTokenizer
from torch.nn.functional import binary_cross_entropy_with_logits

import weights
from model import Model, Texts
from pack import LABELS, TOKENS, WRITTEN, Pool, lines

PASSES, RATE, HEAD_RATE, WARM_STEPS, DROPOUT = 2, 3e-5, 1.5e-4, 20, 0.1
#: Lists of a step; candidates of a list at most, and those of them that answer; public claims of a step.
LISTS, CANDIDATES, RIGHT, PUBLIC = 16, 12, 2, 48
#: Lists of a step from `--replay`, so that what was learned before is kept.
REPLAYED = 5
#: Candidates that a list is drawn from: the best by words and vectors.
NEAREST = 24
#: Rows of a public set at most.
PUBLIC_ROWS = 1200
PUBLIC_SETS = ("vitaminc_real", "fever_nli", "fool_me_twice", "sufficient_facts", "mnli_dev", "vitaminc_synthetic")
#: What a true and a false sentence count; there are three times as many true ones.
TRUE_SHARE, FALSE_SHARE, PUBLIC_SHARE = 0.7, 2.0, 0.5
UNSUPPORTED = LABELS["unsupported"]
#: Groups by length of a step's sequences.
GROUPS = 6


def read_lists(path: Path, pool: Pool) -> list[tuple[int, list[int], list[int]]]:
    rows = lines(path)
    names = next(rows)["features"]
    own, heading, headed = (names.index(name) for name in ("own", "heading", "cosine.headed"))
    found = []
    for row in rows:
        pieces = sorted(row["pieces"], key=lambda piece: -(piece["x"][own] + piece["x"][heading] + 2 * piece["x"][headed]))
        kept = pieces[:NEAREST] + [piece for piece in pieces[NEAREST:] if piece["y"]][:4]
        found.append((pool(row["question"]), [pool(piece["text"]) for piece in kept], [piece["y"] for piece in kept]))
    return found


def read_claims(path: Path, pool: Pool) -> list[tuple[int, list[int], float]]:
    return [(pool(row["claim"]), [pool(window) for window in row["windows"]], float(not row["false"])) for row in lines(path) if row["windows"]]


def read_public(data: Path, quotes: Path, pool: Pool, draw: random.Random) -> list[tuple[int, int, int]]:
    pairs = []
    for name in PUBLIC_SETS:
        rows = [row for row in lines(data / "reader" / "claims" / f"{name}.jsonl.gz") if row["split"] != "dev"]
        draw.shuffle(rows)
        pairs += [(pool(row["claim"]), pool("\n" + row["evidence"]), LABELS[row["label"]]) for row in rows[:PUBLIC_ROWS]]
    for row in lines(quotes):
        head = f"{row['title']} › {row['heading']}\n{row['quote']}"
        pairs += [(pool(row[kind]), pool(head), label) for kind, label in WRITTEN.items()]
    return pairs


def draw_candidates(right: list[int], most: int, pick: np.random.Generator) -> list[int]:
    answers, others = [i for i, y in enumerate(right) if y], [i for i, y in enumerate(right) if not y]
    if len(answers) > RIGHT:
        answers = list(pick.choice(answers, RIGHT, replace=False))
    room = most - len(answers)
    near = room * 2 // 3
    if len(others) > room:
        others = others[:near] + list(pick.choice(others[near:], room - near, replace=False))
    return answers + others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=Path, required=True, help="reader.bin to go on from")
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--replay", type=Path, nargs="*", default=[], help="lists of earlier trainings, a few of which join each step")
    parser.add_argument("--unanswered", type=float, default=0, help="share of the lists that lose their answers")
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--quotes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--candidates", type=int, default=CANDIDATES, help="of a list at most")
    parser.add_argument("--windows", type=int, default=6, help="of a sentence at most, the nearest")
    parser.add_argument("--last", type=int, help="train only so many of the last layers")
    parser.add_argument("--steps", type=int, help="stop a pass after so many steps")
    parser.add_argument("--float32", action="store_true", help="for processors without matrix units for bfloat16")
    options = parser.parse_args()
    # One thread: two that wait for each other on busy cores are many times slower.
    torch.set_num_threads(1)
    pick, pool = np.random.default_rng(options.seed), Pool()
    lists, claims = read_lists(options.lists, pool), read_claims(options.claims, pool)
    earlier = [one for path in options.replay for one in read_lists(path, pool)]
    print(f"{len(lists)} lists, {len(earlier)} of earlier trainings, {len(claims)} sentences", flush=True)
    public = read_public(options.data, options.quotes, pool, random.Random(options.seed))

    tensors, header = weights.read(options.start)
    state = weights.restore(tensors, header)
    vocabulary = {piece: at for at, piece in enumerate(bytes(tensors["vocabulary"]).decode().split("\n"))}
    tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True)
    encoded = [one.ids[:TOKENS] for one in tokenizer.encode_batch(list(pool.places), add_special_tokens=False)]
    texts = Texts(np.concatenate([np.array(ids, np.int64) for ids in encoded]), np.cumsum([0, *map(len, encoded)]), "cpu")
    model = Model({name: values for name, values in state.items() if name.startswith("bert.")}, texts, options.seed, header["epsilon"], torch.float32 if options.float32 else torch.bfloat16, options.last)
    model.take({name: torch.from_numpy(np.array(values)) for name, values in state.items()})

    per_pass = min(len(lists) // LISTS, options.steps or len(lists))
    steps, per_step = options.passes * per_pass, -(-len(claims) // per_pass)
    optimiser = torch.optim.AdamW(
        [dict(params=model.trained(), lr=RATE, weight_decay=0.01), dict(params=list(model.heads.values()), lr=HEAD_RATE, weight_decay=0)], betas=(0.9, 0.98)
    )
    rates, begun, queue, order = [group["lr"] for group in optimiser.param_groups], time.monotonic(), [], []
    for step in range(steps):
        if step % per_pass == 0:
            order = list(pick.permutation(len(lists)))
        first, second, list_of, right, claim_of = [], [], [], [], []
        drawn_lists = [lists[order.pop()] for _ in range(LISTS)]
        if earlier:
            drawn_lists += [earlier[i] for i in pick.choice(len(earlier), REPLAYED, replace=False)]
        for at, (question, candidates, answers) in enumerate(drawn_lists):
            if options.unanswered > 0 and pick.random() < options.unanswered and len(answers) > sum(answers):
                kept = [i for i, y in enumerate(answers) if not y]
                candidates, answers = [candidates[i] for i in kept], [0] * len(kept)
            for i in draw_candidates(answers, options.candidates, pick):
                first.append(question), second.append(candidates[i]), list_of.append(at), right.append(float(answers[i]))
        of_lists = len(first)
        if len(queue) < per_step:
            queue = list(pick.permutation(len(claims))) + queue
        drawn = [claims[queue.pop()] for _ in range(per_step)]
        for at, (claim, windows, _) in enumerate(drawn):
            nearest = windows[: options.windows]
            first += [claim] * len(nearest)
            second += nearest
            claim_of += [at] * len(nearest)
        of_claims = len(first)
        beside = [public[i] for i in pick.choice(len(public), PUBLIC, replace=False)]
        first += [claim for claim, _, _ in beside]
        second += [evidence for _, evidence, _ in beside]
        vectors = model.vectors(np.array(first, np.int64), np.array(second, np.int64), dropout=DROPOUT, groups=GROUPS)

        said, owner, marked = model.head("answer", vectors[:of_lists])[:, 0].clamp(max=30), torch.tensor(list_of), torch.tensor(right)
        sums = lambda values: torch.zeros(len(drawn_lists)).index_add(0, owner, values)  # noqa: E731
        odds = said.exp()
        answered = torch.where(sums(marked) > 0, sums(odds * marked), torch.ones(len(drawn_lists)))
        loss = ((1 + sums(odds)).log() - answered.clamp(min=1e-8).log()).mean()

        labels = model.head("claim", vectors[of_lists:of_claims])
        support = labels[:, 0] - torch.logsumexp(labels[:, 1:], 1)
        best = torch.full((len(drawn),), -1e4).scatter_reduce(0, torch.tensor(claim_of), support, "amax")
        true = torch.tensor([one[2] for one in drawn])
        loss = loss + binary_cross_entropy_with_logits(best, true, weight=torch.where(true > 0, TRUE_SHARE, FALSE_SHARE))

        chances, label = model.head("claim", vectors[of_claims:]).log_softmax(1), torch.tensor([one[2] for one in beside])
        # Contradicted and not found are not told apart in some sets.
        told = torch.where(label == UNSUPPORTED, torch.logsumexp(chances[:, 1:], 1), chances.gather(1, label.clamp(max=2)[:, None])[:, 0])
        loss = loss - PUBLIC_SHARE * told.mean()

        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * min(1, (step + 1) / WARM_STEPS) * (1 - step / steps)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.trained(), 1.0)
        optimiser.step()
        if step % 10 == 9 or step + 1 == steps:
            print(f"step {step + 1} of {steps}, {time.monotonic() - begun:.0f} s, loss {float(loss.detach()):.3f}", flush=True)
    save_file(model.tensors(), options.out)


if __name__ == "__main__":
    main()
