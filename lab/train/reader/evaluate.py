"""Figures of a reader on the dev groups, by set. Metrics by their textbook definitions."""

import random
from collections import defaultdict

import numpy
import torch
from sklearn.metrics import roc_auc_score

from rows import Claims, Lists, Pairs, pad

QUESTIONS_OF_A_SET, ROWS_OF_A_SET = 200, 400
# Products in bfloat16: twice as fast where the processor has AVX-512 BF16.
HALF = torch.cpu._is_avx512_bf16_supported()


@torch.no_grad()
def first_states(reader, rows: list, size=64) -> torch.Tensor:
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
    with torch.autocast("cpu", torch.bfloat16, enabled=HALF):
        out = [reader.first(*pad([rows[i] for i in order[k : k + size]])) for k in range(0, len(order), size)]
    return torch.cat(out).float()[torch.tensor(numpy.argsort(order))]


def sample(sets: list[str], limit: int) -> dict[str, list[int]]:
    by_set = defaultdict(list)
    for i, name in enumerate(sets):
        by_set[name].append(i)
    rng = random.Random(7)
    return {name: sorted(rng.sample(rows, min(limit, len(rows)))) for name, rows in sorted(by_set.items())}


def auroc(labels, scores):
    return round(float(roc_auc_score(labels, scores)), 3) if len(set(labels)) == 2 else None


@torch.no_grad()
def answers(reader, lists: Lists, report: dict) -> None:
    firsts = []
    for name, chosen in sample(lists.sets, QUESTIONS_OF_A_SET).items():
        rows = [lists.row(i, k) for i in chosen for k in range(len(lists.labels[i]))]
        logits = reader.head_answer(first_states(reader, rows)).squeeze(-1).numpy()
        at, first, right, best = 0, [], [], []
        for i in chosen:
            own = logits[at : at + len(lists.labels[i])]
            at += len(own)
            top = int(numpy.argmax(own))
            right.append(int(lists.labels[i][top]))
            best.append(float(own[top]))
            if any(lists.labels[i]):
                first.append(right[-1])
        report[f"answers.{name}"] = dict(n=len(first), first=round(float(numpy.mean(first)), 3), n_all=len(right), auroc_of_best=auroc(right, best))
        firsts.append(float(numpy.mean(first)))
    report["answers"] = dict(first_mean_of_sets=round(float(numpy.mean(firsts)), 3))


@torch.no_grad()
def claims(reader, set_: Claims, report: dict) -> None:
    for name, chosen in sample(set_.sets, ROWS_OF_A_SET).items():
        chances = reader.head_claim(first_states(reader, [set_.row(i) for i in chosen])).softmax(1).numpy()
        labels = [set_.labels[i] for i in chosen]
        three = [(label, int(row.argmax())) for label, row in zip(labels, chances) if label < 3]
        report[f"claims.{name}"] = dict(
            n=len(chosen), right=round(float(numpy.mean([a == b for a, b in three])), 3) if three else None, supported_auroc=auroc([int(l == 0) for l in labels], chances[:, 0])
        )


@torch.no_grad()
def pairs(reader, set_: Pairs, report: dict) -> None:
    for name, chosen in sample(set_.sets, ROWS_OF_A_SET).items():
        logits = reader.head_pair(first_states(reader, [set_.row(i) for i in chosen])).squeeze(-1).numpy()
        same = [int(set_.same[i]) for i in chosen]
        report[f"pairs.{name}"] = dict(n=len(chosen), right=round(float(numpy.mean((logits > 0) == numpy.array(same))), 3), auroc=auroc(same, logits))


def evaluate(reader, dev: dict) -> dict:
    report: dict = {}
    answers(reader, dev["lists"], report)
    claims(reader, dev["claims"], report)
    pairs(reader, dev["pairs"], report)
    return report
