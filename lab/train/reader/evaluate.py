"""Figures of a reader on the dev groups, by set. Metrics by their textbook definitions."""

import random
from collections import defaultdict

import numpy
import torch
from sklearn.metrics import roc_auc_score

from data import Answers, Claims, Pairs, pad

LISTS_OF_A_SET, ROWS_OF_A_SET = 300, 1500


def hidden_of(reader, rows, device, size=256):
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    for i in range(0, len(order), size):
        places = order[i : i + size]
        ids, types = pad([rows[place] for place in places], device)
        with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            yield places, reader(ids, types)


def sample(sets: list[str], limit: int) -> dict[str, list[int]]:
    by_set = defaultdict(list)
    for i, name in enumerate(sets):
        by_set[name].append(i)
    rng = random.Random(7)
    return {name: sorted(rng.sample(rows, min(limit, len(rows)))) for name, rows in sorted(by_set.items())}


def auroc(labels, scores):
    return round(float(roc_auc_score(labels, scores)), 4) if len(set(labels)) == 2 else None


def answers(reader, set_: Answers, device, report):
    for name, chosen in sample(set_.sets, LISTS_OF_A_SET).items():
        rows, where = [], []
        for i in chosen:
            for candidate in set_.candidates[i]:
                if candidate[1] is None:
                    continue
                rows.append(set_.row(i, candidate, True))
                where.append((i, candidate))
        logit = numpy.zeros(len(rows))
        relevant = [None] * len(rows)
        spans = [None] * len(rows)
        for places, hidden in hidden_of(reader, rows, device):
            own = reader.head_answer(hidden[:, 0].float()).squeeze(-1).detach().cpu().numpy()
            tokens = reader.head_tokens(hidden.float()).detach().cpu().numpy()
            for k, place in enumerate(places):
                row = rows[place]
                text = tokens[k, row.text_at : row.text_at + row.text_tokens]
                logit[place] = own[k]
                relevant[place] = text[:, 2]
                spans[place] = best_span(text[:, 0], text[:, 1])
        by_list = defaultdict(list)
        for at, (i, candidate) in enumerate(where):
            by_list[i].append((at, candidate))
        first, first_marked, marked, top, able, f1 = [], [], [], [], [], []
        for i, entries in by_list.items():
            best = max(entries, key=lambda entry: logit[entry[0]])
            top.append(logit[best[0]])
            has = any(candidate[1] == 1 for _, candidate in entries)
            able.append(int(has))
            if not has:
                continue
            first.append(best[1][1] == 1)
            for at, candidate in entries:
                if candidate[1] == 1:
                    a, b, marks = set_.token_labels(candidate, rows[at])
                    if a:
                        f1.append(max(overlap_f1(spans[at], (x - rows[at].text_at, y - rows[at].text_at)) for x, y in zip(a, b)))
                    if marks.any():
                        marked.append(bool(marks[int(numpy.argmax(relevant[at]))]))
            # The best token over all passages: does it lie in an answering sentence?
            at, candidate = max(entries, key=lambda entry: logit[entry[0]] + (relevant[entry[0]].max() if len(relevant[entry[0]]) else -9))
            if candidate[1] == 1:
                _, _, marks = set_.token_labels(candidate, rows[at])
                first_marked.append(bool(len(marks) and marks[int(numpy.argmax(relevant[at]))]))
            else:
                first_marked.append(False)
        key = f"answers/{name}"
        report[f"{key}.n"] = len(by_list)
        report[f"{key}.passage_first"] = mean(first)
        report[f"{key}.sentence_first"] = mean(first_marked)
        report[f"{key}.sentence_in_gold"] = mean(marked)
        report[f"{key}.span_f1"] = mean(f1)
        report[f"{key}.answerable_auroc"] = auroc(able, top)
        report[f"{key}.passage_auroc"] = auroc([int(candidate[1] == 1) for _, candidate in where], logit.tolist())


def best_span(start: numpy.ndarray, end: numpy.ndarray, longest: int = 40) -> tuple[int, int]:
    best, place = -1e9, (0, 0)
    for i in range(len(start)):
        j = i + int(numpy.argmax(end[i : i + longest]))
        if start[i] + end[j] > best:
            best, place = start[i] + end[j], (i, j)
    return place


def overlap_f1(a: tuple[int, int], b: tuple[int, int]) -> float:
    shared = max(0, min(a[1], b[1]) - max(a[0], b[0]) + 1)
    return 2 * shared / (a[1] - a[0] + 1 + b[1] - b[0] + 1)


def mean(values):
    return round(float(numpy.mean(values)), 4) if values else None


def claims(reader, set_: Claims, device, report):
    for name, chosen in sample(set_.sets, ROWS_OF_A_SET).items():
        rows = [set_.row(i) for i in chosen]
        chance = numpy.zeros((len(rows), 3))
        for places, hidden in hidden_of(reader, rows, device):
            chance[places] = reader.head_claim(hidden[:, 0].float()).softmax(1).detach().cpu().numpy()
        label = numpy.array([set_.labels[i] for i in chosen])
        supported = label == 0
        key = f"claims/{name}"
        report[f"{key}.n"] = len(rows)
        report[f"{key}.auroc"] = auroc(supported.astype(int).tolist(), chance[:, 0].tolist())
        said = chance[:, 0] >= 0.5
        report[f"{key}.balanced"] = mean([x for x in ((said[supported]).mean() if supported.any() else None, (~said[~supported]).mean() if (~supported).any() else None) if x is not None])
        kinds = numpy.array([set_.kinds[i] for i in chosen])
        for kind in sorted(set(kinds.tolist()) - {""}):
            of = kinds == kind
            if of.sum() >= 30:
                right = numpy.where(supported[of], said[of], ~said[of])
                report[f"{key}.{kind}.right"] = mean(right.tolist())


def pairs(reader, set_: Pairs, device, report):
    for name, chosen in sample(set_.sets, ROWS_OF_A_SET).items():
        rows = [set_.row(i, False) for i in chosen]
        logit = numpy.zeros(len(rows))
        for places, hidden in hidden_of(reader, rows, device):
            logit[places] = reader.head_pair(hidden[:, 0].float()).squeeze(-1).detach().cpu().numpy()
        same = [int(set_.same[i]) for i in chosen]
        report[f"pairs/{name}.n"] = len(rows)
        report[f"pairs/{name}.auroc"] = auroc(same, logit.tolist())
        report[f"pairs/{name}.right"] = mean([(x > 0) == bool(y) for x, y in zip(logit, same)])


def evaluate(reader, families, device) -> dict:
    report: dict = {}
    if families["answers"] is not None:
        answers(reader, families["answers"], device, report)
    claims(reader, families["claims"], device, report)
    pairs(reader, families["pairs"], device, report)
    return report
