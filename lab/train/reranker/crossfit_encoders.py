"""Trains the embedded encoder twice, each time without the odd or the even half of every set's source documents.

The shipped encoder has seen the questions that the reranker learns from, so its cosines are better there than they will ever be
on a reader's question, and a reranker that learns from them trusts them too much. Features of a half are therefore taken with the
encoder that never saw that half: python crossfit_encoders.py --data DIR --data EXTRA --work ENCODER_WORK --out FOLDER
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "encoder"))

import model  # noqa: E402
import train  # noqa: E402
import weights  # noqa: E402
from datasets import SOURCES, DataRoots, fold_of  # noqa: E402
from teacher import Teacher  # noqa: E402

STEPS = 1200


def half_of(set_name: str, group: str) -> int:
    """0 or 1: the rule of `splits.json`, key `reranker`."""
    return fold_of(set_name, group) % 2


def keep_half(data: model.TrainingSet, groups: list[str], half: int) -> model.TrainingSet:
    kept = np.array([half_of(data.name, group) == half for group in groups])
    return replace(data, pairs=data.pairs[kept], negatives=None if data.negatives is None else data.negatives[kept])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", action="append", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="cache of lab/train/encoder")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.without, options.rows, options.hard_negatives = [], 29300, 1
    options.out.mkdir(parents=True, exist_ok=True)
    data = DataRoots(options.data)
    settings = model.Settings(steps=STEPS)
    vocabulary = train.vocabulary_of(options, data)
    teacher = Teacher(options.work, train.TEACHER_TOKENS)
    sets, probability, sample = train.build_sets(options, data, vocabulary, teacher)
    axes = model.principal_axes(sample, settings.dimensions)
    pieces = train.token_vectors(vocabulary, teacher, options.work)
    start = model.initial_table(pieces, np.maximum(probability, 1e-7), axes, settings.sif)
    groups = {one.name: [pair.group for pair in train.training_pairs(SOURCES[one.name], data)] for one in sets}
    for half in (0, 1):
        table = model.train(start, [keep_half(one, groups[one.name], half) for one in sets], axes, settings)
        header = train.header_of(settings, list(SOURCES.values()))
        weights.write(options.out / f"half-{half}.bin", train.add_hash_rows(table, settings.seed), vocabulary, {**header, "half": half})
        print(f"half {half} written", flush=True)


if __name__ == "__main__":
    main()
