"""Rows of the three families as token ids: pieces of questions as `dump.ts --texts` gives them, and the pack's claims and pairs."""

import gzip
import json
import random
from pathlib import Path

import numpy
import torch
from tokenizers import BertWordPieceTokenizer

from model import CLAIM_LABELS, CLS, PAD, SEP, TASKS

QUESTION_TOKENS, CLAIM_TOKENS, HEAD_TOKENS, ALL_TOKENS = 64, 96, 64, 160
# Pieces of a question that training may draw from: those that answer, and the best others by the words they share.
POSITIVES, NEGATIVES = 3, 14


def read(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


class Tokens:
    """Ids of texts, each text once."""

    def __init__(self, vocabulary: Path):
        self.tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self.tokenizer.no_truncation()

    def ids(self, texts: list[str], limit: int) -> list[numpy.ndarray]:
        place = {}
        for text in texts:
            place.setdefault(text, len(place))
        own, out = list(place), []
        for i in range(0, len(own), 20_000):
            encoded = self.tokenizer.encode_batch(own[i : i + 20_000], add_special_tokens=False)
            out.extend(numpy.array(one.ids[:limit], dtype=numpy.uint16) for one in encoded)
        return [out[place[text]] for text in texts]


def sequence(task: str, a: numpy.ndarray, b: numpy.ndarray, head: numpy.ndarray | None = None) -> tuple[numpy.ndarray, int]:
    """Ids, and where the second segment begins."""
    head = head if head is not None else numpy.empty(0, numpy.uint16)
    begin = 3 + len(a)
    b = b[: max(16, ALL_TOKENS - begin - 1 - len(head))]
    return numpy.concatenate([[CLS, TASKS[task]], a, [SEP], head, b, [SEP]]).astype(numpy.int64), begin


def pad(rows: list[tuple[numpy.ndarray, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    length = -(-max(len(ids) for ids, _ in rows) // 8) * 8
    ids = numpy.full((len(rows), length), PAD, dtype=numpy.int64)
    types = numpy.zeros((len(rows), length), dtype=numpy.int64)
    for i, (own, begin) in enumerate(rows):
        ids[i, : len(own)] = own
        types[i, begin : len(own)] = 1
    return torch.from_numpy(ids), torch.from_numpy(types)


class Lists:
    """Questions with the pieces of what retrieval brought up for them."""

    def __init__(self, rows: list[dict], tokens: Tokens, all_pieces: bool):
        self.sets = [row["set"] for row in rows]
        self.questions = tokens.ids([row["question"] for row in rows], QUESTION_TOKENS)
        kept = [row["pieces"] if all_pieces else drawn(row["pieces"]) for row in rows]
        self.labels = [[piece["y"] for piece in pieces] for pieces in kept]
        heads = tokens.ids([f"{piece['head']} | " if piece["head"] else "" for pieces in kept for piece in pieces], HEAD_TOKENS)
        texts = tokens.ids([piece["text"] for pieces in kept for piece in pieces], ALL_TOKENS)
        ends = numpy.cumsum([0, *(len(pieces) for pieces in kept)])
        self.pieces = [list(zip(heads[a:b], texts[a:b])) for a, b in zip(ends, ends[1:])]

    def __len__(self):
        return len(self.questions)

    def choose(self, i: int, width: int, rng: random.Random, removed: float) -> list[int]:
        """At most two pieces that answer, the rest others; with chance `removed` nothing that answers is there."""
        positive = [k for k, y in enumerate(self.labels[i]) if y]
        negative = [k for k, y in enumerate(self.labels[i]) if not y]
        if negative and rng.random() < removed:
            positive = []
        rng.shuffle(positive)
        rng.shuffle(negative)
        kept = positive[:2]
        return kept + negative[: width - len(kept)]

    def row(self, i: int, k: int, with_head: bool = True):
        head, text = self.pieces[i][k]
        return sequence("answers", self.questions[i], text, head if with_head else None)


def drawn(pieces: list[dict]) -> list[dict]:
    """Each place once; what answers first, then the others as they come."""
    seen, positive, negative = set(), [], []
    for piece in pieces:
        if piece["place"] in seen:
            continue
        seen.add(piece["place"])
        (positive if piece["y"] else negative).append(piece)
    return positive[:POSITIVES] + negative[:NEGATIVES]


class Claims:
    LABELS = {**{name: i for i, name in enumerate(CLAIM_LABELS)}, "unsupported": 3}

    def __init__(self, rows: list[dict], tokens: Tokens):
        self.sets = [row["set"] for row in rows]
        self.claims = tokens.ids([row["claim"] for row in rows], CLAIM_TOKENS)
        self.evidence = tokens.ids([row["evidence"] for row in rows], ALL_TOKENS)
        self.labels = [self.LABELS[row["label"]] for row in rows]

    def __len__(self):
        return len(self.claims)

    def row(self, i: int):
        return sequence("claims", self.claims[i], self.evidence[i])


class Pairs:
    def __init__(self, rows: list[dict], tokens: Tokens):
        self.sets = [row["set"] for row in rows]
        self.a = tokens.ids([row["a"] for row in rows], QUESTION_TOKENS)
        self.b = tokens.ids([row["b"] for row in rows], QUESTION_TOKENS)
        self.same = [float(bool(row["same"])) for row in rows]

    def __len__(self):
        return len(self.a)

    def row(self, i: int, swapped: bool = False):
        return sequence("pairs", self.b[i], self.a[i]) if swapped else sequence("pairs", self.a[i], self.b[i])


def balanced(sets: list[str], power: float = 0.75) -> numpy.ndarray:
    """Chances of rows: a set counts by its size to this power, so that no set is all that is seen."""
    names, counts = numpy.unique(sets, return_counts=True)
    share = {name: count ** (power - 1) for name, count in zip(names, counts)}
    chance = numpy.array([share[name] for name in sets])
    return chance / chance.sum()


def read_families(lists: list[Path], data: Path, tokens: Tokens) -> dict:
    """Of each family the rows of training groups and of dev groups."""
    both = {"train": [], "dev": []}
    for path in lists:
        for row in read(path):
            if "pieces" in row and row["pieces"]:
                both[row["split"]].append(row)
    families = {"lists": (Lists(both["train"], tokens, False), Lists(both["dev"], tokens, True))}
    for name, make in (("claims", Claims), ("pairs", Pairs)):
        rows = [dict(row, set=path.name.split(".")[0]) for path in sorted((data / "reader" / name).glob("*.gz")) for row in read(path)]
        families[name] = tuple(make([row for row in rows if row["split"] == split], tokens) for split in ("train", "dev"))
    return families
