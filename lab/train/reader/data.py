"""Rows of the three families as token ids; batches mixed over all sets."""

import gzip
import json
import lzma
import random
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from tokenizers import BertWordPieceTokenizer

from model import CLAIM_LABELS, CLS, PAD, SEP, TASKS

QUESTION_TOKENS, CLAIM_TOKENS, ALL_TOKENS = 64, 96, 256
IGNORED = -1


def lines(folder: Path, name: str) -> list[dict]:
    """Rows of `name.jsonl`, packed by gzip or xz."""
    packed = folder / f"{name}.jsonl.xz"
    with lzma.open(packed, "rt", encoding="utf-8") if packed.exists() else gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Tokens:
    """Ids and character ranges of many texts, each text once."""

    def __init__(self, vocabulary: Path):
        self.tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self.tokenizer.no_truncation()

    def ids(self, texts: list[str], limit: int) -> list[numpy.ndarray]:
        return [numpy.array(one.ids[:limit], dtype=numpy.uint16) for one in self.encode(texts)]

    def encode(self, texts: list[str]):
        out = []
        for i in range(0, len(texts), 20_000):
            out.extend(self.tokenizer.encode_batch(texts[i : i + 20_000], add_special_tokens=False))
        return out


@dataclass
class Passages:
    """Token ids of "head | text" and of the text alone, with where each token of the text lies."""

    head: list[numpy.ndarray]
    text: list[numpy.ndarray]
    starts: list[numpy.ndarray]
    ends: list[numpy.ndarray]


def read_passages(folder: Path, tokens: Tokens) -> tuple[Passages, dict]:
    rows = lines(folder, "passages")
    place = {row["id"]: i for i, row in enumerate(rows)}
    head = tokens.ids([f"{row['head']} | " if row.get("head") else "" for row in rows], 64)
    encoded = tokens.encode([row["text"] for row in rows])
    text = [numpy.array(one.ids[:ALL_TOKENS], dtype=numpy.uint16) for one in encoded]
    starts = [numpy.array([a for a, _ in one.offsets[:ALL_TOKENS]], dtype=numpy.int32) for one in encoded]
    ends = [numpy.array([b for _, b in one.offsets[:ALL_TOKENS]], dtype=numpy.int32) for one in encoded]
    return Passages(head, text, starts, ends), place


@dataclass
class Sequence:
    ids: numpy.ndarray
    types: numpy.ndarray
    text_at: int  # where the passage's text begins
    text_tokens: int


def sequence(task: str, a: numpy.ndarray, b: numpy.ndarray, head: numpy.ndarray | None = None) -> Sequence:
    head = head if head is not None else numpy.empty(0, numpy.uint16)
    begin = 3 + len(a)
    room = ALL_TOKENS - begin - 1
    head = head[: max(0, room // 2)]
    b = b[: room - len(head)]
    ids = numpy.concatenate([[CLS, TASKS[task]], a, [SEP], head, b, [SEP]]).astype(numpy.int64)
    types = (numpy.arange(len(ids)) >= begin).astype(numpy.int64)
    return Sequence(ids, types, begin + len(head), len(b))


def pad(rows: list[Sequence], device) -> tuple[torch.Tensor, torch.Tensor]:
    length = -(-max(len(row.ids) for row in rows) // 16) * 16
    ids = numpy.full((len(rows), length), PAD, dtype=numpy.int64)
    types = numpy.zeros((len(rows), length), dtype=numpy.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row.ids)] = row.ids
        types[i, : len(row.ids)] = row.types
    return torch.from_numpy(ids).to(device, non_blocking=True), torch.from_numpy(types).to(device, non_blocking=True)


class Answers:
    """Questions with the passages that retrieval brought up for them."""

    def __init__(self, rows: list[dict], passages: Passages, place: dict, tokens: Tokens):
        self.passages = passages
        self.questions = tokens.ids([row["question"] for row in rows], QUESTION_TOKENS)
        self.sets = [row["set"] for row in rows]
        self.answerable = [bool(row["answerable"]) for row in rows]
        self.candidates = [
            [(place[id], label, spans or [], relevant or []) for id, label, spans, relevant in row["candidates"]] for row in rows
        ]

    def __len__(self):
        return len(self.questions)

    def choose(self, i: int, width: int, rng: random.Random, removed: float) -> list[tuple]:
        """At most three that answer, the rest negatives; unknown ones are left out. With chance `removed` nothing that answers is there."""
        known = [one for one in self.candidates[i] if one[1] is not None]
        positive = [one for one in known if one[1] == 1]
        if rng.random() < removed and len(positive) < len(known):
            positive = []
        negative = [one for one in known if one[1] == 0]
        rng.shuffle(positive)
        rng.shuffle(negative)
        kept = positive[:3]
        return kept + negative[: max(0, width - len(kept))]

    def row(self, i: int, candidate: tuple, with_head: bool) -> Sequence:
        place = candidate[0]
        return sequence("answers", self.questions[i], self.passages.text[place], self.passages.head[place] if with_head else None)

    def token_labels(self, candidate: tuple, row: Sequence) -> tuple[list[int], list[int], numpy.ndarray]:
        """Token places (within the sequence) where an answer starts and ends, and 1 for each token of an answering sentence."""
        place, label, spans, relevant = candidate
        starts = self.passages.starts[place][: row.text_tokens]
        ends = self.passages.ends[place][: row.text_tokens]
        first, last = [], []
        for a, b in spans:
            inside = numpy.nonzero((ends > a) & (starts < b))[0]
            if len(inside) and ends[inside[-1]] >= b:
                first.append(row.text_at + int(inside[0]))
                last.append(row.text_at + int(inside[-1]))
        marks = numpy.zeros(row.text_tokens, dtype=numpy.float32)
        for a, b in relevant:
            marks[(ends > a) & (starts < b)] = 1
        return first, last, marks


class Claims:
    LABELS = {**{name: i for i, name in enumerate(CLAIM_LABELS)}, "unsupported": 3}

    def __init__(self, rows: list[dict], tokens: Tokens):
        self.claims = tokens.ids([row["claim"] for row in rows], CLAIM_TOKENS)
        self.evidence = tokens.ids([row["evidence"] for row in rows], ALL_TOKENS)
        self.heads = tokens.ids([f"{row['head']} | " if row.get("head") else "" for row in rows], 48)
        self.labels = [self.LABELS[row["label"]] for row in rows]
        self.weights = [float(row.get("weight", 1) or 1) for row in rows]
        self.sets = [row["set"] for row in rows]
        self.kinds = [row.get("kind") or "" for row in rows]

    def __len__(self):
        return len(self.claims)

    def row(self, i: int, with_head: bool = True) -> Sequence:
        return sequence("claims", self.claims[i], self.evidence[i], self.heads[i] if with_head else None)


class Pairs:
    def __init__(self, rows: list[dict], tokens: Tokens):
        self.a = tokens.ids([row["a"] for row in rows], QUESTION_TOKENS)
        self.b = tokens.ids([row["b"] for row in rows], QUESTION_TOKENS)
        self.same = [float(bool(row["same"])) for row in rows]
        self.sets = [row["set"] for row in rows]
        self.kinds = [row.get("kind") or "" for row in rows]

    def __len__(self):
        return len(self.a)

    def row(self, i: int, swapped: bool) -> Sequence:
        return sequence("pairs", self.b[i], self.a[i]) if swapped else sequence("pairs", self.a[i], self.b[i])


def balanced(sets: list[str], power: float) -> numpy.ndarray:
    """Chances of rows: a set counts by its size to this power, so that no set is all that is seen."""
    names, counts = numpy.unique(sets, return_counts=True)
    share = {name: count ** (power - 1) for name, count in zip(names, counts)}
    chance = numpy.array([share[name] for name in sets])
    return chance / chance.sum()
