"""Batches as arrays that a device takes, made beside the training by worker processes; rows of like length share a part, so that little is padded."""

import random

import numpy
import torch

from data import Answers, Claims, Pairs, Sequence, balanced, pad


def parts_of(rows: list[Sequence], count: int) -> list[list[int]]:
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    size = -(-len(order) // count)
    return [order[i : i + size] for i in range(0, len(order), size)]


def answers_batch(set_: Answers, chosen: list[int], width: int, rng: random.Random, head_share: float, removed: float) -> dict:
    rows, labels, marks, spans = [], [], [], []
    grid = numpy.full((len(chosen), width + 3), -1, dtype=numpy.int64)
    for k, i in enumerate(chosen):
        with_head = rng.random() < head_share
        for column, candidate in enumerate(set_.choose(i, width, rng, removed)):
            row = set_.row(i, candidate, with_head)
            first, last, relevant = set_.token_labels(candidate, row)
            # An answer that was cut off with the end of a long passage does not stand in what is read.
            lost = candidate[1] == 1 and bool(candidate[3]) and not relevant.any()
            grid[k, column] = len(rows)
            rows.append(row)
            labels.append(-1.0 if lost else float(candidate[1]))
            marks.append(relevant)
            spans.append((first, last))
    parts = []
    for places in parts_of(rows, 4):
        ids, types = pad([rows[place] for place in places], "cpu")
        shape = tuple(ids.shape)
        text, first, last = (numpy.zeros(shape, dtype=bool) for _ in range(3))
        wanted = numpy.zeros(shape, dtype=numpy.float32)
        known = numpy.zeros(len(places), dtype=bool)
        for k, place in enumerate(places):
            row = rows[place]
            span = slice(row.text_at, row.text_at + row.text_tokens)
            text[k, span] = True
            wanted[k, span] = marks[place]
            first[k, spans[place][0]] = True
            last[k, spans[place][1]] = True
            known[k] = labels[place] == 0 or (labels[place] == 1 and bool(marks[place].any()))
        arrays = dict(text=text, wanted=wanted, first=first, last=last, known=known)
        parts.append(dict(ids=ids, types=types, places=torch.tensor(places), **{key: torch.from_numpy(value) for key, value in arrays.items()}))
    return dict(parts=parts, labels=torch.tensor(labels), grid=torch.from_numpy(grid))


def simple_batch(rows: list[Sequence], count: int, **arrays: list[float]) -> dict:
    parts = []
    for places in parts_of(rows, count):
        ids, types = pad([rows[place] for place in places], "cpu")
        parts.append(dict(ids=ids, types=types, places=torch.tensor(places)))
    return dict(parts=parts, **{key: torch.tensor(value) for key, value in arrays.items()})


class Batches(torch.utils.data.IterableDataset):
    """Endless; each worker draws with a seed of its own. A set's rows are drawn by the set's size to the power .75."""

    def __init__(self, families: dict, args):
        self.families, self.args = families, args
        self.chances = {name: balanced(set_.sets, 0.75) for name, set_ in families.items() if set_ is not None}

    def __iter__(self):
        args, worker = self.args, torch.utils.data.get_worker_info()
        seed = args.seed * 1000 + (worker.id if worker is not None else 0)
        rng, pick = random.Random(seed), numpy.random.default_rng(seed)
        answers, claims, pairs = (self.families[name] for name in ("answers", "claims", "pairs"))
        draw = lambda name, count: pick.choice(len(self.families[name]), size=min(count, len(self.families[name])), p=self.chances[name]).tolist()
        while True:
            claimed, paired = draw("claims", args.claims), draw("pairs", args.pairs)
            yield dict(
                answers=None if answers is None else answers_batch(answers, draw("answers", args.lists), args.width, rng, args.head_share, args.removed),
                claims=simple_batch(
                    [claims.row(i, rng.random() < 0.5) for i in claimed],
                    3,
                    labels=[claims.labels[i] for i in claimed],
                    weights=[claims.weights[i] for i in claimed],
                ),
                pairs=simple_batch([pairs.row(i, rng.random() < 0.5) for i in paired], 2, labels=[pairs.same[i] for i in paired]),
            )


def to_device(batch, device):
    if batch is None:
        return None
    if torch.is_tensor(batch):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {key: to_device(value, device) for key, value in batch.items()}
    return [to_device(value, device) for value in batch]
