"""Packs the cross-encoder's training data, with each text tokenised once: `python3 pack.py --rows pieces.jsonl.gz written.jsonl.gz
--wide wide.jsonl.gz ... --out lists.npz`.

Rows and wide rows come from `../ranking/dump.ts`. A fifth of their groups (part 1) is held out and scored after training; wide
rows of that fifth are not used. `--claims` and `--pairs` come from `make_claims.py` and `make_pairs.py`, `--quotes` and
`--collections` are the written sets of this repository. `--measured` rows, the parts "dev", and the claims and pairs of
`--strangers` are for evaluation only: their part is -1.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from export import in_package
from tell import HELD, LEARNED, MEASURED

#: Maximum candidates of a wide row: those that answer, then the nearest others.
WIDE_PIECES = 20
#: Inverse of the share of held-out groups.
HELD_OF = 5
#: Maximum tokens of a text.
TOKENS = 160
LABELS = dict(supported=0, contradicted=1, not_found=2, unsupported=3)
#: Label of each kind of sentence with a quote in the written claims.
WRITTEN = dict(true_near=0, true_free=0, false_near=3, false_free=3)


def lines(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def part_of(group: str) -> int:
    return HELD if int(hashlib.sha1(f"reader-6{group}".encode()).hexdigest(), 16) % HELD_OF == 0 else LEARNED


def misspelt(text: str, draw: random.Random) -> str:
    """Makes typos in one or two words: a letter lost, doubled, swapped or replaced."""
    words = text.split(" ")
    for _ in range(draw.choice((1, 1, 2))):
        at = draw.randrange(len(words))
        word = words[at]
        if len(word) < 4 or not word.isalpha():
            continue
        k = draw.randrange(1, len(word) - 1)
        forms = (word[:k] + word[k + 1 :], word[:k] + word[k] + word[k:], word[:k] + word[k + 1] + word[k] + word[k + 2 :])
        words[at] = draw.choice((*forms, word[:k] + draw.choice("etaoinsrhl") + word[k + 1 :]))
    return " ".join(words)


class Pool:
    """Unique texts with their numbers."""

    def __init__(self):
        self.places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))

    def tokens(self) -> tuple[np.ndarray, np.ndarray]:
        tokenizer = Tokenizer.from_file(str(in_package("tokenizer.json")))
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS)
        encoded = [one.ids for one in tokenizer.encode_batch(list(self.places), add_special_tokens=False)]
        return np.concatenate([np.array(ids, np.uint16) for ids in encoded]), np.cumsum([0, *map(len, encoded)])


def pack_questions(options: argparse.Namespace, pool: Pool, draw: random.Random) -> dict[str, np.ndarray]:
    """Returns four forms of each question, its candidates with labels, and their places in the input files."""
    files = [(path, "row") for path in options.rows] + [(path, "measured") for path in options.measured] + [(path, "wide") for path in options.wide]
    asked, known, measured, forms, pieces, starts, answers = [], set(), set(), [], [], [0], []
    for number, (path, kind) in enumerate(files):
        wide = kind == "wide"
        for order, row in enumerate(lines(path)):
            if not row.get("pieces") or (wide and ((row["set"], row["question"]) in known or row["question"] in measured)):
                continue
            if kind == "measured":
                measured.add(row["question"])
            known.add((row["set"], row["question"]))
            own = row["pieces"][:WIDE_PIECES] if wide else row["pieces"]
            plain = row["question"].lower().rstrip("?")
            forms.append([pool(text) for text in (row["question"], plain, misspelt(row["question"], draw), misspelt(plain, draw))])
            pieces += [pool(piece["text"]) for piece in own]
            answers += [piece["y"] for piece in own]
            starts.append(len(pieces))
            written = row["set"] == row["group"]
            # Wide rows count as a separate set.
            name = f"{row['set']} wide" if wide else row["set"]
            part = MEASURED if kind == "measured" else part_of(row["group"])
            asked.append((number, order, part, wide, path.name.split(".")[0] if kind == "measured" else name, written))
    sets = sorted({one[4] for one in asked})
    return dict(
        forms=np.array(forms, np.int32),
        pieces=np.array(pieces, np.int32),
        starts=np.array(starts, np.int64),
        answers=np.array(answers, np.uint8),
        place=np.array([one[:2] for one in asked], np.int32),
        part=np.array([one[2] for one in asked], np.int8),
        wide=np.array([one[3] for one in asked], bool),
        set=np.array([sets.index(one[4]) for one in asked], np.int16),
        written=np.array([one[5] for one in asked], bool),
        names=np.array(sets),
    )


def pack_claims(options: argparse.Namespace, pool: Pool, draw: random.Random) -> dict[str, np.ndarray]:
    """Returns claim, evidence, label, part, set and weight in hundredths; a sentence with the quote of another place is labelled
    not found.
    """
    sets: dict[str, int] = {}
    rows = []

    def add(claim: str, evidence: str, label: int, part: int, name: str, weight=1.0) -> None:
        rows.append((pool(claim), pool(evidence), label, part, sets.setdefault(name, len(sets)), round(100 * weight)))

    for row in lines(options.claims):
        head = row.get("head") if draw.random() < 0.5 else None
        evidence = f"{head}\n{row['evidence']}" if head else row["evidence"]
        part = MEASURED if row["split"] == "dev" else part_of(row["group"])
        add(row["claim"], evidence, LABELS[row["label"]], part, row["set"], row.get("weight", 1.0))
    if options.strangers:
        for row in lines(options.strangers / "claims.jsonl"):
            for kind in [one for one in WRITTEN if one in row]:
                add(row[kind], row["quote"], WRITTEN[kind], MEASURED, f"strangers {kind.split('_')[1]}")
    quotes = list(lines(options.quotes))
    for at, row in enumerate(quotes):
        for kind, label in WRITTEN.items():
            add(row[kind], row["quote"], label, part_of(row["collection"]), f"written {kind}")
        for other in (quotes[(at + step) % len(quotes)] for step in (1, 2)):
            if other["quote"] != row["quote"]:
                add(row[draw.choice(("true_near", "true_free"))], other["quote"], LABELS["not_found"], part_of(row["collection"]), "written moved")
    return dict(claims=np.array(rows, np.int32), claim_names=np.array(list(sets)))


def neighbours_of(pairs: list[dict], draw: random.Random) -> list[tuple[str, str]]:
    """Pairs each paraphrase with a random other question of its collection; otherwise all pairs with few common words would be
    positives.
    """
    asked = sorted({row["a"] for row in pairs})
    return [(draw.choice([one for one in asked if one != row["a"]]), row["b"]) for row in pairs if row["same_answer"] and len(asked) > 1]


def nearest_of(questions: list[dict], pairs: list[dict]) -> list[tuple[str, str]]:
    """Pairs each paraphrase with the two other questions of its collection that share most words but have another answer: the hard
    negatives of a cache.
    """
    quotes = {row["question"]: set(row.get("gold_quotes") or []) for row in questions}
    # Prefixes of longer words approximate stemming.
    words = lambda question: {word[:5] for word in re.findall(r"[a-z0-9]+", question.lower()) if len(word) > 3}  # noqa: E731
    found = []
    for row in pairs:
        if not row["same_answer"] or row["a"] not in quotes:
            continue
        asked = words(row["b"])
        shares = lambda question: len(asked & words(question)) / max(1, len(asked | words(question)))  # noqa: E731
        others = [one for one in quotes if one != row["a"] and not quotes[one] & quotes[row["a"]]]
        found += [(one, row["b"]) for one in sorted(others, key=shares, reverse=True)[:2]]
    return found


def pack_pairs(options: argparse.Namespace, pool: Pool, draw: random.Random) -> dict[str, np.ndarray]:
    """Returns two questions, whether they ask the same, part and set."""
    sets: dict[str, int] = {}
    rows = [
        (pool(row["a"]), pool(row["b"]), int(row["same"]), MEASURED if row["split"] == "dev" else part_of(row["group"]), sets.setdefault(row["set"], len(sets)))
        for row in lines(options.pairs)
    ]
    for folder, name in ((options.collections, "written"), (options.strangers, "strangers")):
        for path in [] if folder is None else sorted(folder.glob("*.jsonl")):
            collection = list(lines(path))
            if collection[0].get("type") != "page":
                continue
            part = MEASURED if name == "strangers" else part_of(path.stem)
            written, questions = ([row for row in collection if row["type"] == kind] for kind in ("pair", "answerable"))
            rows += [(pool(row["a"]), pool(row["b"]), int(row["same_answer"]), part, sets.setdefault(name, len(sets))) for row in written]
            near = f"{name} neighbours"
            rows += [(pool(a), pool(b), 0, part, sets.setdefault(near, len(sets))) for a, b in neighbours_of(written, draw)]
            nearest = f"{name} nearest"
            rows += [(pool(a), pool(b), 0, part, sets.setdefault(nearest, len(sets))) for a, b in nearest_of(questions, written)]
    return dict(pairs=np.array(rows, np.int32), pair_names=np.array(list(sets)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, nargs="+", required=True)
    parser.add_argument("--wide", type=Path, nargs="*", default=[])
    parser.add_argument("--measured", type=Path, nargs="*", default=[])
    parser.add_argument("--strangers", type=Path)
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--quotes", type=Path, required=True)
    parser.add_argument("--collections", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pool, draw = Pool(), random.Random(1)
    packed = pack_questions(options, pool, draw)
    packed |= pack_claims(options, pool, draw) | pack_pairs(options, pool, draw)
    packed["ids"], packed["offsets"] = pool.tokens()
    np.savez_compressed(options.out, **packed)
    print(f"{len(packed['forms'])} questions, {len(packed['claims'])} claims, {len(packed['pairs'])} pairs, {len(pool.places)} texts, {len(packed['ids'])} tokens")


if __name__ == "__main__":
    main()
